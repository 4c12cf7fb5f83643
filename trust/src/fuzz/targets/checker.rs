//! What the checker reads: schedules as strings, and the learner's code.

use super::{Failure, Target, comes_back, failures, holds, judged, refused};
use leasehold_checker::explore::replay::{BadReplay, REPLAY_VERSION, Replay, opened, sealed};
use leasehold_checker::python;
use leasehold_checker::report::{Outcome, Report, TestReport, Verdict};
use leasehold_checker::suites;

pub const REPLAYS: Target = Target {
    name: "replays",
    reads: "a replay string",
    short: 3_000,
    seeds: strings,
    read: |text| match decoded(text) {
        Ok((kata, replay)) => comes_back(&Replay::decode(&replay.encode(kata), kata), &Ok(replay)),
        Err(trouble) => refused(&trouble.to_string()),
    },
};

/// As characters, each of which is a byte: nearly every change to the string itself is noticed by its checksum. The first
/// says which kata it is, then comes what stands behind the kata's name.
pub const SCHEDULES: Target = Target {
    name: "schedules",
    reads: "what such a string holds, and its run",
    short: 500,
    seeds: || {
        let seed = |(n, failure): (usize, &Failure)| {
            let bytes = opened(failure.test.replay.as_deref()?).ok()?;
            let content = bytes.get(2 + failure.kata.len()..)?;
            Some([n as u8].iter().chain(content).map(|byte| char::from(*byte)).collect())
        };
        failures().iter().enumerate().filter_map(seed).collect()
    },
    read: |text| {
        let mut bytes = text.chars().map(|c| c as u8);
        let at = bytes.next().unwrap_or_default();
        let Failure { kata, source: wrong, .. } = &failures()[usize::from(at) % failures().len()];
        let head = [REPLAY_VERSION, kata.len() as u8];
        let string = sealed(&head.into_iter().chain(kata.bytes()).chain(bytes).collect::<Vec<_>>());
        let replay = match Replay::decode(&string, kata) {
            Ok(replay) => replay,
            Err(trouble) => return refused(&trouble.to_string()),
        };
        comes_back(&Replay::decode(&replay.encode(kata), kata), &Ok(replay))?;
        let solution = leasehold_exercises::solution(kata).unwrap_or_default();
        for source in [solution, wrong] {
            match suites::replay(kata, source, &string) {
                Ok(test) => is_whole(&test, source)?,
                Err(trouble) => drop(refused(&trouble.to_string())?),
            }
        }
        tidy();
        Ok(true)
    },
};

pub const SOURCES: Target = Target {
    name: "sources",
    reads: "the learner's code",
    short: 200,
    seeds: || {
        let mut seeds = Vec::new();
        for kata in leasehold_exercises::katas() {
            let wrong = leasehold_exercises::wrong(kata.slug).first().map(|program| program.source);
            let sources = [Some(kata.starter), leasehold_exercises::solution(kata.slug), wrong];
            seeds.extend(sources.into_iter().flatten().map(|source| format!("# {}\n{source}", kata.slug)));
        }
        seeds
    },
    read: |text| {
        // The first line names the kata.
        let first = text.lines().next().unwrap_or_default();
        let named = leasehold_exercises::katas().iter().find(|kata| first.contains(kata.slug));
        let kata = named.unwrap_or(leasehold_exercises::first()).slug;
        let report = judged(kata, text).ok_or("the kata has no suite")?;
        holds("something was tested", !report.tests.is_empty())?;
        let passed = report.tests.iter().all(|test| test.outcome == Outcome::Passed);
        holds("the verdict is that of the tests", passed == (report.verdict == Verdict::Passed))?;
        report.tests.iter().try_for_each(|test| is_whole(test, text))?;
        let json = serde_json::to_string(&report).map_err(|e| e.to_string())?;
        comes_back(&serde_json::from_str::<Report>(&json).map_err(|e| e.to_string())?, &report)?;
        tidy();
        Ok(true)
    },
};

/// What is said of a test can be read, and speaks of the file that was tested.
fn is_whole(test: &TestReport, source: &str) -> Result<(), String> {
    holds(&format!("{} says something", test.name), !test.message.trim().is_empty())?;
    let lines = source.split(['\n', '\r']).count();
    holds(
        &format!("{} names a line of the file", test.name),
        test.line.is_none_or(|line| (1..=lines).contains(&(line as usize))),
    )
}

fn tidy() {
    python::enter(|py| py.collect_garbage());
}

fn strings() -> Vec<String> {
    failures().iter().filter_map(|failure| failure.test.replay.clone()).collect()
}

/// For whichever of our katas it was made.
fn decoded(text: &str) -> Result<(&'static str, Replay), BadReplay> {
    let first = Replay::decode(text, leasehold_exercises::first().slug);
    let Err(BadReplay::OtherKata(named)) = &first else {
        return first.map(|replay| (leasehold_exercises::first().slug, replay));
    };
    match leasehold_exercises::kata(named) {
        Some(kata) => Replay::decode(text, kata.slug).map(|replay| (kata.slug, replay)),
        None => first.map(|replay| (leasehold_exercises::first().slug, replay)),
    }
}
