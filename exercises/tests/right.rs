//! Right solutions of very different make pass. They were written from a kata's chapter and starter alone, without a look at
//! its suite: data structures, control flow and whatever the task leaves open differ from file to file. One that fails is a
//! false alarm, the worst bug that a suite can have.
//!
//! They lie in `trust/right`, a folder for each kata, and are read from there: nothing of them is in the page. Each run tries
//! every third of them, because all take as long as the rest of the tests; with `LEASEHOLD_ALL=1` it tries all.

use leasehold_checker::suites;
use leasehold_exercises::katas;
use std::fs;
use std::path::{Path, PathBuf};

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
        let files = files(kata.slug);
        assert!(files.len() >= 10, "{}: {} right solutions", kata.slug, files.len());
        for file in files {
            let text = read(&file);
            assert!(text.starts_with("# "), "{}: the first line says how it is made", file.display());
        }
    }
}

fn hold(slug: &str) {
    let all = std::env::var_os("LEASEHOLD_ALL").is_some_and(|value| value == "1");
    let (turn, mut alarms) = (turn(), Vec::new());
    for (_, file) in files(slug).into_iter().enumerate().filter(|(n, _)| all || n % THIRD == turn) {
        let name = file.file_name().unwrap_or_default().display().to_string();
        let report = suites::check(slug, &read(&file)).unwrap_or_else(|| panic!("{slug}: no suite"));
        if let Some(test) = report.first_failure() {
            let line = test.line.map(|line| format!(", line {line}")).unwrap_or_default();
            let replay = test.replay.as_deref().unwrap_or("none");
            alarms.push(format!("{name}{line}: {}: {}\n  replay {replay}", test.name, test.message));
        }
        assert!(report.tests.len() > 1, "{name}: nothing was tested");
    }
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

/// In the order of their names.
fn files(slug: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trust/right").join(slug);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "py"));
    files.sort();
    files
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()))
}
