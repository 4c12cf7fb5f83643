//! What the browser keeps, and the file that takes it elsewhere.

use super::{Target, comes_back, failures, holds, refused};
use leasehold_app::pictures::file::{self, Fate, Item, Store};
use leasehold_app::pictures::joined_levels;
use leasehold_app::practice::past::{self, Answer, Entry, Past};
use leasehold_app::practice::session::{self, Session};
use leasehold_app::practice::{Grade, cards, report, rows};
use leasehold_app::storage::{self, Progress, RECORD_VERSION, Record, Restored, fingerprint};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag};
use std::collections::BTreeMap;

/// In the midst of what clocks say, in milliseconds since 1970.
const NOW: u64 = 1_800_000_000_000;
const LEVELS_KEY: &str = "leasehold:levels";

pub const RECORDS: Target = Target {
    name: "records",
    reads: "the stored record of a kata",
    short: 3_000,
    seeds: records,
    read: |text| match storage::parse(text) {
        Ok(record) => {
            let written = serde_json::to_string(&record).map_err(|e| e.to_string())?;
            let _ = record.standing();
            comes_back(&storage::parse(&written), &Ok(record))
        }
        Err(Restored::Unreadable | Restored::OtherVersion) => {
            // It is set aside: under a key of its own, where nothing else lies.
            let there = |key: &str| (!key.ends_with('2')).then(|| format!("{text} and more"));
            let key = storage::free("leasehold:kata:x", text, &there);
            holds("what is set aside takes no other's place", there(&key).is_none())?;
            Ok(false)
        }
        Err(other) => Err(format!("refused as {other:?}")),
    },
};

pub const LEVELS: Target = Target {
    name: "levels",
    reads: "what was reached in the levels",
    short: 2_000,
    seeds: || vec![levels(), r#"{"version":1,"levels":{}}"#.to_owned()],
    read: |text| {
        let joined = |here: &str, there: &str| joined_levels(LEVELS_KEY, here, there);
        let Some(once) = joined(text, text) else { return Ok(false) };
        comes_back(&joined(&once, &once), &Some(once.clone()))?;
        let ours = levels();
        let both = joined(&ours, &once);
        comes_back(&joined(&both.clone().unwrap_or_default(), &ours), &both)
    },
};

pub const SESSION: Target = Target {
    name: "session",
    reads: "the session of practice that runs",
    short: 2_000,
    seeds: || {
        let mut seeds: Vec<String> = sessions().iter().map(|entry| rows::text(entry.session.rows())).collect();
        seeds.push(rows::text(Vec::new()));
        seeds
    },
    read: |text| {
        let Some(rows) = rows::read(text) else { return Ok(false) };
        comes_back(&rows::read(&rows::text(rows.clone())).as_ref(), &Some(&rows))?;
        let Some(read) = session::read(&rows) else { return Ok(false) };
        let Some(mut session) = read else { return Ok(true) };
        comes_back(&session::read(&session.rows()), &Some(Some(session.clone())))?;
        for now in [0, session.started, NOW, u64::MAX] {
            let _ = (session.used_ms(now), session.left_s(now));
            holds("one waits for a minute at most", session.wait_s(now) <= 60)?;
        }
        session.pause(NOW);
        session.edit("x", NOW + 1);
        session.run("x", NOW + 2);
        holds("whoever types is back", session.paused.is_none())?;
        comes_back(&session::read(&session.rows()), &Some(Some(session)))
    },
};

pub const SESSIONS: Target = Target {
    name: "sessions",
    reads: "the sessions that are over, and their reports",
    short: 2_000,
    seeds: || vec![rows::text(sessions().iter().flat_map(Entry::rows).collect())],
    read: |text| {
        let Some(Past { past: entries }) = rows::read(text).and_then(|rows| past::read(&rows)) else {
            return Ok(false);
        };
        let again = past::read(&entries.iter().flat_map(Entry::rows).collect::<Vec<_>>());
        comes_back(&again.as_ref().map(|again| &again.past), &Some(&entries))?;
        for entry in &entries {
            for behind in [-840, 0, 720] {
                let here = report::Here { page: "https://example.org/", behind, book: &[] };
                is_a_report(&report::markdown(entry, &[], &here))?;
                let name = report::file_name(&entry.session, behind);
                let is_safe = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
                holds("a report can be saved under its name", name.chars().all(is_safe))?;
            }
        }
        Ok(true)
    },
};

pub const CARDS: Target = Target {
    name: "cards",
    reads: "what is known of the question cards",
    short: 2_000,
    seeds: || {
        let mut cards = cards::Cards::default();
        for (day, grade) in (20_000..).zip([Grade::Well, Grade::Partly, Grade::Missed, Grade::Well]) {
            cards.grade("storage-gate/why", grade, day);
            cards.grade(&cards::id("fair-lock", "queue"), grade, day + 1);
        }
        vec![rows::text(cards.rows())]
    },
    read: |text| {
        let Some(mut cards) = rows::read(text).and_then(|rows| cards::read(&rows)) else { return Ok(false) };
        comes_back(&cards::read(&cards.rows()).as_ref(), &Some(&cards))?;
        let ids: Vec<String> = cards.rows().iter().map(|row| rows::field(row, 0).to_owned()).collect();
        for (today, id) in [0, 20_000, u32::MAX].into_iter().flat_map(|today| ids.iter().map(move |id| (today, id))) {
            let _ = (cards.is_due(id, today), cards.due(today, &|_| true), cards.next_day(today));
            for grade in Grade::ALL {
                holds("a card comes again within 35 days", (1..=35).contains(&cards.days(id, grade, today)))?;
                cards.grade(id, grade, today);
            }
        }
        Ok(true)
    },
};

pub const FILES: Target = Target {
    name: "files",
    reads: "a file of progress, and what it changes",
    short: 2_000,
    seeds: || {
        let items = items();
        vec![file::write(&items), file::write(&items[..1]), file::write(&[])]
    },
    read: |text| {
        let items = match file::read(text) {
            Ok(items) => items,
            Err(trouble) => return refused(trouble.text()),
        };
        comes_back(&file::read(&file::write(&items)).as_ref(), &Ok(&items))?;
        for (taken, room) in [(false, usize::MAX), (true, usize::MAX), (true, 700), (true, 60)] {
            bring_in(items.clone(), taken, room)?;
        }
        Ok(true)
    },
};

/// Into a browser where other code lies, which has so much room left.
fn bring_in(items: Vec<Item>, taken: bool, room: usize) -> Result<(), String> {
    let before: BTreeMap<String, String> = here().into_iter().collect();
    let used: usize = before.iter().map(|(key, text)| key.len() + text.len()).sum();
    let mut browser = Browser { items: before.clone(), most: used.saturating_add(room) };
    let steps = file::plan(items, |key| before.get(key).cloned());
    let taken: Vec<bool> = steps.iter().map(|_| taken).collect();
    if !file::carry_out(&steps, &taken, &mut browser) {
        holds("where there is no room, everything stays as it was", browser.items == before)?;
        return holds("room without end is enough", room < usize::MAX);
    }
    let joined = |key: &String| steps.iter().any(|step| step.key == *key && matches!(step.fate, Fate::Joined(_)));
    for (key, text) in &before {
        let code = storage::parse(text).ok().filter(storage::Record::is_edited).map(|record| record.code);
        let keeps = |kept: &String| kept == text || code.is_some() && storage::parse(kept).ok().map(|r| r.code) == code;
        // What was joined, and held no code of the learner's, is in what it was joined to.
        let is_kept = browser.items.values().any(keeps) || code.is_none() && joined(key);
        holds(&format!("what lay under {key} is kept"), is_kept)?;
    }
    Ok(())
}

struct Browser {
    items: BTreeMap<String, String>,
    most: usize,
}

impl Store for Browser {
    fn get(&self, key: &str) -> Option<String> {
        self.items.get(key).cloned()
    }

    fn set(&mut self, key: &str, text: &str) -> bool {
        let others: usize = self.items.iter().filter(|(k, _)| *k != key).map(|(k, t)| k.len() + t.len()).sum();
        let fits = others + key.len() + text.len() <= self.most;
        if fits {
            self.items.insert(key.to_owned(), text.to_owned());
        }
        fits
    }

    fn remove(&mut self, key: &str) {
        self.items.remove(key);
    }
}

fn record(code: &str, revision: u32, progress: Progress) -> String {
    let starter_hash = fingerprint(leasehold_exercises::first().starter);
    let record = Record { version: RECORD_VERSION, revision, starter_hash, code: code.to_owned(), progress };
    serde_json::to_string(&record).unwrap_or_default()
}

fn solved() -> Progress {
    Progress { passed: 15, of: 15, solved_ms: NOW, attempts: 4, hints: 1, solution: true, seconds: 900 }
}

fn records() -> Vec<String> {
    let first = leasehold_exercises::first();
    let starter = record(first.starter, 0, Progress::default());
    let solution = record(leasehold_exercises::solution(first.slug).unwrap_or_default(), 7, solved());
    let old = format!(r#"{{"version":1,"starter_hash":"{}","code":"mine"}}"#, fingerprint(first.starter));
    vec![starter, solution, old]
}

fn levels() -> String {
    r#"{"version":1,"levels":{"first-pause":{"best":1,"told":false},"late-write":{"best":null,"told":true}}}"#
        .to_owned()
}

/// Sessions as they come to be, the newest first: one of a day that ended, one that is paused.
fn sessions() -> Vec<Entry> {
    let mut ended = Session::new("acquire-with-fencing", "Acquire with a fencing token", 25, true, NOW);
    ended.pause(NOW + 60_000);
    for failure in failures().iter().take(1) {
        ended.edit(failure.source, NOW + 90_000);
        ended.run(failure.source, NOW + 120_000);
        ended.report(&failure.report);
    }
    ended.ended = Some(NOW + 1_500_000);
    let mut paused = Session::new("storage-gate", "The storage gate", 40, false, NOW - 86_400_000);
    paused.pause(NOW - 86_000_000);
    let mut over = Entry { session: ended, grade: Some(Grade::Partly), ..Entry::default() };
    let (id, ask) = ("acquire-with-fencing/check-before-write".to_owned(), "Why is that not enough?".to_owned());
    over.answer(Answer { id, ask, text: "# It may pause\n<b>between</b>".to_owned(), grade: Grade::Well });
    vec![over, Entry { session: paused, ..Entry::default() }]
}

fn items() -> Vec<Item> {
    let [starter, solution, old] = records().try_into().unwrap_or_default();
    let item = |key: &str, text: &str| (key.to_owned(), text.to_owned());
    vec![
        item("leasehold:kata:acquire-with-fencing", &solution),
        item("leasehold:kata:acquire-with-fencing:aside-1", &old),
        item("leasehold:kata:storage-gate", &starter),
        item("leasehold:kata:fair-lock", &old),
        item("leasehold:layout:chapter", "0.4"),
        item(LEVELS_KEY, &levels()),
        item(past::KEY, &rows::text(sessions().iter().flat_map(Entry::rows).collect())),
        item("leasehold:settings", r#"{"version":1,"theme":"dark"}"#),
    ]
}

/// What lies in the browser before.
fn here() -> Vec<Item> {
    let item = |key: &str, text: String| (key.to_owned(), text);
    vec![
        item("leasehold:kata:acquire-with-fencing", record("class LockManager: pass\n", 9, Progress::default())),
        item("leasehold:kata:acquire-with-fencing:aside-1", record("older = True\n", 2, Progress::default())),
        item("leasehold:kata:storage-gate", record("mine = 1\n", 1, solved())),
        item("leasehold:kata:fair-lock", "what can't be read".to_owned()),
        item("leasehold:layout:chapter", "0.5".to_owned()),
        item(LEVELS_KEY, r#"{"version":1,"levels":{"first-pause":{"best":2,"told":true}}}"#.to_owned()),
        item(past::KEY, rows::text(Vec::new())),
        item("leasehold:settings", r#"{"version":1,"theme":"light"}"#.to_owned()),
    ]
}

/// What was typed, and what code said, stands in the report as text.
fn is_a_report(markdown: &str) -> Result<(), String> {
    let mut titles = 0;
    for event in Parser::new(markdown) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => titles += 1,
            Event::Html(html) | Event::InlineHtml(html) => return Err(format!("the report holds HTML: {html}")),
            Event::Start(Tag::Link { dest_url, .. }) if !dest_url.starts_with("https://example.org/#/") => {
                return Err(format!("the report holds a link to {dest_url}"));
            }
            _ => {}
        }
    }
    holds("a report has one title", titles == 1)
}
