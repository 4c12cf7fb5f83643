//! What needs a browser: its storage, and an editor that is not there.
#![cfg(target_arch = "wasm32")]

use leasehold_app::storage::{self, Restored, SaveError};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::Storage;

wasm_bindgen_test_configure!(run_in_browser);

const STARTER: &str = "class LockManager: ...\n";

fn browser_storage() -> Storage {
    web_sys::window().expect("a window").local_storage().expect("allowed").expect("there")
}

fn keys(storage: &Storage, prefix: &str) -> Vec<String> {
    let count = storage.length().expect("a number");
    let all = (0..count).filter_map(|i| storage.key(i).ok().flatten());
    let mut found: Vec<String> = all.filter(|key| key.starts_with(prefix)).collect();
    found.sort();
    found
}

#[wasm_bindgen_test]
fn code_that_was_saved_comes_back() {
    storage::save("saved", STARTER, "x = 'ü'\n").expect("saved");
    assert_eq!(
        storage::restore("saved", STARTER),
        Restored::Code { code: "x = 'ü'\n".to_owned(), starter_changed: false }
    );
    assert_eq!(
        storage::restore("saved", "another starter"),
        Restored::Code { code: "x = 'ü'\n".to_owned(), starter_changed: true }
    );
}

#[wasm_bindgen_test]
fn nothing_was_saved_for_a_kata_that_was_never_open() {
    assert_eq!(storage::restore("never-open", STARTER), Restored::Nothing);
}

#[wasm_bindgen_test]
fn a_record_that_cannot_be_read_is_kept_aside_each_under_a_key_of_its_own() {
    let store = browser_storage();
    let key = storage::key("corrupt");
    for (text, restored) in [("{oops", Restored::Unreadable), ("{\"version\":99}", Restored::OtherVersion)] {
        store.set_item(&key, text).expect("stored");
        assert_eq!(storage::restore("corrupt", STARTER), restored);
        // A second visit sets the same text aside once.
        assert_eq!(storage::restore("corrupt", STARTER), restored);
        storage::save("corrupt", STARTER, "new").expect("saved");
    }
    let aside: Vec<Option<String>> =
        keys(&store, &format!("{key}:")).iter().map(|key| store.get_item(key).expect("allowed")).collect();
    assert_eq!(aside, [Some("{oops".to_owned()), Some("{\"version\":99}".to_owned())]);
    let restored = storage::restore("corrupt", STARTER);
    assert_eq!(restored, Restored::Code { code: "new".to_owned(), starter_changed: false });
}

#[wasm_bindgen_test]
fn a_full_storage_is_told_and_the_record_before_survives() {
    let store = browser_storage();
    storage::save("full", STARTER, "small").expect("saved");
    let too_much = "x".repeat(6 * 1024 * 1024);
    assert_eq!(storage::save("full", STARTER, &too_much), Err(SaveError::Full));
    let restored = storage::restore("full", STARTER);
    assert_eq!(restored, Restored::Code { code: "small".to_owned(), starter_changed: false });
    store.clear().expect("allowed");
}
