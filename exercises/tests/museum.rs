//! Holds the museum of real bugs against the katas and the engine: each card shows a wrong solution that is made like the
//! report that it retells, in a test that it fails.

use leasehold_checker::report::Outcome;
use leasehold_checker::suites;
use leasehold_exercises::{Chapter, Drawing, Entry, hall, museum, wrong};
use std::collections::BTreeSet;

/// A page, the line of a card on it, and the card's kata, test and program.
type Card = (&'static Chapter, &'static Entry, [&'static str; 3]);

fn cards() -> Vec<Card> {
    let mut all = Vec::new();
    for page in museum() {
        let below = format!("#/museum/{}/", page.slug);
        let lines: Vec<&Entry> = hall().iter().filter(|entry| entry.address.starts_with(&below)).collect();
        assert_eq!(lines.len(), page.pictures.len(), "{}: as many cards as pictures", page.slug);
        for (line, picture) in lines.into_iter().zip(page.pictures) {
            let Drawing::Run { kata, test, source } = picture.drawing else { panic!("{}: no run", line.address) };
            all.push((page, line, [kata, test, source]));
        }
    }
    all
}

#[test]
fn there_are_at_least_twenty_reports_and_none_twice() {
    let reports: BTreeSet<&str> = cards().iter().map(|(_, line, _)| line.facts).collect();
    assert!(reports.len() >= 20, "{} reports", reports.len());
    assert_eq!(reports.len(), cards().len());
    assert_eq!(hall()[0].facts, format!("{} public reports", reports.len()));
}

#[test]
fn each_card_shows_a_wrong_solution_that_names_its_report() {
    for (_, line, [kata, _, source]) in cards() {
        let program = wrong(kata).iter().find(|program| program.source == source);
        let named = program.and_then(|program| program.report).expect("the build script saw to it");
        let (repo, number) = line.facts.split_once('#').expect("owner/repo#number");
        let names = |between: &str| {
            let rest = named.strip_prefix(repo).and_then(|rest| rest.strip_prefix(between));
            rest.is_some_and(|rest| rest == number || rest.starts_with(&format!("{number} (")))
        };
        assert!(names("#") || names(" PR #"), "{}: {named}", line.address);
    }
}

#[test]
fn each_card_shows_a_run_that_breaks_a_rule() {
    let mut breaches = Vec::new();
    for (_, line, [kata, test, source]) in cards() {
        let report = suites::check(kata, source).expect("a suite");
        let Some(shown) = report.tests.iter().find(|shown| shown.name == test) else {
            breaches.push(format!("{}: {kata} has no test {test}", line.address));
            continue;
        };
        let events = shown.trace.as_ref().map_or(0, |trace| trace.events.len());
        if !matches!(shown.outcome, Outcome::Failed | Outcome::Error) || !(3..=80).contains(&events) {
            breaches.push(format!("{}: {test} is {:?} in {events} events", line.address, shown.outcome));
        }
        if shown.replay.is_none() {
            breaches.push(format!("{}: {test} can't be replayed", line.address));
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn each_card_can_be_gone_to_and_leads_to_its_report() {
    for (page, line, [kata, ..]) in cards() {
        let html = page.parts.concat();
        let id = line.address.rsplit('/').next().unwrap_or_default();
        let (_, card) =
            html.split_once(&format!(r#"<h2 id="{id}" "#)).unwrap_or_else(|| panic!("{} is not there", line.address));
        let card = card.split("<h2").next().unwrap_or_default();
        let (repo, number) = line.facts.split_once('#').expect("owner/repo#number");
        let links: Vec<&str> =
            card.split("<a href=\"").skip(1).filter_map(|rest| rest.split_once('>').map(|(link, _)| link)).collect();
        let [report, own, of_kata] = links[..] else { panic!("{}: {links:?}", line.address) };
        let leads = |kind: &str| report == format!(r#"https://github.com/{repo}/{kind}/{number}" rel="noreferrer""#);
        assert!(leads("issues") || leads("pull"), "{}: {report}", line.address);
        assert_eq!((own, of_kata), ("#/shared\"", format!("#/kata/{kata}\"").as_str()), "{}", line.address);
    }
}

#[test]
fn the_pages_follow_each_other_behind_the_contents() {
    let mut expected: Vec<&str> = vec![hall()[0].address];
    expected.extend(hall().iter().map(|entry| entry.address).filter(|address| address.split('/').count() == 3));
    assert_eq!(expected[0], "#/museum");
    assert_eq!(expected.len(), museum().len() + 1);
    for (i, page) in museum().iter().enumerate() {
        assert_eq!(expected[i + 1], format!("#/museum/{}", page.slug));
        assert_eq!(page.previous.map(|link| link.address), Some(expected[i]));
        assert_eq!(page.next.map(|link| link.address), expected.get(i + 2).copied());
    }
}

#[test]
fn a_page_is_read_in_the_time_that_it_names() {
    for page in museum() {
        let html = page.parts.concat();
        let text: String = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
        let words = text.split_whitespace().count();
        let minutes = page.facts.split(' ').rev().find_map(|word| word.parse::<usize>().ok()).expect("minutes");
        assert!(minutes >= words.div_ceil(200), "{}: {words} words in {minutes} minutes", page.slug);
    }
}
