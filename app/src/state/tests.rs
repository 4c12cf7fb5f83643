use super::*;
use crate::protocol::Story;
use crate::timeline::fixtures;
use leasehold_checker::report::Verdict;

fn fresh() -> State {
    State::new(&leasehold_exercises::katas()[0], Restored::Nothing)
}

pub(super) fn ready() -> State {
    let mut state = fresh();
    assert_eq!(state.update(Msg::Wide), [Effect::StartEngine]);
    state.update(Msg::Heard(Message::Ready));
    state
}

pub(super) fn test(name: &str, outcome: Outcome) -> TestReport {
    TestReport {
        name: name.to_owned(),
        outcome,
        message: String::new(),
        line: Some(3),
        column: None,
        traceback: None,
        replay: None,
        search: None,
        trace: Some(Story::of(&fixtures::takeover())),
    }
}

pub(super) fn report(tests: Vec<TestReport>) -> Message {
    Message::Report { id: 1, report: Box::new(Report::of("k", tests, String::new())) }
}

#[test]
fn a_run_pressed_while_the_interpreter_loads_waits_for_it_and_then_goes_once() {
    let mut state = fresh();
    state.update(Msg::Wide);
    assert_eq!(state.update(Msg::Run), []);
    assert_eq!(state.update(Msg::Run), []);
    assert!(state.queued);
    state.update(Msg::Heard(Message::Progress { received: 1, total: 2 }));
    state.update(Msg::Heard(Message::Starting));
    assert_eq!(state.update(Msg::Heard(Message::Ready)), [Effect::Send { id: 1 }]);
    assert!(!state.queued);
}

#[test]
fn restored_code_is_not_run() {
    let restored = Restored::Code { code: "x = 1".into(), starter_changed: false };
    let mut state = State::new(&leasehold_exercises::katas()[0], restored);
    assert_eq!(state.code, "x = 1");
    assert_eq!(state.update(Msg::Wide), [Effect::StartEngine]);
    assert_eq!(state.update(Msg::Heard(Message::Ready)), []);
}

#[test]
fn a_run_pressed_during_a_run_is_done_after_it() {
    let mut state = ready();
    assert_eq!(state.update(Msg::Run), [Effect::Send { id: 1 }]);
    assert_eq!(state.update(Msg::Run), []);
    let effects = state.update(Msg::Heard(report(vec![test("t", Outcome::Passed)])));
    assert!(effects.contains(&Effect::Send { id: 2 }));
}

#[test]
fn the_first_failure_is_opened_at_the_event_that_broke_the_rule() {
    let mut state = ready();
    state.update(Msg::Run);
    state.update(Msg::Heard(report(vec![
        test("one", Outcome::Passed),
        test("two", Outcome::Failed),
        test("three", Outcome::Error),
    ])));
    let result = state.result.as_ref().unwrap();
    assert_eq!(result.report.verdict, Verdict::Failed);
    assert_eq!(result.selected, Selection::Test(1));
    assert_eq!(state.announcement, "1 of 3 tests passed. First to look at: Two.");
}

#[test]
fn when_all_pass_the_story_is_shown() {
    let mut state = ready();
    state.update(Msg::Run);
    let story = test(STORY, Outcome::Passed);
    state.update(Msg::Heard(report(vec![test("one", Outcome::Passed), story])));
    let result = state.result.as_ref().unwrap();
    assert_eq!(result.selected, Selection::Test(1));
    assert_eq!(state.announcement, "All 2 tests passed.");
}

#[test]
fn where_no_test_tells_that_story_the_last_run_that_can_be_looked_at_is_shown() {
    let mut state = ready();
    state.update(Msg::Run);
    let bare = TestReport { trace: None, ..test("three", Outcome::Passed) };
    state.update(Msg::Heard(report(vec![test("one", Outcome::Passed), test("two", Outcome::Passed), bare])));
    assert_eq!(state.result.as_ref().unwrap().selected, Selection::Test(1));
}

#[test]
fn a_run_past_the_watchdog_gets_a_new_interpreter_and_a_notice() {
    let mut state = ready();
    state.update(Msg::Run);
    assert_eq!(state.update(Msg::TimedOut(1)), [Effect::StartEngine]);
    assert_eq!(state.notices, [Notice::TimedOut { message: String::new() }]);
    // Its late answer counts for nothing.
    assert_eq!(state.update(Msg::Heard(report(vec![test("one", Outcome::Passed)]))), []);
    assert!(state.result.is_none());
    state.update(Msg::Heard(Message::Ready));
    assert_eq!(state.update(Msg::Run), [Effect::Send { id: 2 }]);
    assert_eq!(state.notices, []);
}

#[test]
fn a_run_that_gives_signs_goes_on_and_the_last_one_is_told_when_it_hangs() {
    let mut state = ready();
    state.update(Msg::Run);
    let alive = |id, message: &str| Msg::Heard(Message::Alive { id, message: message.into() });
    assert_eq!(state.update(alive(1, "one: it was busy.")), [Effect::Watch { id: 1 }]);
    assert_eq!(state.update(Msg::Waited(1)), [Effect::Grace { id: 1 }], "messages that wait come first");
    assert_eq!(state.update(alive(1, "two: it was busy.")), [Effect::Watch { id: 1 }]);
    assert_eq!(state.update(alive(7, "of another run")), []);
    assert_eq!(state.update(Msg::TimedOut(1)), [Effect::StartEngine]);
    assert!(state.notices[0].text().starts_with("two: it was busy. A fresh interpreter"));
    assert_eq!(state.update(Msg::Waited(1)), []);
}

#[test]
fn a_report_on_code_that_was_edited_during_its_run_is_outdated() {
    let mut state = ready();
    state.update(Msg::Run);
    state.update(Msg::Edited("x".into()));
    state.update(Msg::Heard(report(vec![test("one", Outcome::Passed)])));
    assert!(state.result.unwrap().outdated);
}

#[test]
fn a_watchdog_of_a_run_that_ended_is_nothing() {
    let mut state = ready();
    state.update(Msg::Run);
    state.update(Msg::Heard(report(vec![test("one", Outcome::Passed)])));
    assert_eq!(state.update(Msg::TimedOut(1)), []);
}

#[test]
fn a_crash_in_a_run_restarts_and_a_crash_while_loading_asks() {
    let mut state = ready();
    state.update(Msg::Run);
    let crashed = Message::Crashed { id: 1, message: "unreachable".into() };
    assert_eq!(state.update(Msg::Heard(crashed)), [Effect::StartEngine]);
    assert!(state.notices[0].text().starts_with("The run ended the interpreter (unreachable)."));
    assert_eq!(state.update(Msg::Heard(Message::Failed { message: "offline".into() })), []);
    assert_eq!(state.engine, EngineState::Failed { message: "offline".into() });
    assert_eq!(state.update(Msg::Retry), [Effect::StartEngine]);
}

#[test]
fn reset_is_undone_until_the_next_edit() {
    let mut state = fresh();
    assert_eq!(state.update(Msg::Edited("mine".into())), [Effect::Save]);
    assert_eq!(state.update(Msg::Reset), [Effect::ReplaceText, Effect::Save]);
    assert_eq!(state.code, state.kata.starter);
    assert_eq!(state.update(Msg::UndoReset), [Effect::ReplaceText, Effect::Save]);
    assert_eq!(state.code, "mine");
    state.update(Msg::Reset);
    state.update(Msg::Edited("new".into()));
    assert_eq!(state.update(Msg::UndoReset), []);
    assert_eq!(state.code, "new");
}

#[test]
fn a_step_marks_its_line_until_the_text_is_another_one() {
    let mut state = ready();
    state.update(Msg::Run);
    state.update(Msg::Heard(report(vec![test("one", Outcome::Failed)])));
    assert_eq!(state.update(Msg::AtLine(7)), [Effect::MarkStep(Some(7))]);
    assert_eq!(state.update(Msg::AtLine(0)), [Effect::MarkStep(None)]);
    state.update(Msg::Edited("x".into()));
    assert_eq!(state.update(Msg::AtLine(7)), [Effect::MarkStep(None)]);
}

#[test]
fn storage_trouble_is_told_once() {
    let mut state = fresh();
    state.update(Msg::NotSaved(SaveError::Full));
    state.update(Msg::NotSaved(SaveError::Full));
    assert_eq!(state.notices, [Notice::Full]);
    state.update(Msg::Dismiss(Notice::Full));
    assert_eq!(state.notices, []);
}

#[test]
fn hints_open_one_by_one_and_end() {
    let mut state = fresh();
    let all = state.kata.hints.len();
    for expected in (1..=all).chain([all]) {
        state.update(Msg::Hint);
        assert_eq!(state.hints, expected);
    }
}
