//! A short run of every target. `trust fuzz --times 100` is a longer one.

use leasehold_trust::fuzz;

macro_rules! nothing_falls_out {
    ($($test:ident: $target:literal),* $(,)?) => {
        $(
            #[test]
            fn $test() {
                short_run($target);
            }
        )*

        #[test]
        fn every_target_is_tried() {
            let tried = [$($target),*];
            assert!(fuzz::all().iter().all(|target| tried.contains(&target.name)), "{tried:?}");
        }
    };
}

// One test each, so that they run beside each other.
nothing_falls_out! {
    addresses: "addresses",
    settings: "settings",
    links: "links",
    shared_runs: "shared-runs",
    records: "records",
    levels: "levels",
    session: "session",
    sessions: "sessions",
    cards: "cards",
    files: "files",
    stories: "stories",
    replays: "replays",
    schedules: "schedules",
    sources: "sources",
    kata_toml: "kata.toml",
    headers: "headers",
    prose: "prose",
}

/// The same texts each time.
fn short_run(name: &str) {
    let target = fuzz::target(name).expect("a target of this name");
    let outcome = target.run_watched(1, target.short, |_| ());
    assert_eq!(outcome.fell, None);
    assert_eq!(outcome.tried, target.short);
    assert!(outcome.taken > 0, "all was turned away at the door");
}
