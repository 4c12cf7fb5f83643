//! The right solutions pass. Each run tries every third of them, because all take as long as the rest of the tests; with
//! `LEASEHOLD_ALL=1` it tries all, and so does `trust table`.

use leasehold_exercises::katas;
use leasehold_trust::right::{alarm, solutions};
use std::fs;
use std::path::Path;

macro_rules! every_right_solution_passes {
    ($($kata:ident: $slug:literal),* $(,)?) => {
        $(
            #[test]
            fn $kata() {
                hold($slug);
            }
        )*

        const SLUGS: &[&str] = &[$($slug),*];
    };
}

// One test each, so that they run beside each other.
every_right_solution_passes! {
    acquire_with_fencing: "acquire-with-fencing",
    storage_gate: "storage-gate",
    compare_and_delete: "compare-and-delete",
    handle_lifecycle: "handle-lifecycle",
    renewal_daemon: "renewal-daemon",
    retry_with_jitter: "retry-with-jitter",
    reentrant_handle: "reentrant-handle",
    watch_the_predecessor: "watch-the-predecessor",
    fair_lock: "fair-lock",
    redlock_validity: "redlock-validity",
    write_the_test: "write-the-test",
    lock_client: "lock-client",
    lock_delay: "lock-delay",
}

#[test]
fn every_kata_has_at_least_ten_right_solutions() {
    for kata in katas() {
        assert!(SLUGS.contains(&kata.slug), "{} is not tried in here", kata.slug);
        let solutions = solutions(kata.slug).unwrap();
        assert!(solutions.len() >= 10, "{}: {} right solutions", kata.slug, solutions.len());
        for solution in solutions {
            assert!(solution.source.starts_with("# "), "{}: the first line says how it is made", solution.name);
        }
    }
}

fn hold(slug: &str) {
    let all = std::env::var_os("LEASEHOLD_ALL").is_some_and(|value| value == "1");
    let turn = turn();
    let solutions = solutions(slug).expect("the folder can be read");
    let chosen = solutions.into_iter().enumerate().filter(|(n, _)| all || n % THIRD == turn);
    let alarms: Vec<String> = chosen.filter_map(|(_, solution)| alarm(slug, &solution)).collect();
    assert!(alarms.is_empty(), "{slug}: {} false alarms:\n{}", alarms.len(), alarms.join("\n"));
}

const THIRD: usize = 3;

/// Which third it is this time: the same for the same suites, and another one, two times out of three, whenever one of them
/// was changed.
fn turn() -> usize {
    fn bytes(folder: &Path) -> usize {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries
            .map(|path| if path.is_dir() { bytes(&path) } else { fs::read(&path).map_or(0, |text| text.len()) })
            .sum()
    }
    bytes(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../checker/src/suites")) % THIRD
}
