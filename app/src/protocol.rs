//! What page and worker say to each other: JSON texts, so that either side can be tested with a string.

use leasehold_checker::report::{self, Search};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A report whose stories are still the text they came as.
pub type Report = report::Report<Story>;
/// One test of it.
pub type TestReport = report::TestReport<Story>;

/// A trace as JSON. The page passes it on to what draws it ([`crate::pictures`]), which is a program of its own, so that
/// the page is there without it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Story(Box<RawValue>);

impl Story {
    /// The JSON.
    pub fn json(&self) -> &str {
        self.0.get()
    }

    /// For tests.
    #[cfg(test)]
    pub fn of(trace: &leasehold_checker::trace::Trace) -> Self {
        Story(serde_json::value::to_raw_value(trace).unwrap())
    }
}

impl PartialEq for Story {
    fn eq(&self, other: &Self) -> bool {
        self.json() == other.json()
    }
}

impl Eq for Story {}

/// Page to worker.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Order<'a> {
    /// Judge a file.
    Run {
        /// Comes back with the answer.
        id: u32,
        /// The kata's slug.
        kata: &'a str,
        /// The learner's whole file.
        source: &'a str,
    },
    /// Search a file further than its run did, in parts. Ends the search before; a run ends it too.
    Deeper {
        /// Comes back with every answer.
        id: u32,
        /// The kata's slug.
        kata: &'a str,
        /// The learner's whole file.
        source: &'a str,
        /// What to be complete to.
        bound: u32,
    },
    /// Give that search up.
    Cancel {
        /// Its number.
        id: u32,
    },
}

/// Worker to page.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Flat")]
pub enum Message {
    /// So much of the interpreter has come.
    Progress {
        /// Bytes so far, unpacked.
        received: u64,
        /// Bytes in all, 0 if that is not known.
        total: u64,
    },
    /// All bytes are here; the interpreter starts.
    Starting,
    /// Runs are welcome.
    Ready,
    /// The interpreter could not be had.
    Failed {
        /// Why, as the browser put it.
        message: String,
    },
    /// A run's report.
    Report {
        /// The order's.
        id: u32,
        /// The verdict.
        report: Box<Report>,
    },
    /// A search is so far, told at most ten times a second.
    Tried {
        /// The order's.
        id: u32,
        /// How far.
        reached: Search,
        /// How many schedules of its present round are to come, if that is known.
        left: Option<u64>,
    },
    /// A search's report.
    Searched {
        /// The order's.
        id: u32,
        /// The verdict.
        test: Box<TestReport>,
    },
    /// A run or a search goes on.
    Alive {
        /// The order's.
        id: u32,
        /// What to say of it if this was the last sign.
        message: String,
    },
    /// A run or a search ended the interpreter.
    Crashed {
        /// The order's.
        id: u32,
        /// Why, as the browser put it.
        message: String,
    },
}

/// A message as it comes. An enum with a tag would be read twice, by a second copy of all the code that reads a report:
/// some 6 KB of the page.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Flat {
    r#type: String,
    id: u32,
    received: u64,
    total: u64,
    message: String,
    report: Option<Box<Report>>,
    test: Option<Box<TestReport>>,
    reached: Option<Search>,
    left: Option<u64>,
}

impl TryFrom<Flat> for Message {
    type Error = String;

    fn try_from(flat: Flat) -> Result<Self, String> {
        let Flat { r#type, id, received, total, message, report, test, reached, left } = flat;
        Ok(match (r#type.as_str(), report, test, reached) {
            ("progress", ..) => Message::Progress { received, total },
            ("starting", ..) => Message::Starting,
            ("ready", ..) => Message::Ready,
            ("failed", ..) => Message::Failed { message },
            ("report", Some(report), ..) => Message::Report { id, report },
            ("tried", _, _, Some(reached)) => Message::Tried { id, reached, left },
            ("searched", _, Some(test), _) => Message::Searched { id, test },
            ("alive", ..) => Message::Alive { id, message },
            ("crashed", ..) => Message::Crashed { id, message },
            _ => return Err(format!("{type} is no message")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_one_flat_object() {
        let order = Order::Run { id: 7, kata: "k", source: "a\nb" };
        assert_eq!(serde_json::to_string(&order).unwrap(), r#"{"type":"run","id":7,"kata":"k","source":"a\nb"}"#);
    }

    #[test]
    fn orders_of_a_search_are_flat_objects_too() {
        let json = |order: &Order| serde_json::to_string(order).unwrap();
        let deeper = Order::Deeper { id: 7, kata: "k", source: "a", bound: 5 };
        assert_eq!(json(&deeper), r#"{"type":"deeper","id":7,"kata":"k","source":"a","bound":5}"#);
        assert_eq!(json(&Order::Cancel { id: 7 }), r#"{"type":"cancel","id":7}"#);
    }

    #[test]
    fn a_report_comes_as_json_inside_the_message() {
        let text =
            r#"{"type":"report","id":7,"report":{"version":1,"kata":"k","verdict":"failed","tests":[],"output":""}}"#;
        let Message::Report { id: 7, report } = serde_json::from_str(text).unwrap() else { panic!("not a report") };
        assert_eq!(*report, Report::of("k", Vec::new(), String::new()));
    }

    #[test]
    fn a_score_comes_with_the_report_or_not_at_all() {
        let text = r#"{"version":1,"kata":"k","verdict":"failed","tests":[],"output":"","score":{"killed":1,"wrong":2,
            "spared":3,"right":3,"survivors":["one"],"false_alarms":[]}}"#;
        let report: Report = serde_json::from_str(text).unwrap();
        let score = report.score.unwrap();
        assert_eq!((score.killed, score.wrong, score.survivors), (1, 2, vec!["one".to_owned()]));
        let json = serde_json::to_string(&Report::of("k", Vec::new(), String::new())).unwrap();
        assert!(!json.contains("score"));
    }

    #[test]
    fn progress_and_bare_messages_are_read() {
        let read = |text: &str| serde_json::from_str::<Message>(text).unwrap();
        assert_eq!(read(r#"{"type":"progress","received":1,"total":2}"#), Message::Progress { received: 1, total: 2 });
        assert_eq!(read(r#"{"type":"ready"}"#), Message::Ready);
        let search = r#"{"bound":5,"by":"operations","complete":false,"complete_to":4,"schedules":9}"#;
        let text = format!(r#"{{"type":"tried","id":7,"reached":{search},"left":null}}"#);
        let reached = serde_json::from_str(search).unwrap();
        assert_eq!(read(&text), Message::Tried { id: 7, reached, left: None });
    }
}
