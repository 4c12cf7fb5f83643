//! The worker in which the suite runs: started, spoken to, and ended when it no longer answers.

use crate::protocol::Message;
use gloo_events::EventListener;
use serde::Serialize;
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ErrorEvent, MessageEvent, Url, Worker, WorkerOptions, WorkerType};

/// One running worker. Dropping it ends the worker, whatever it is doing.
pub struct Engine {
    worker: Worker,
    _listeners: [EventListener; 3],
}

/// What hears a worker: each of its messages, a JSON text, or how the worker as a whole failed, as the browser put it.
pub type Hears = Rc<dyn Fn(Result<&str, String>)>;

impl Engine {
    /// Starts a worker, which loads the interpreter by itself.
    pub fn start(heard: Hears) -> Result<Self, String> {
        // The first one was started before us, see app/editor/early.js.
        let early = early::take().ok().flatten();
        let worker = match &early {
            Some(early) => early.worker(),
            None => {
                let options = WorkerOptions::new();
                options.set_type(WorkerType::Module);
                Worker::new_with_options(&worker_url().map_err(words)?, &options).map_err(words)?
            }
        };
        let failed = |heard: Hears| {
            move |event: &web_sys::Event| {
                heard(Err(event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default()));
            }
        };
        let listeners = [
            EventListener::new(&worker, "error", failed(heard.clone())),
            EventListener::new(&worker, "messageerror", failed(heard.clone())),
            EventListener::new(&worker, "message", {
                let heard = heard.clone();
                move |event| {
                    let text = event.dyn_ref::<MessageEvent>().and_then(|e| e.data().as_string()).unwrap_or_default();
                    heard(Ok(&text));
                }
            }),
        ];
        if let Some(early) = early {
            early.said().lines().for_each(|text| heard(Ok(text)));
        }
        Ok(Engine { worker, _listeners: listeners })
    }

    /// Sends an order.
    pub fn send(&self, order: &impl Serialize) -> Result<(), String> {
        let text = serde_json::to_string(order).map_err(|e| e.to_string())?;
        self.worker.post_message(&JsValue::from_str(&text)).map_err(words)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.worker.terminate();
    }
}

/// What the page of a kata makes of it.
pub fn read(said: Result<&str, String>) -> Message {
    let message = match said {
        Ok(text) => serde_json::from_str(text).unwrap_or_else(|error| Message::Failed {
            message: format!("page and interpreter are of different versions ({error})"),
        }),
        Err(message) => Message::Failed { message },
    };
    if matches!(message, Message::Ready) {
        mark("interpreter-ready");
    }
    message
}

// The worker lies beside the page, wherever that is. The stamp (app/editor/stamp.mjs) keeps a browser's cache from
// pairing it with files of another build.
fn worker_url() -> Result<String, JsValue> {
    let document = web_sys::window().and_then(|w| w.document()).ok_or("no document")?;
    let base = document.base_uri()?.ok_or("no base address")?;
    let url = Url::new_with_base("worker-boot.js", &base)?;
    let stamp = document.query_selector("meta[name=leasehold-worker]")?.and_then(|meta| meta.get_attribute("content"));
    url.set_search(&stamp.unwrap_or_default());
    Ok(url.href())
}

// Shows in the browser's performance tools, and to app/e2e/figures.mjs.
fn mark(name: &str) {
    if let Some(performance) = web_sys::window().and_then(|w| w.performance()) {
        let _ = performance.mark(name);
    }
}

fn words(error: JsValue) -> String {
    error.dyn_ref::<js_error::Error>().map(js_error::Error::message).or_else(|| error.as_string()).unwrap_or_default()
}

mod early {
    use wasm_bindgen::prelude::wasm_bindgen;
    use web_sys::Worker;

    #[wasm_bindgen]
    extern "C" {
        /// A worker that runs already, and what it has said, a line a message.
        pub type Early;
        #[wasm_bindgen(catch, js_name = takeEarlyWorker)]
        pub fn take() -> Result<Option<Early>, wasm_bindgen::JsValue>;
        #[wasm_bindgen(method, getter)]
        pub fn worker(this: &Early) -> Worker;
        #[wasm_bindgen(method, getter)]
        pub fn said(this: &Early) -> String;
    }
}

mod js_error {
    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        pub type Error;
        #[wasm_bindgen(method, getter)]
        pub fn message(this: &Error) -> String;
    }
}
