//! Whatever lies in the storage, reading it and going on from it never panics.

use super::past;
use super::session::{self, Session};
use super::{Grade, cards, report, rows, times};

/// Numbers that lie on the edge of something.
const EDGES: [&str; 8] = ["0", "1", "-1", "255", "4294967295", "18446744073709551615", "1e300", "1796047500000"];

struct Noise<B>(B);

impl<B: FnMut(usize) -> usize> Noise<B> {
    fn below(&mut self, n: usize) -> usize {
        (self.0)(n)
    }

    /// A stored text with some of it changed.
    fn bent(&mut self, text: &str) -> String {
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(3) {
            let at = self.below(text.len());
            match self.below(4) {
                0 => text.truncate(at),
                1 => drop(text.remove(at)),
                2 => text.insert(at, ['{', '"', '9', 'ü', ',', '\u{0}', 'n'][self.below(7)]),
                // A number becomes another one.
                _ => {
                    let from = (at..text.len()).find(|i| text[*i].is_ascii_digit()).unwrap_or(at);
                    let to = (from..text.len()).find(|i| !text[*i].is_ascii_digit()).unwrap_or(text.len());
                    text.splice(from..to, EDGES[self.below(EDGES.len())].chars());
                }
            }
            if text.is_empty() {
                return String::new();
            }
        }
        text.into_iter().collect()
    }
}

/// The records as they are stored: the session that runs, those that are over, the cards.
fn full() -> [String; 3] {
    let mut session = Session::new("storage-gate", "The storage gate", 25, true, 1_796_047_500_000);
    session.run("x = 1\n", 1_796_047_600_000);
    session.runs[0].all = 3;
    session.pause(1_796_047_700_000);
    session.failed.push(session::Failed { name: "a_b".into(), message: "m".into(), replay: None, drawn: true });
    let running = session.rows();
    let over =
        [running.clone(), vec![rows::row(&["answer", "a/b", "?", "t", "partly"]), rows::row(&["grade", "well"])]]
            .concat();
    let cards = vec![rows::row(&["a/b", "1", "20790", "20787"])];
    [running, over, cards].map(rows::text)
}

fn go_on(mut session: Session, now: u64) {
    let _ = (session.left_s(now), session.wait_s(now), session.used_ms(now));
    session.edit("y", now);
    session.run("y", now);
    let left = session.left_s(now).unsigned_abs();
    let _ = (times::clock(left), times::length(left));
    let entry = past::Entry { session, ..past::Entry::default() };
    let _ = report::markdown(&entry, &[], &report::Here { page: "", behind: -840, book: &[] });
}

#[test]
fn whatever_is_stored_never_panics() {
    let stored = full();
    let mut noise = Noise(crate::noise::below(5));
    let (mut sessions, mut entries, mut kept) = (0, 0, 0);
    for i in 0..6_000 {
        let text = noise.bent(&stored[i % 3]);
        let now = [0, 1_796_047_800_000, u64::MAX][noise.below(3)];
        let Some(rows) = rows::read(&text) else { continue };
        if let Some(Some(session)) = session::read(&rows) {
            sessions += 1;
            go_on(session, now);
        }
        if let Some(past) = past::read(&rows) {
            for entry in past.past {
                entries += 1;
                let _ = (report::file_name(&entry.session, 840), report::time_used(&entry.session), entry.score());
                go_on(entry.session, now);
            }
        }
        if let Some(mut cards) = cards::read(&rows) {
            kept += 1;
            for today in [0, 20_788, u32::MAX] {
                for grade in Grade::ALL {
                    cards.grade("a/b", grade, today);
                }
                let _ = (cards.due(today, &|_| true), cards.next_day(today), cards.is_due("a/b", today));
            }
        }
    }
    assert!(sessions > 100 && entries > 100 && kept > 100, "{sessions} {entries} {kept}: some can still be read");
}
