//! Holds the chapters without code against the engine: every run that a picture asks for can be made, and shows something.

use leasehold_checker::report::Outcome;
use leasehold_checker::suites;
use leasehold_exercises::{Drawing, Question, chapters, contents, katas};

#[test]
fn every_run_that_a_picture_shows_can_be_made() {
    let mut breaches = Vec::new();
    for chapter in chapters() {
        for picture in chapter.pictures {
            let Drawing::Run { kata, test, source } = picture.drawing else { continue };
            let report = suites::check(kata, source);
            let shown = report.iter().flat_map(|report| &report.tests).find(|shown| shown.name == test);
            breaches.extend(match shown {
                None => Some(format!("{}: {kata} has no test {test}", chapter.slug)),
                Some(shown) if shown.trace.as_ref().is_none_or(|trace| trace.events.len() < 3) => {
                    Some(format!("{}: {test} of {kata} shows nothing", chapter.slug))
                }
                Some(shown) if shown.outcome == Outcome::Error => {
                    Some(format!("{}: {test} of {kata}: {}", chapter.slug, shown.message))
                }
                Some(_) => None,
            });
        }
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn the_stories_go_as_their_chapters_tell_them() {
    let ends = |chapter: &str, outcome: Outcome, last: &str| {
        let chapter = chapters().iter().find(|c| c.slug == chapter).expect("it is told");
        let Drawing::Run { kata, test, source } = chapter.pictures[0].drawing else { panic!("no run") };
        let report = suites::check(kata, source).expect("a suite");
        let shown = report.tests.iter().find(|shown| shown.name == test).expect("the test");
        let text = shown.trace.as_ref().map(|trace| trace.text()).unwrap_or_default();
        assert_eq!(shown.outcome, outcome, "{text}");
        let line = text.lines().rfind(|line| line.contains(" writes ") || line.contains(" granted "));
        assert!(line.is_some_and(|line| line.contains(last)), "{text}");
    };
    ends("why-leases-are-dangerous", Outcome::Failed, "A writes report with token 1: accepted (mark 2)");
    ends("the-pause-that-renewal-cannot-fix", Outcome::Passed, "A writes report with token 1: rejected (mark 2)");
    ends("contracts-of-threads-and-handles", Outcome::Passed, "A·work writes report with token 1: rejected (mark 2)");
    ends("what-the-interviewer-asks", Outcome::Failed, "C is granted job with token 3");
}

#[test]
fn a_chapter_is_read_in_a_few_minutes() {
    for chapter in chapters() {
        let words = chapter.parts.iter().map(|part| words(part)).sum::<usize>();
        assert!((400..=900).contains(&words), "{}: {words} words", chapter.slug);
        let minutes: usize = chapter.facts.split(' ').find_map(|word| word.parse().ok()).expect("how long it takes");
        assert!(minutes >= words.div_ceil(200), "{}: {words} words in {minutes} minutes", chapter.slug);
    }
}

#[test]
fn every_page_has_questions_and_those_that_must_be_asked_are_among_them() {
    let of =
        |slug: &'static str, questions: &'static [Question]| questions.iter().map(move |q| [slug, "/", q.id].concat());
    let katas = katas().iter().map(|kata| (kata.slug, kata.questions));
    let pages: Vec<_> = katas.chain(chapters().iter().map(|chapter| (chapter.slug, chapter.questions))).collect();
    assert!(pages.iter().all(|(slug, questions)| !slug.is_empty() && !questions.is_empty()));
    let ids: Vec<String> = pages.into_iter().flat_map(|(slug, questions)| of(slug, questions)).collect();
    assert!(ids.len() >= 60, "{}", ids.len());
    for id in [
        "the-life-of-a-handle/handle-or-bool",
        "renewal-daemon/two-leaders",
        "storage-gate/where-and-why",
        "fair-lock/fair-and-expiring",
        "reentrant-handle/across-processes",
        "choosing-a-ttl/which-ttl",
        "redlock-validity/redlock-or-consensus",
    ] {
        assert_eq!(ids.iter().filter(|other| *other == id).count(), 1, "{id}");
    }
}

/// Words of HTML, without its tags.
fn words(html: &str) -> usize {
    let text: String = html.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect();
    text.split_whitespace().count()
}

#[test]
fn the_contents_name_everything_once_and_neighbours_follow_them() {
    let mut addresses: Vec<&str> = contents().iter().map(|entry| entry.address).collect();
    for (i, address) in addresses.iter().enumerate() {
        let before = i.checked_sub(1).and_then(|i| addresses.get(i).copied());
        let after = addresses.get(i + 1).copied();
        let (kind, slug) = address.trim_start_matches("#/").split_once('/').expect("a kind and a slug");
        let links = match kind {
            "kata" => katas().iter().find(|kata| kata.slug == slug).map(|kata| (kata.previous, kata.next)),
            _ => chapters().iter().find(|chapter| chapter.slug == slug).map(|chapter| (chapter.previous, chapter.next)),
        };
        let (previous, next) = links.unwrap_or_else(|| panic!("{address} leads nowhere"));
        assert_eq!((previous.map(|link| link.address), next.map(|link| link.address)), (before, after), "{address}");
    }
    let all = addresses.len();
    addresses.sort_unstable();
    addresses.dedup();
    assert_eq!((addresses.len(), all), (all, katas().len() + chapters().len()));
}
