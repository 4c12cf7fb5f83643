//! Searching deeper: the last test's search once more, further than the suite goes by itself. It belongs to the shown
//! report and to the source that was judged there, whatever is in the editor by now.

use super::{Effect, EngineState, Notice, Selection, State};
use crate::protocol::{Order, Report, TestReport};
use crate::words;
use leasehold_checker::report::{Outcome, Search};
use std::rc::Rc;

/// A search under way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deeper {
    /// The order's number.
    pub id: u32,
    /// How far it is.
    pub reached: Search,
    /// How many schedules of its present round are to come, if that is known.
    pub left: Option<u64>,
}

impl Deeper {
    /// How many of how many schedules were tried, once it is known how many there are: in the last round.
    pub fn share(&self) -> Option<(u64, u64)> {
        let Search { bound, complete_to, schedules, .. } = self.reached;
        let left = self.left.filter(|_| complete_to + 1 == bound)?;
        Some((schedules, schedules + left))
    }
}

/// The bound of the search that can follow a passed one.
pub fn next_bound(test: &TestReport) -> Option<u32> {
    let search = test.search.as_ref().filter(|_| test.outcome == Outcome::Passed)?;
    // The suite's own search may have ended short of its bound.
    Some(search.complete_to + 1)
}

impl State {
    pub(super) fn search_deeper(&mut self) -> Vec<Effect> {
        let Some(test) =
            self.result.as_ref().and_then(|result| result.report.tests.iter().find(|t| t.search.is_some()))
        else {
            return Vec::new();
        };
        let (Some(bound), Some(search), EngineState::Ready) = (next_bound(test), &test.search, &self.engine) else {
            return Vec::new();
        };
        let reached = Search { bound, by: search.by, complete: false, complete_to: 0, schedules: 0 };
        self.last_id += 1;
        self.notices.retain(|n| !n.is_of_a_run());
        // So that the end is told even if it is the same as the last one.
        self.announcement.clear();
        self.engine = EngineState::Searching(Deeper { id: self.last_id, reached, left: None });
        vec![Effect::Search { id: self.last_id }]
    }

    /// What [`Effect::Search`] has sent.
    pub fn order_of_search(&self) -> Option<Order<'_>> {
        let EngineState::Searching(Deeper { id, reached, .. }) = &self.engine else { return None };
        let source = &self.result.as_ref()?.source;
        Some(Order::Deeper { id: *id, kata: self.kata.slug, source, bound: reached.bound })
    }

    pub(super) fn cancel_search(&mut self) -> Vec<Effect> {
        let EngineState::Searching(Deeper { id, .. }) = self.engine else { return Vec::new() };
        self.engine = EngineState::Ready;
        "The search was cancelled.".clone_into(&mut self.announcement);
        vec![Effect::Cancel { id }]
    }

    pub(super) fn tried(&mut self, id: u32, reached: Search, left: Option<u64>) -> Vec<Effect> {
        if !self.engine.is_busy_with(id) {
            return Vec::new();
        }
        self.engine = EngineState::Searching(Deeper { id, reached, left });
        vec![Effect::Watch { id }]
    }

    pub(super) fn searched(&mut self, id: u32, test: TestReport) -> Vec<Effect> {
        if !self.engine.is_busy_with(id) {
            return Vec::new();
        }
        self.engine = EngineState::Ready;
        let Some(result) = &mut self.result else { return Vec::new() };
        let Some(at) = result.report.tests.iter().position(|t| t.search.is_some()) else { return Vec::new() };
        let passed = test.outcome == Outcome::Passed;
        let mut tests = result.report.tests.clone();
        let coverage = test.search.as_ref().map(|search| words::coverage(search, test.outcome)).unwrap_or_default();
        tests[at] = test;
        let report = Report::of(&result.report.kata, tests, result.report.output.clone());
        if passed {
            self.announcement = format!("The search ended: no rule was broken. {coverage}");
            result.report = Rc::new(report);
            return Vec::new();
        }
        self.announcement = words::verdict(&report);
        result.report = Rc::new(report);
        result.selected = Selection::Test(at);
        // Lines of what was searched are not lines of what was typed since.
        let mark = (!result.outdated).then_some(Effect::MarkProblem);
        mark.into_iter().chain([Effect::MarkStep(None)]).collect()
    }
}

impl EngineState {
    /// Whether it works on the order of this number.
    pub(super) fn is_busy_with(&self, order: u32) -> bool {
        matches!(self, EngineState::Running { id } | EngineState::Searching(Deeper { id, .. }) if *id == order)
    }
}

impl Notice {
    /// Whether it is about a run or a search, and gone with the next one.
    pub(super) fn is_of_a_run(&self) -> bool {
        matches!(self, Notice::TimedOut { .. } | Notice::Silent | Notice::Crashed { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ready, report, test};
    use super::*;
    use crate::protocol::Message;
    use crate::state::{Msg, RunResult};
    use leasehold_checker::report::{Bound, Verdict};

    fn search(bound: u32, complete_to: u32, schedules: u64) -> Search {
        Search { bound, by: Bound::Operations, complete: bound == complete_to, complete_to, schedules }
    }

    fn passed_to(bound: u32) -> TestReport {
        TestReport { search: Some(search(bound, bound, 1_000)), trace: None, ..test("search", Outcome::Passed) }
    }

    fn searched(id: u32, test: TestReport) -> Msg {
        Msg::Heard(Message::Searched { id, test: Box::new(test) })
    }

    fn failed_at(bound: u32) -> TestReport {
        TestReport { search: Some(search(bound, bound - 1, 5_000)), ..test("search", Outcome::Failed) }
    }

    fn result(state: &State) -> &RunResult {
        state.result.as_ref().unwrap()
    }

    /// After a run (number 1) of "the code" that passed, its search complete to 4.
    fn passed() -> State {
        let mut state = ready();
        state.update(Msg::Edited("the code".into()));
        state.update(Msg::Run);
        state.update(Msg::Heard(report(vec![test("one", Outcome::Passed), passed_to(4)])));
        state
    }

    /// The same with a search (number 2) under way.
    fn searching() -> State {
        let mut state = passed();
        assert_eq!(state.update(Msg::Deeper), [Effect::Search { id: 2 }]);
        state
    }

    #[test]
    fn a_search_goes_one_further_than_the_shown_one_in_the_source_that_was_judged() {
        let mut state = passed();
        state.update(Msg::Edited("other code".into()));
        state.update(Msg::Deeper);
        let order = Order::Deeper { id: 2, kata: state.kata.slug, source: "the code", bound: 5 };
        assert_eq!(state.order_of_search(), Some(order));
    }

    #[test]
    fn only_a_search_that_passed_can_go_further_and_only_while_nothing_else_runs() {
        assert_eq!(next_bound(&passed_to(4)), Some(5));
        assert_eq!(next_bound(&failed_at(4)), None);
        assert_eq!(next_bound(&test("no search", Outcome::Passed)), None);
        // It ended short of its bound.
        assert_eq!(next_bound(&TestReport { search: Some(search(4, 2, 9)), ..passed_to(4) }), Some(3));
        assert_eq!(ready().update(Msg::Deeper), []);
        assert_eq!(searching().update(Msg::Deeper), []);
        let mut running = passed();
        running.update(Msg::Run);
        assert_eq!(running.update(Msg::Deeper), []);
    }

    #[test]
    fn a_search_that_passes_takes_its_place_in_the_report_and_can_go_further_again() {
        let mut state = searching();
        state.update(Msg::Select(Selection::Test(1)));
        assert_eq!(state.update(searched(2, passed_to(5))), []);
        let RunResult { report, selected, id, outdated, .. } = result(&state);
        assert_eq!((*id, *selected, *outdated), (1, Selection::Test(1), false));
        assert_eq!((report.verdict, &report.tests[1]), (Verdict::Passed, &passed_to(5)));
        assert!(
            state
                .announcement
                .ends_with("Every schedule of up to 5 operations was tried, and longer ones: 1,000 in all.")
        );
        assert_eq!(state.update(Msg::Deeper), [Effect::Search { id: 3 }]);
        assert!(matches!(state.order_of_search(), Some(Order::Deeper { bound: 6, .. })));
    }

    #[test]
    fn a_search_that_fails_is_selected_where_it_breaks_and_told() {
        let mut state = searching();
        assert_eq!(result(&state).selected, Selection::Test(0));
        assert_eq!(state.update(searched(2, failed_at(5))), [Effect::MarkProblem, Effect::MarkStep(None)]);
        let RunResult { report, selected, .. } = result(&state);
        assert_eq!((report.verdict, *selected), (Verdict::Failed, Selection::Test(1)));
        assert_eq!(state.announcement, "1 of 2 tests passed. First to look at: Search.");
        assert_eq!(state.update(Msg::Deeper), []);
    }

    #[test]
    fn code_edited_during_a_search_outdates_what_it_finds() {
        let mut state = searching();
        state.update(Msg::Edited("other code".into()));
        assert_eq!(state.update(searched(2, failed_at(5))), [Effect::MarkStep(None)]);
        assert!(result(&state).outdated);
    }

    #[test]
    fn cancelling_keeps_the_report_as_it_was() {
        let mut state = searching();
        let before = result(&state).report.clone();
        assert_eq!(state.update(Msg::Cancel), [Effect::Cancel { id: 2 }]);
        assert_eq!(state.engine, EngineState::Ready);
        assert!(Rc::ptr_eq(&result(&state).report, &before));
        assert_eq!(state.update(Msg::Cancel), []);
    }

    #[test]
    fn a_run_ends_the_search_and_runs_at_once() {
        let mut state = searching();
        assert_eq!(state.update(Msg::Run), [Effect::Send { id: 3 }, Effect::Save]);
        assert_eq!(state.engine, EngineState::Running { id: 3 });
    }

    #[test]
    fn what_a_search_that_was_given_up_says_counts_for_nothing() {
        let mut cancelled = searching();
        cancelled.update(Msg::Cancel);
        let mut overtaken = searching();
        overtaken.update(Msg::Run);
        let mut replaced = searching();
        replaced.update(Msg::Cancel);
        replaced.update(Msg::Deeper);
        for mut state in [cancelled, overtaken, replaced] {
            let (engine, report) = (state.engine.clone(), result(&state).report.clone());
            let tried = Message::Tried { id: 2, reached: search(5, 4, 9_000), left: None };
            assert_eq!(state.update(Msg::Heard(tried)), []);
            assert_eq!(state.update(searched(2, failed_at(5))), []);
            assert_eq!(state.update(Msg::Heard(Message::Crashed { id: 2, message: String::new() })), []);
            assert_eq!(state.update(Msg::TimedOut(2)), []);
            assert_eq!(state.engine, engine);
            assert!(Rc::ptr_eq(&result(&state).report, &report));
        }
    }

    #[test]
    fn the_watchdog_of_a_search_is_for_silence() {
        let mut state = searching();
        for schedules in 1..100 {
            let tried = Message::Tried { id: 2, reached: search(5, 4, schedules), left: None };
            assert_eq!(state.update(Msg::Heard(tried)), [Effect::Watch { id: 2 }]);
        }
        assert_eq!(state.announcement, "");
        let before = result(&state).report.clone();
        assert_eq!(state.update(Msg::TimedOut(2)), [Effect::StartEngine]);
        assert_eq!(state.notices, [Notice::Silent]);
        assert!(Rc::ptr_eq(&result(&state).report, &before));
        // The next one puts the notice away.
        state.update(Msg::Heard(Message::Ready));
        state.update(Msg::Deeper);
        assert_eq!(state.notices, []);
    }

    #[test]
    fn a_crash_in_a_search_gets_a_new_interpreter_and_keeps_the_report() {
        for message in [
            Message::Crashed { id: 2, message: "unreachable".into() },
            Message::Failed { message: "unreachable".into() },
        ] {
            let mut state = searching();
            let before = result(&state).report.clone();
            assert_eq!(state.update(Msg::Heard(message)), [Effect::StartEngine]);
            assert_eq!(state.notices, [Notice::Crashed { message: "unreachable".into() }]);
            assert!(Rc::ptr_eq(&result(&state).report, &before));
        }
    }

    #[test]
    fn a_share_is_known_in_the_last_round_only() {
        let deeper = |complete_to, left| Deeper { id: 1, reached: search(3, complete_to, 300), left };
        assert_eq!(deeper(1, Some(50)).share(), None);
        assert_eq!(deeper(2, None).share(), None);
        assert_eq!(deeper(2, Some(100)).share(), Some((300, 400)));
    }
}
