//! What needs a browser: its storage, and an editor that is not there.
#![cfg(target_arch = "wasm32")]

use leasehold_app::storage::{self, Place, Progress, Restored, SaveError, Saved};
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

/// What a page that is opened now makes of what is stored.
fn restore(slug: &str, starter: &str) -> Restored {
    Place::open(slug, starter).1
}

/// A page is opened, and this is typed.
fn save(slug: &str, code: &str) -> Result<Saved, SaveError> {
    typed(&mut Place::open(slug, STARTER).0, code)
}

fn typed(page: &mut Place, code: &str) -> Result<Saved, SaveError> {
    page.save(code, Progress::default(), 0.0)
}

fn is_clash(saved: &Saved, theirs: &str) -> bool {
    matches!(saved, Saved::Clash(record) if record.code == theirs)
}

/// The code of all that lies aside for a kata.
fn aside(slug: &str) -> Vec<String> {
    let text = |key: &String| storage::text(key).ok()?;
    let texts: Vec<String> =
        keys(&browser_storage(), &format!("{}:", storage::key(slug))).iter().filter_map(text).collect();
    texts.iter().filter_map(|text| storage::parse(text).ok()).map(|record| record.code).collect()
}

#[wasm_bindgen_test]
fn code_that_was_saved_comes_back() {
    save("saved", "x = 'ü'\n").expect("saved");
    assert_eq!(restore("saved", STARTER), Restored::Code { code: "x = 'ü'\n".to_owned(), starter_changed: false });
    assert_eq!(
        restore("saved", "another starter"),
        Restored::Code { code: "x = 'ü'\n".to_owned(), starter_changed: true }
    );
}

#[wasm_bindgen_test]
fn nothing_was_saved_for_a_kata_that_was_never_open() {
    assert_eq!(restore("never-open", STARTER), Restored::Nothing);
}

#[wasm_bindgen_test]
fn a_record_that_cannot_be_read_is_kept_aside_each_under_a_key_of_its_own() {
    let store = browser_storage();
    let key = storage::key("corrupt");
    for (text, restored) in [("{oops", Restored::Unreadable), ("{\"version\":99}", Restored::OtherVersion)] {
        store.set_item(&key, text).expect("stored");
        assert_eq!(restore("corrupt", STARTER), restored);
        // A second visit sets the same text aside once.
        assert_eq!(restore("corrupt", STARTER), restored);
        save("corrupt", "new").expect("saved");
    }
    let aside: Vec<Option<String>> =
        keys(&store, &format!("{key}:")).iter().map(|key| store.get_item(key).expect("allowed")).collect();
    assert_eq!(aside, [Some("{oops".to_owned()), Some("{\"version\":99}".to_owned())]);
    let restored = restore("corrupt", STARTER);
    assert_eq!(restored, Restored::Code { code: "new".to_owned(), starter_changed: false });
}

#[wasm_bindgen_test]
fn a_full_storage_is_told_and_the_record_before_survives() {
    let store = browser_storage();
    save("full", "small").expect("saved");
    let too_much = "x".repeat(6 * 1024 * 1024);
    assert_eq!(save("full", &too_much), Err(SaveError::Full));
    let restored = restore("full", STARTER);
    assert_eq!(restored, Restored::Code { code: "small".to_owned(), starter_changed: false });
    store.clear().expect("allowed");
}

#[wasm_bindgen_test]
fn of_two_pages_the_second_writes_nothing_over_and_what_it_has_lies_aside_until_it_is_kept() {
    let [(mut one, _), (mut other, _)] = [(); 2].map(|()| Place::open("kept", STARTER));
    typed(&mut one, "one").expect("saved");
    for code in ["other", "other, longer"] {
        assert!(is_clash(&typed(&mut other, code).expect("told"), "one"));
        assert_eq!(aside("kept"), [code]);
    }
    other.keep_mine().expect("set aside");
    assert!(matches!(typed(&mut other, "other, longer"), Ok(Saved::Kept(_))));
    assert_eq!(storage::saved("kept").as_deref(), Some("other, longer"));
    assert_eq!(aside("kept"), ["one"]);
    assert!(is_clash(&one.look("one", Progress::default()).expect("a look"), "other, longer"));
}

#[wasm_bindgen_test]
fn a_page_that_takes_the_other_version_goes_on_from_there_and_what_it_had_stays_aside() {
    let [(mut one, _), (mut other, _)] = [(); 2].map(|()| Place::open("taken", STARTER));
    typed(&mut one, "one").expect("saved");
    let Ok(Saved::Clash(theirs)) = typed(&mut other, "other") else { panic!("no clash") };
    other.take(&theirs);
    assert!(matches!(typed(&mut other, "one, edited"), Ok(Saved::Kept(_))));
    assert_eq!(storage::saved("taken").as_deref(), Some("one, edited"));
    assert_eq!(aside("taken"), ["other"]);
}

#[wasm_bindgen_test]
fn a_page_in_which_nothing_was_typed_puts_nothing_aside() {
    let [(mut one, _), (mut other, _)] = [(); 2].map(|()| Place::open("idle", STARTER));
    typed(&mut one, "one").expect("saved");
    assert!(is_clash(&typed(&mut other, STARTER).expect("told"), "one"));
    assert_eq!(aside("idle"), [""; 0]);
    assert_eq!(storage::saved("idle").as_deref(), Some("one"));
}

#[wasm_bindgen_test]
fn a_record_that_another_page_erased_is_seen_to_be_gone() {
    let (mut page, _) = Place::open("gone", STARTER);
    typed(&mut page, "mine").expect("saved");
    storage::remove(&storage::key("gone"));
    assert_eq!(page.look("mine", Progress::default()), Some(Saved::Gone));
    assert!(matches!(typed(&mut page, "mine"), Ok(Saved::Kept(_))));
}
