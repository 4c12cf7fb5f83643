//! The table in README.md.

use leasehold_trust::table::{Table, between, shape};

#[test]
fn the_readme_has_the_table_that_the_command_would_write() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let blank = Table::blank().markdown();
    let shown = shape(between(&readme).unwrap());
    assert_eq!(shown, shape(&blank), "`trust table --readme` writes it anew");
    for kata in leasehold_exercises::katas() {
        assert!(shown.contains(&format!("| {}", kata.slug).as_str()), "{}", kata.slug);
    }
    for target in leasehold_trust::fuzz::all() {
        assert!(shown.iter().any(|row| row.contains(&format!("`{}`", target.name))), "{}", target.name);
    }
}
