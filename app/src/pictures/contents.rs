//! The contents of the book, fetched once and kept for as long as the page is.

use crate::address;
use leasehold_exercises::Entry;
use std::cell::RefCell;
use yew::Callback;

thread_local! {
    static CONTENTS: RefCell<Option<&'static [Entry]>> = const { RefCell::new(None) };
}

/// The contents, at once if they are known; none if they can't be had. Then they are asked for anew the next time.
pub fn contents(came: Callback<Option<&'static [Entry]>>) {
    if let Some(entries) = CONTENTS.with_borrow(|known| *known) {
        return came.emit(Some(entries));
    }
    let read = move |text: Option<String>| {
        let entries = text.and_then(Entry::from_file);
        CONTENTS.set(entries);
        came.emit(entries);
    };
    address::fetch("book.contents", Callback::from(read));
}
