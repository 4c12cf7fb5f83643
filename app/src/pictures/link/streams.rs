//! Deflate by the browser's own streams: a packer of our own would weigh tens of kilobytes.

use super::Trouble;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::js_sys::futures::JsFuture;
use web_sys::js_sys::{Array, Promise, Uint8Array};

/// Without header and checksum.
const FORMAT: &str = "deflate-raw";

/// Deflates; none if the browser has no such streams.
pub async fn pack(bytes: &[u8]) -> Option<Vec<u8>> {
    let through = Packer::new(FORMAT).ok()?;
    read(bytes, &through, usize::MAX).await.ok()
}

/// Inflates, up to `most` bytes.
pub async fn unpack(bytes: &[u8], most: usize) -> Result<Vec<u8>, Trouble> {
    let through = Unpacker::new(FORMAT).map_err(|_| Trouble::NoStreams)?;
    read(bytes, &through, most).await
}

async fn read(bytes: &[u8], through: &JsValue, most: usize) -> Result<Vec<u8>, Trouble> {
    let damaged = |_| Trouble::Damaged;
    let blob = Bytes::new(&Array::of1(&Uint8Array::from(bytes))).map_err(damaged)?;
    let reader = blob.stream().pipe_through(through).reader();
    let mut out = Vec::new();
    loop {
        let part = JsFuture::from(reader.read()).await.map_err(damaged)?.unchecked_into::<Part>();
        let Some(bytes) = part.value().filter(|_| !part.done()) else { return Ok(out) };
        if out.len() + bytes.length() as usize > most {
            // Whoever packed it meant it not to end.
            let _ = reader.cancel();
            return Err(Trouble::TooLarge);
        }
        out.extend(bytes.to_vec());
    }
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = CompressionStream)]
    type Packer;
    #[wasm_bindgen(constructor, catch, js_class = "CompressionStream")]
    fn new(format: &str) -> Result<Packer, JsValue>;

    #[wasm_bindgen(js_name = DecompressionStream)]
    type Unpacker;
    #[wasm_bindgen(constructor, catch, js_class = "DecompressionStream")]
    fn new(format: &str) -> Result<Unpacker, JsValue>;

    #[wasm_bindgen(js_name = Blob)]
    type Bytes;
    #[wasm_bindgen(constructor, catch, js_class = "Blob")]
    fn new(parts: &Array) -> Result<Bytes, JsValue>;
    #[wasm_bindgen(method)]
    fn stream(this: &Bytes) -> Stream;

    #[wasm_bindgen(js_name = ReadableStream)]
    type Stream;
    #[wasm_bindgen(method, js_name = pipeThrough)]
    fn pipe_through(this: &Stream, through: &JsValue) -> Stream;
    #[wasm_bindgen(method, js_name = getReader)]
    fn reader(this: &Stream) -> Reader;

    type Reader;
    #[wasm_bindgen(method)]
    fn read(this: &Reader) -> Promise;
    #[wasm_bindgen(method)]
    fn cancel(this: &Reader) -> Promise;

    /// What a reader reads.
    type Part;
    #[wasm_bindgen(method, getter)]
    fn done(this: &Part) -> bool;
    #[wasm_bindgen(method, getter)]
    fn value(this: &Part) -> Option<Uint8Array>;
}
