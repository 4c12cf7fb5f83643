use super::*;
use crate::storage::{Progress, RECORD_VERSION, fingerprint};

/// A browser that has room for so many bytes.
struct Room {
    items: Vec<Item>,
    most: usize,
}

impl Store for Room {
    fn get(&self, key: &str) -> Option<String> {
        self.items.iter().find(|(k, _)| k == key).map(|(_, text)| text.clone())
    }

    fn set(&mut self, key: &str, text: &str) -> bool {
        let others: usize = self.items.iter().filter(|(k, _)| k != key).map(|(k, t)| k.len() + t.len()).sum();
        if others + key.len() + text.len() > self.most {
            return false;
        }
        self.remove(key);
        self.items.push((key.into(), text.into()));
        self.items.sort();
        true
    }

    fn remove(&mut self, key: &str) {
        self.items.retain(|(k, _)| k != key);
    }
}

fn room(items: &[(&str, &str)]) -> Room {
    let mut items: Vec<Item> = items.iter().map(|(key, text)| ((*key).into(), (*text).into())).collect();
    items.sort();
    Room { items, most: usize::MAX }
}

fn record(code: &str, revision: u32, attempts: u32) -> String {
    let progress = Progress { attempts, ..Progress::default() };
    let record =
        Record { version: RECORD_VERSION, revision, starter_hash: fingerprint("s"), code: code.into(), progress };
    serde_json::to_string(&record).unwrap()
}

fn planned(file: &[(&str, &str)], here: &Room) -> Vec<Step> {
    let items = file.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
    plan(items, |key| here.get(key))
}

const GATE: &str = "leasehold:kata:storage-gate";

#[test]
fn a_file_comes_back_as_it_was_written() {
    let items: Vec<Item> = vec![("leasehold:a".into(), "x\n\"ü\"\u{0}".into()), ("leasehold:b".into(), String::new())];
    assert_eq!(read(&write(&items)), Ok(items.clone()));
    assert_eq!(read(&["\u{feff}", &write(&items)].concat()), Ok(items));
    assert_eq!(read(&write(&[])), Ok(Vec::new()));
}

#[test]
fn a_file_that_is_none_of_ours_has_its_own_sentence() {
    for (text, trouble) in [
        ("", Trouble::Damaged),
        ("print(1)", Trouble::Damaged),
        ("[]", Trouble::Damaged),
        (r#"{"leasehold":"progress","version":1,"items":{"leasehold:a":"x"#, Trouble::Damaged),
        (r#"{"leasehold":"progress","version":1,"items":{"leasehold:a":5}}"#, Trouble::Damaged),
        (r#"{"leasehold":"progress","version":1}"#, Trouble::Damaged),
        (r#"{"leasehold":"progress"}"#, Trouble::Damaged),
        (r#"{"leasehold":"progress","version":2,"items":[]}"#, Trouble::OtherVersion),
        (r#"{"version":1,"items":{}}"#, Trouble::Foreign),
        (r#"{"leasehold":"progress","version":1,"items":{"other:a":"x"}}"#, Trouble::Foreign),
        (r#"{"leasehold":"progress","version":1,"items":{"leasehold:":"x"}}"#, Trouble::Foreign),
    ] {
        assert_eq!(read(text), Err(trouble), "{text}");
    }
    assert_eq!(read(&" ".repeat(MOST as usize + 1)), Err(Trouble::TooLarge));
}

#[test]
fn what_is_not_here_is_new_and_what_is_the_same_changes_nothing() {
    let here = room(&[("leasehold:settings", "a"), (GATE, &record("x", 1, 1))]);
    let steps = planned(
        &[
            ("leasehold:settings", "a"),
            ("leasehold:cards", "b"),
            (GATE, &record("x", 9, 1)),
            ("leasehold:layout:c", "4"),
        ],
        &here,
    );
    let fates: Vec<_> = steps.into_iter().map(|step| step.fate).collect();
    assert_eq!(fates, [Fate::Same, Fate::New, Fate::Same, Fate::New]);
}

#[test]
fn the_same_code_with_more_progress_is_joined_and_runs_are_not_counted_twice() {
    let here = room(&[(GATE, &record("x", 3, 5))]);
    assert_eq!(planned(&[(GATE, &record("x", 1, 7))], &here)[0].fate, Fate::Joined(record("x", 3, 7)));
}

#[test]
fn an_untouched_starter_makes_way_for_code() {
    let here = room(&[(GATE, &record("s", 0, 2))]);
    assert_eq!(planned(&[(GATE, &record("x", 4, 1))], &here)[0].fate, Fate::Joined(record("x", 5, 2)));
    let here = room(&[(GATE, &record("x", 4, 1))]);
    assert_eq!(planned(&[(GATE, &record("s", 0, 2))], &here)[0].fate, Fate::Joined(record("x", 4, 2)));
}

#[test]
fn where_both_differ_nothing_is_lost_whichever_is_taken() {
    let mut here = room(&[(GATE, &record("mine", 3, 5))]);
    let steps = planned(&[(GATE, &record("theirs", 8, 1))], &here);
    assert!(carry_out(&steps, &[false], &mut here));
    assert_eq!(here.items, room(&[(GATE, &record("mine", 3, 5))]).items);
    assert!(carry_out(&steps, &[true], &mut here));
    let aside = [GATE, ":aside-1"].concat();
    let after = room(&[(GATE, &record("theirs", 9, 5)), (&aside, &record("mine", 3, 5))]);
    assert_eq!(here.items, after.items);
}

#[test]
fn a_record_that_cannot_be_read_is_left_out_or_set_aside() {
    let here = room(&[(GATE, "{damaged")]);
    assert_eq!(planned(&[(GATE, "{other")], &here)[0].fate, Fate::LeftOut);
    let steps = planned(&[(GATE, &record("x", 1, 1))], &here);
    assert!(matches!(steps[0].fate, Fate::Differs { .. }));
}

#[test]
fn what_was_set_aside_there_is_set_aside_here_under_a_free_key() {
    let aside = "leasehold:levels:aside-1";
    let mut here = room(&[(aside, "mine")]);
    let steps = planned(&[(aside, "theirs")], &here);
    assert!(carry_out(&steps, &[false], &mut here));
    assert!(carry_out(&steps, &[false], &mut here));
    assert_eq!(here.items, room(&[(aside, "mine"), ("leasehold:levels:aside-2", "theirs")]).items);
}

#[test]
fn where_there_is_no_room_for_all_of_it_nothing_changes() {
    let items = [(GATE, record("mine", 3, 5)), ("leasehold:a", "old".to_owned())];
    let items: Vec<(&str, &str)> = items.iter().map(|(key, text)| (*key, text.as_str())).collect();
    for most in 0..700 {
        let mut here = room(&items);
        let size: usize = here.items.iter().map(|(k, t)| k.len() + t.len()).sum();
        here.most = size + most;
        let before = here.items.clone();
        let steps = planned(&[("leasehold:a", "newer"), ("leasehold:b", "x"), (GATE, &record("theirs", 8, 9))], &here);
        if !carry_out(&steps, &[true; 3], &mut here) {
            assert_eq!(here.items, before, "{most}");
        }
    }
}

#[test]
fn any_text_is_read_or_refused_and_never_a_panic() {
    let mut below = crate::noise::below(11);
    let here = room(&[(GATE, &record("mine", u32::MAX, u32::MAX)), ("leasehold:levels", "{}")]);
    let good = write(&[(GATE.into(), record("x", u32::MAX, 1)), ("leasehold:levels".into(), "{\"version\":1}".into())]);
    let letters: Vec<char> = "{}[]\":,\\u0nulleasehold:kata1.5e9-ü\u{0}".chars().collect();
    for _ in 0..3_000 {
        let (from, length) = (below(good.len()), below(12));
        let noise: String = (0..length).map(|_| letters[below(letters.len())]).collect();
        let to = (from + below(12)).min(good.len());
        let text = [&good[..from], &noise, &good[to..]].concat();
        if let Ok(items) = read(&text) {
            let steps = plan(items, |key| here.get(key));
            let mut store = room(&[(GATE, &record("mine", 1, 1))]);
            assert!(carry_out(&steps, &vec![true; steps.len()], &mut store));
        }
        let _ = (read(&noise), fate(GATE, &noise, Some(&text)), readable(&noise));
    }
}

#[test]
fn that_something_was_replaced_is_said_only_if_something_was() {
    let here = room(&[("leasehold:a", "mine"), ("leasehold:b", "same")]);
    let steps = planned(&[("leasehold:a", "theirs"), ("leasehold:b", "same"), ("leasehold:c", "new")], &here);
    assert!(!replaces(&steps, &[false, true, true]));
    assert!(replaces(&steps, &[true, false, false]));
}
