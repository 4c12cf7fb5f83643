//! What page and worker say to each other: JSON texts, so that either side can be tested with a string.

use leasehold_checker::report::Report;
use serde::{Deserialize, Serialize};

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
}

/// Worker to page.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
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
    /// A run ended the interpreter.
    Crashed {
        /// The order's.
        id: u32,
        /// Why, as the browser put it.
        message: String,
    },
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
    fn a_report_comes_as_json_inside_the_message() {
        let text =
            r#"{"type":"report","id":7,"report":{"version":1,"kata":"k","verdict":"failed","tests":[],"output":""}}"#;
        let Message::Report { id: 7, report } = serde_json::from_str(text).unwrap() else { panic!("not a report") };
        assert_eq!(*report, Report::of("k", Vec::new(), String::new()));
    }

    #[test]
    fn progress_and_bare_messages_are_read() {
        let read = |text| serde_json::from_str::<Message>(text).unwrap();
        assert_eq!(read(r#"{"type":"progress","received":1,"total":2}"#), Message::Progress { received: 1, total: 2 });
        assert_eq!(read(r#"{"type":"ready"}"#), Message::Ready);
    }
}
