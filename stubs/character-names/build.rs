//! Writes the names of all characters down as one text, and holds what is read from it against where they come from.

use std::fmt::Write;
use std::path::Path;

#[path = "src/table.rs"]
mod table;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/table.rs");
    let mut text = String::new();
    let mut before = 0;
    let mut listed = Vec::new();
    let mut computed = Vec::new();
    for c in char::MIN..=char::MAX {
        let Some(name) = original::name(c).map(|name| name.to_string()) else {
            assert!(!table::is_computed(c), "{c:?} has no name");
            continue;
        };
        if table::is_computed(c) {
            computed.push((c, name));
            continue;
        }
        let number = u32::from(c);
        let written = match number - before {
            1 => writeln!(text, "{name}"),
            step => writeln!(text, "{name}\t{step:x}"),
        };
        written.expect("to a string");
        before = number;
        listed.push((name, c));
    }

    let read: Vec<_> = table::listed(&text).map(|(name, c)| (name.to_owned(), c)).collect();
    assert_eq!(read, listed);
    for (c, name) in computed {
        assert_eq!(table::computed_name(c).as_deref(), Some(name.as_str()));
        assert_eq!(table::computed_character(&name), Some(Some(c)), "{name}");
    }
    for name in ["HANGUL SYLLABLE ", "HANGUL SYLLABLE GAX", "CJK UNIFIED IDEOGRAPH-", "CJK UNIFIED IDEOGRAPH-41"] {
        assert_eq!(table::computed_character(name), Some(original::character(name)), "{name}");
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("names.txt"), text).expect("OUT_DIR can be written");
}
