//! Sentences of the progress page. Pure.

use crate::storage::ASIDE;

/// Seconds as one would say them: "under a minute", "25 min", "3 h 05 min".
pub fn duration(seconds: u32) -> String {
    let minutes = seconds / 60;
    match (seconds, minutes / 60) {
        (0, _) => "–".to_owned(),
        (1..60, _) => "under 1 min".to_owned(),
        (_, 0) => [&minutes.to_string(), " min"].concat(),
        (_, hours) => {
            let rest = minutes % 60;
            [hours.to_string().as_str(), if rest < 10 { " h 0" } else { " h " }, &rest.to_string(), " min"].concat()
        }
    }
}

/// What a key is called; `title` knows the titles of katas by slug.
pub fn name(key: &str, title: impl Fn(&str) -> Option<&'static str>) -> String {
    let (base, is_aside) = key.split_once(ASIDE).map_or((key, false), |(base, _)| (base, true));
    let name = match base.strip_prefix("leasehold:").unwrap_or(base) {
        "levels" => "Break it yourself",
        "settings" => "Settings",
        "practice" => "Interview practice",
        "practice:now" => "A session under way",
        "practice:draft" => "An answer that is not judged yet",
        "introduced" => "The introduction",
        "cards" => "Question cards",
        other if other.starts_with("layout:") => "Where the bars between areas stand",
        other => other.strip_prefix("kata:").and_then(title).unwrap_or(other),
    };
    if is_aside { [name, ", set aside"].concat() } else { name.to_owned() }
}

/// How many sessions were held, and how many cards are due.
pub fn practised(sessions: usize, due: usize) -> String {
    let held = match sessions {
        0 => "No session yet.".to_owned(),
        n => count(n, "session held.", "sessions held."),
    };
    match (sessions, due) {
        (0, 0) => held,
        (_, 0) => held + " No card is due.",
        _ => [&held, " ", &count(due, "card is", "cards are"), " due."].concat(),
    }
}

/// A number of things.
pub fn count(n: usize, one: &str, more: &str) -> String {
    [n.to_string().as_str(), " ", if n == 1 { one } else { more }].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::practice::{cards, past, session};

    #[test]
    fn times_are_said_in_minutes_and_hours() {
        let said = [0, 59, 60, 1_500, 3_600, 11_100, 36_000].map(duration);
        assert_eq!(said, ["–", "under 1 min", "1 min", "25 min", "1 h 00 min", "3 h 05 min", "10 h 00 min"]);
    }

    #[test]
    fn keys_have_names() {
        let title = |slug: &str| (slug == "storage-gate").then_some("Storage gate");
        let said = |key| name(key, title);
        assert_eq!(said("leasehold:kata:storage-gate"), "Storage gate");
        assert_eq!(said("leasehold:kata:storage-gate:aside-2"), "Storage gate, set aside");
        assert_eq!(said("leasehold:levels"), "Break it yourself");
        assert_eq!(said("leasehold:practice:draft"), "An answer that is not judged yet");
        assert_eq!(said("leasehold:something"), "something");
    }

    /// A key that is added somewhere gets a name here.
    #[test]
    fn every_key_that_is_written_somewhere_has_words() {
        let written = [
            past::KEY,
            past::DRAFT,
            session::KEY,
            cards::KEY,
            "leasehold:settings",
            "leasehold:levels",
            "leasehold:layout:--chapter",
        ];
        for key in written {
            let said = name(key, |_| None);
            assert!(said.starts_with(char::is_uppercase) && !said.contains(':'), "{key}: {said}");
        }
    }

    #[test]
    fn what_was_practised_is_told_in_a_sentence_or_two() {
        assert_eq!(practised(0, 0), "No session yet.");
        assert_eq!(practised(1, 0), "1 session held. No card is due.");
        assert_eq!(practised(3, 1), "3 sessions held. 1 card is due.");
        assert_eq!(practised(0, 2), "No session yet. 2 cards are due.");
    }
}
