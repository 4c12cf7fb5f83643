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
    assert_eq!(state.update(Msg::Heard(Message::Ready)), [Effect::Send { id: 1 }, Effect::Save]);
    assert!(!state.queued);
}

#[test]
fn the_editor_is_opened_in_a_narrow_window_once_and_has_the_focus_then() {
    let mut state = fresh();
    assert_eq!(state.update(Msg::Open), [Effect::StartEngine, Effect::Focus(EDITOR)]);
    assert_eq!(state.update(Msg::Open), []);
    assert_eq!(state.update(Msg::Wide), []);
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
    assert_eq!(state.update(Msg::Run), [Effect::Send { id: 1 }, Effect::Save]);
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
    assert_eq!(state.update(Msg::Run), [Effect::Send { id: 2 }, Effect::Save]);
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
    let replaced = [Effect::ReplaceText, Effect::Save, Effect::Focus(EDITOR)];
    let mut state = fresh();
    assert_eq!(state.update(Msg::Reset), [], "there is nothing to reset");
    assert_eq!(state.update(Msg::Edited("mine".into())), [Effect::Save]);
    let effects = state.update(Msg::Reset);
    assert!(effects.contains(&Effect::ReplaceText) && effects.last() == Some(&Effect::Focus(UNDO)));
    assert_eq!(state.code, state.kata.starter);
    // A second press takes nothing away.
    state.update(Msg::Reset);
    assert_eq!(state.update(Msg::Undo), replaced);
    assert_eq!(state.code, "mine");
    state.update(Msg::Reset);
    state.update(Msg::Edited("new".into()));
    assert_eq!(state.update(Msg::Undo), []);
    assert_eq!(state.code, "new");
}

fn saved_by_another(code: &str) -> Record {
    Record {
        version: crate::storage::RECORD_VERSION,
        revision: 3,
        starter_hash: String::new(),
        code: code.into(),
        progress: Progress::default(),
    }
}

#[test]
fn of_two_pages_with_other_code_the_learner_chooses_and_types_on_meanwhile() {
    let mut state = fresh();
    state.update(Msg::Edited("mine".into()));
    state.update(Msg::Clash(saved_by_another("theirs")));
    state.update(Msg::Edited("mine, longer".into()));
    state.update(Msg::Clash(saved_by_another("theirs, longer")));
    assert_eq!(state.notices, [Notice::OtherPage]);
    assert_eq!(state.code, "mine, longer");

    assert_eq!(state.update(Msg::Dismiss(Notice::OtherPage)), [Effect::KeepMine, Effect::Focus(EDITOR)]);
    // Not before it has worked.
    assert_eq!(state.notices, [Notice::OtherPage]);
    state.update(Msg::Saved(Progress::default()));
    assert_eq!((state.notices.len(), state.code.as_str()), (0, "mine, longer"));
}

#[test]
fn taking_the_other_pages_version_can_be_undone_even_after_an_edit() {
    let mut state = fresh();
    state.update(Msg::Edited("mine".into()));
    let theirs = saved_by_another("theirs");
    state.update(Msg::Clash(theirs.clone()));
    assert_eq!(state.update(Msg::Take(Notice::OtherPage))[..2], [Effect::TakeOver(theirs), Effect::ReplaceText]);
    assert_eq!((state.notices.len(), state.code.as_str()), (0, "theirs"));
    state.update(Msg::Edited("theirs, edited".into()));
    state.update(Msg::Undo);
    assert_eq!(state.code, "mine");
}

#[test]
fn a_changed_starter_is_told_until_one_of_both_is_chosen() {
    let changed = || {
        let restored = Restored::Code { code: "mine".into(), starter_changed: true };
        State::new(&leasehold_exercises::katas()[0], restored)
    };
    let mut state = changed();
    state.update(Msg::Edited("mine, longer".into()));
    state.update(Msg::Saved(Progress::default()));
    assert_eq!(state.notices, [Notice::StarterChanged]);
    assert_eq!(state.update(Msg::Dismiss(Notice::StarterChanged))[..2], [Effect::BeginAnew, Effect::Save]);
    assert_eq!((state.notices.len(), state.code.as_str()), (0, "mine, longer"));

    let mut state = changed();
    assert_eq!(state.update(Msg::Take(Notice::StarterChanged))[..2], [Effect::BeginAnew, Effect::ReplaceText]);
    assert_eq!(state.code, state.kata.starter);
    state.update(Msg::Undo);
    assert_eq!((state.notices.len(), state.code.as_str()), (0, "mine"));
}

#[test]
fn runs_are_counted_and_the_best_result_stays() {
    let mut state = ready();
    for (run, outcomes) in [(1, [Outcome::Passed, Outcome::Passed]), (2, [Outcome::Passed, Outcome::Failed])] {
        assert!(state.update(Msg::Run).contains(&Effect::Save));
        let tests = outcomes.map(|outcome| test("one", outcome)).to_vec();
        let report = Message::Report { id: run, report: Box::new(Report::of("k", tests, String::new())) };
        assert!(state.update(Msg::Heard(report)).contains(&Effect::Save));
    }
    let Progress { passed, of, attempts, .. } = state.progress;
    assert_eq!((passed, of, attempts), (2, 2, 2));
}

#[test]
fn the_solution_comes_after_a_question_and_the_second_time_without() {
    let mut state = fresh();
    state.update(Msg::AskSolution);
    assert_eq!((state.solution, state.progress.solution), (Solution::Asked, false));
    state.update(Msg::CloseSolution);
    assert_eq!((state.solution, state.progress.solution), (Solution::Closed, false));
    state.update(Msg::AskSolution);
    assert_eq!(state.update(Msg::ShowSolution), [Effect::Save]);
    assert_eq!((state.solution, state.progress.solution), (Solution::Open, true));
    state.update(Msg::CloseSolution);
    state.update(Msg::AskSolution);
    assert_eq!(state.solution, Solution::Open);
}

#[test]
fn the_solution_in_the_editor_leaves_the_learners_code_within_reach() {
    let mut state = fresh();
    state.update(Msg::Edited("mine".into()));
    let effects = state.update(Msg::PutSolution("solved".into()));
    assert_eq!(effects[..3], [Effect::SetAside("mine".into()), Effect::ReplaceText, Effect::Save]);
    assert_eq!(state.code, "solved");
    state.update(Msg::Edited("solved, edited".into()));
    assert_eq!(state.undo.as_ref().map(|undo| undo.words), Some("Bring my code back"));
    state.update(Msg::Undo);
    assert_eq!(state.code, "mine");
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
fn storage_trouble_is_told_once_and_not_with_every_key() {
    let mut state = fresh();
    state.update(Msg::NotSaved(SaveError::Full));
    state.update(Msg::NotSaved(SaveError::Full));
    assert_eq!(state.notices, [Notice::Full]);
    state.update(Msg::Dismiss(Notice::Full));
    state.update(Msg::NotSaved(SaveError::Full));
    assert_eq!(state.notices, []);
    // Again, after there was room.
    state.update(Msg::Saved(Progress::default()));
    state.update(Msg::NotSaved(SaveError::Full));
    assert_eq!(state.notices, [Notice::Full]);
    state.update(Msg::Saved(Progress::default()));
    assert_eq!(state.notices, []);
}

#[test]
fn a_result_that_is_not_noted_is_told_apart_from_code_that_is_not_saved() {
    let mut state = fresh();
    state.update(Msg::NotSaved(SaveError::NotNoted));
    assert_eq!(state.notices, [Notice::NotNoted]);
    state.update(Msg::NotSaved(SaveError::Full));
    assert_eq!(state.notices, [Notice::Full]);
}

#[test]
fn hints_open_one_by_one_and_end() {
    let mut state = fresh();
    let all = state.kata.hints.len();
    for expected in (1..=all).chain([all]) {
        state.update(Msg::Hint);
        assert_eq!(state.hints(), expected);
    }
}

#[test]
fn a_run_that_is_too_soon_is_told_of_once_and_goes_with_the_next_run() {
    let mut state = ready();
    for seconds in [42, 41] {
        state.update(Msg::Told(Notice::TooSoon { seconds }));
    }
    assert_eq!(state.notices, [Notice::TooSoon { seconds: 41 }]);
    assert!(state.announcement.ends_with("in 41 s."));
    state.update(Msg::Run);
    assert_eq!(state.notices, []);
}

#[test]
fn before_a_run_the_best_result_that_is_stored_is_told_and_none_is_made_up() {
    let mut state = fresh();
    assert_eq!(state.best(), "");
    // A run that came to no report is none.
    state.progress.ran(0, 0);
    assert_eq!(state.best(), "");
    state.progress.ran(21, 21);
    assert_eq!(state.best(), "Best so far: 21 of 21");
}
