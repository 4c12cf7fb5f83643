use super::*;
use crate::pictures::adversary::level::{Broken, Choice, Misfit, Place, Search, read};
use crate::pictures::adversary::words::{Kind, Verdict, verdict};
use leasehold_checker::trace::{Event, Happening, Trace};

fn level(most: usize) -> Rc<Level> {
    let json = format!(
        r#"[{{"slug":"x","title":"X","goal":"g","allowed":["pause"],"most":{most},"shortest":1,"hint":"h","why":"w",
            "breaks":"overlap","world":"open","source":"pass"}}]"#
    );
    read(&json).unwrap().remove(0)
}

/// Four events, and before each a place with two options.
fn run(placed: &[(&str, &str)]) -> Attack {
    let events = (0..4).map(|i| Event::at(i, Happening::Woke { client: 0 })).collect();
    let option = |id: &str| Choice {
        id: id.to_owned(),
        kind: "pause".to_owned(),
        label: format!("pauses {id}"),
        ..Choice::default()
    };
    let place = |event: usize| Place {
        point: format!("A/{event}"),
        event,
        at_us: event as u64,
        client: 0,
        what: "A is about to do it".to_owned(),
        options: vec![option("short"), option("long")],
        ..Place::default()
    };
    let placed = placed.iter().enumerate().map(|(i, (point, option))| Placed {
        point: (*point).to_owned(),
        option: (*option).to_owned(),
        kind: "pause".to_owned(),
        event: i + 1,
        ..Placed::default()
    });
    Attack {
        trace: Rc::new(Trace { clients: vec!["A".to_owned()], events, ..Trace::default() }),
        points: (0..4).map(place).collect(),
        placed: placed.collect(),
        ..Attack::default()
    }
}

fn broken(rule: &str, placed: &[(&str, &str)]) -> Attack {
    let run = run(placed);
    let trace = Rc::new(Trace { first_bad: Some(3), ..(*run.trace).clone() });
    let broken = Broken { rule: rule.to_owned(), message: "Both hold.".to_owned(), ..Broken::default() };
    Attack { trace, broken: Some(broken), ..run }
}

fn searched(found: Option<&[(&str, &str)]>, complete_to: u32) -> Attack {
    let attack = found.map_or_else(|| run(&[]), |placed| broken("overlap", placed));
    let search = Search { found: found.is_some(), complete_to: Some(complete_to), schedules: 1_234 };
    Attack { search: Some(search), ..attack }
}

/// Answers the run that is under way.
fn answer(game: &mut Game, attack: Attack) -> Vec<Effect> {
    let id = game.running.expect("a run is under way");
    game.update(Msg::Heard(Message::Answer(id, attack.into())))
}

fn answer_search(game: &mut Game, attack: Attack) -> Vec<Effect> {
    let id = game.searching.expect("a search is under way");
    game.update(Msg::Heard(Message::Answer(id, attack.into())))
}

/// A level whose undisturbed run is shown.
fn begun(most: usize) -> Game {
    let mut game = Game::new(level(most), EngineState::Asleep);
    assert_eq!(game.update(Msg::Wide), [Effect::StartEngine]);
    assert_eq!(game.update(Msg::Heard(Message::Ready)), [Effect::Attack(1)]);
    answer(&mut game, run(&[]));
    game
}

/// Opens a place and chooses there.
fn place(game: &mut Game, at: usize, option: usize) -> Vec<Effect> {
    game.update(Msg::Open(at));
    game.update(Msg::Choose(option))
}

fn moves(game: &Game) -> Vec<(&str, &str)> {
    game.moves.iter().map(|m| (m.order.point.as_str(), m.order.option.as_str())).collect()
}

fn headline(game: &Game) -> (Kind, String) {
    let Verdict { kind, headline, .. } = verdict(game);
    (kind, headline)
}

#[test]
fn nothing_is_asked_of_the_interpreter_before_it_is_there() {
    let mut game = Game::new(level(1), EngineState::Asleep);
    assert_eq!(headline(&game).0, Kind::Waiting);
    assert_eq!(game.update(Msg::Heard(Message::Progress(1, 2))), []);
    assert_eq!(game.engine, EngineState::Loading(1, 2));
    assert_eq!(game.update(Msg::Shortest), []);
    // What was asked for meanwhile comes after the undisturbed run.
    assert_eq!(game.update(Msg::Heard(Message::Ready)), [Effect::Attack(1), Effect::Shortest(2)]);
}

#[test]
fn what_is_placed_runs_at_once_and_is_shown_where_it_happened() {
    let mut game = begun(1);
    assert_eq!(place(&mut game, 1, 0), [Effect::Focus(Focus::Place), Effect::Attack(2)]);
    assert_eq!(moves(&game), [("A/1", "short")]);
    answer(&mut game, run(&[("A/1", "short")]));
    assert_eq!((game.step, game.at, game.is_open), (1, 1, false));
    assert_eq!(headline(&game), (Kind::Whole, "Not broken yet".to_owned()));
    assert_eq!(game.option_at("A/1"), Some("short"));
}

#[test]
fn another_option_at_a_place_replaces_the_one_there_and_the_same_takes_it_away() {
    let mut game = begun(2);
    place(&mut game, 1, 0);
    place(&mut game, 1, 1);
    assert_eq!(moves(&game), [("A/1", "long")]);
    place(&mut game, 1, 1);
    assert_eq!(moves(&game), []);
}

#[test]
fn a_single_disturbance_moves_and_of_several_one_must_go_first() {
    let mut game = begun(1);
    place(&mut game, 1, 0);
    place(&mut game, 2, 0);
    assert_eq!(moves(&game), [("A/2", "short")]);
    let mut game = begun(2);
    place(&mut game, 0, 0);
    place(&mut game, 1, 0);
    assert_eq!(place(&mut game, 2, 0), []);
    assert_eq!(moves(&game), [("A/0", "short"), ("A/1", "short")]);
    assert_eq!(game.notice.as_deref(), Some("All 2 are placed. Take one away first."));
    // Where something stands, it can be replaced all the same.
    place(&mut game, 1, 1);
    assert_eq!((moves(&game)[1], game.notice.as_deref()), (("A/1", "long"), None));
}

#[test]
fn what_is_placed_is_taken_away_by_name_or_at_the_current_place() {
    let mut game = begun(2);
    place(&mut game, 0, 0);
    place(&mut game, 1, 0);
    game.update(Msg::Remove("A/0".to_owned()));
    assert_eq!(moves(&game), [("A/1", "short")]);
    assert_eq!(game.update(Msg::RemoveHere).len(), 2);
    assert_eq!((moves(&game).len(), game.update(Msg::RemoveHere)), (0, Vec::new()));
}

#[test]
fn an_answer_to_what_was_placed_before_is_not_shown() {
    let mut game = begun(2);
    place(&mut game, 0, 0);
    let before = game.running.unwrap();
    place(&mut game, 1, 0);
    game.update(Msg::Heard(Message::Answer(before, broken("overlap", &[("A/0", "short")]).into())));
    assert!(!game.is_broken());
    answer(&mut game, run(&[("A/0", "short"), ("A/1", "short")]));
    assert_eq!(game.own.as_ref().unwrap().placed.len(), 2);
}

#[test]
fn a_win_with_one_is_kept_and_is_the_shortest_without_asking() {
    let mut game = begun(1);
    place(&mut game, 1, 0);
    assert_eq!(answer(&mut game, broken("overlap", &[("A/1", "short")])), [Effect::Keep(Record::won(1))]);
    assert_eq!((game.step, game.won), (3, Some(1)));
    let Verdict { kind, headline, text } = verdict(&game);
    assert_eq!((kind, headline.as_str()), (Kind::Broken, "Broken with 1 disturbance"));
    assert_eq!(text, "Both hold. No attack is shorter: undisturbed, nothing breaks.");
}

#[test]
fn after_a_win_with_more_the_search_says_whether_fewer_would_do() {
    let mut game = begun(2);
    place(&mut game, 0, 0);
    place(&mut game, 1, 0);
    let effects = answer(&mut game, broken("overlap", &[("A/0", "short"), ("A/1", "short")]));
    assert!(matches!(*effects, [Effect::Keep(_), Effect::Shortest(_)]), "{effects:?}");
    assert!(verdict(&game).text.ends_with("Searching…"));
    answer_search(&mut game, searched(Some(&[("A/1", "long")]), 0));
    // Not shown before it is asked for.
    assert!(!game.shows_found);
    assert!(verdict(&game).text.ends_with("A shorter attack exists."));
    assert_eq!(game.update(Msg::Shortest), [Effect::Keep(Record::told())]);
    assert!(game.shows_found);
    let Verdict { headline, text, .. } = verdict(&game);
    assert_eq!(headline, "A shortest attack: 1 disturbance");
    assert_eq!(text, "Both hold. It was found after 1,234 schedules, and it takes at least one.");
    // And back to what the player had.
    game.update(Msg::Own);
    assert_eq!((game.shows_found, moves(&game).len()), (false, 2));
}

#[test]
fn in_the_shown_attack_nothing_can_be_placed() {
    let mut game = begun(1);
    game.update(Msg::Shortest);
    answer_search(&mut game, searched(Some(&[("A/1", "long")]), 0));
    assert_eq!(game.option_at("A/1"), Some("long"));
    assert_eq!(game.update(Msg::Open(0)), []);
    assert_eq!((game.update(Msg::Choose(0)), game.update(Msg::RemoveHere)), (Vec::new(), Vec::new()));
    // It can be stepped.
    game.update(Msg::Step(timeline::Move::First));
    assert_eq!((game.step, game.at), (0, 0));
}

#[test]
fn a_level_that_cannot_be_broken_is_told_with_what_was_tried() {
    let mut game = begun(2);
    assert_eq!(game.update(Msg::Shortest), [Effect::Shortest(2)]);
    assert_eq!(answer_search(&mut game, searched(None, 2)), [Effect::Keep(Record::told())]);
    let Verdict { kind, headline, text } = verdict(&game);
    assert_eq!((kind, headline.as_str()), (Kind::Proved, "It can't be broken"));
    assert!(text.starts_with("Every schedule with up to 2 disturbances was tried: 1,234 schedules"), "{text}");
    assert!(game.is_over() && game.won.is_none() && !game.shows_found);
}

#[test]
fn a_search_that_did_not_get_through_proves_nothing() {
    let mut game = begun(2);
    game.update(Msg::Shortest);
    answer_search(&mut game, searched(None, 1));
    let Verdict { kind, headline, text } = verdict(&game);
    assert_eq!((kind, headline.as_str()), (Kind::Whole, "No attack was found"));
    assert!(text.starts_with("Every schedule with up to 1 disturbance was tried"), "{text}");
}

#[test]
fn a_program_that_fails_by_itself_is_not_broken() {
    let mut game = begun(1);
    place(&mut game, 1, 0);
    assert_eq!(answer(&mut game, broken("code", &[("A/1", "short")])), []);
    assert_eq!((game.is_broken(), game.won, headline(&game).0), (false, None, Kind::Whole));
}

#[test]
fn what_did_not_happen_is_told_and_stays_until_it_is_taken_away() {
    let mut game = begun(2);
    place(&mut game, 0, 0);
    let misfit = Misfit { point: "A/0".to_owned(), message: "It comes no more.".to_owned(), ..Misfit::default() };
    answer(&mut game, Attack { misfits: vec![misfit], ..run(&[]) });
    let wanted = game.moves[0].clone();
    assert_eq!((game.placed(&wanted).is_none(), game.misfit(&wanted)), (true, Some("It comes no more.")));
    assert_eq!(moves(&game).len(), 1);
}

#[test]
fn list_and_timeline_go_together() {
    let mut game = begun(1);
    game.update(Msg::Next);
    assert_eq!((game.at, game.step), (1, 1));
    game.update(Msg::Step(timeline::Move::To(3)));
    assert_eq!((game.at, game.step), (3, 3));
    game.update(Msg::Next);
    assert_eq!(game.at, 3);
    game.update(Msg::Previous);
    assert_eq!((game.at, game.step), (2, 2));
    // Who steps away from an open place leaves it.
    game.update(Msg::OpenHere);
    game.update(Msg::Step(timeline::Move::Back));
    assert!(!game.is_open);
}

#[test]
fn a_place_opens_closes_and_takes_the_focus_along() {
    let mut game = begun(1);
    assert_eq!(game.update(Msg::Open(2)), [Effect::Focus(Focus::Options)]);
    assert_eq!((game.at, game.is_open), (2, true));
    assert_eq!(game.update(Msg::Close), [Effect::Focus(Focus::Place)]);
    assert_eq!(game.update(Msg::Close), []);
    game.update(Msg::Open(2));
    game.update(Msg::Open(2));
    assert!(!game.is_open);
}

#[test]
fn giving_up_is_offered_plainly_after_some_tries() {
    let mut game = begun(1);
    for _ in 0..TRIES {
        assert!(!game.is_stuck());
        place(&mut game, 1, 0);
        answer(&mut game, run(&[("A/1", "short")]));
        game.update(Msg::RemoveHere);
        answer(&mut game, run(&[]));
    }
    assert!(game.is_stuck());
}

#[test]
fn a_run_that_hangs_costs_what_was_placed_last_and_the_worker() {
    let mut game = begun(2);
    place(&mut game, 0, 0);
    answer(&mut game, run(&[("A/0", "short")]));
    place(&mut game, 1, 0);
    let id = game.running.unwrap();
    assert_eq!(game.update(Msg::TimedOut(id - 1)), []);
    assert_eq!(game.update(Msg::TimedOut(id)), [Effect::StartEngine]);
    assert_eq!(moves(&game), [("A/0", "short")]);
    assert!(game.notice.as_deref().is_some_and(|told| told.ends_with("What you placed last was taken back.")));
    // The run before is still shown, and nothing is run anew.
    assert_eq!(game.update(Msg::Heard(Message::Ready)), []);
    assert!(game.shown().is_some());
}

#[test]
fn a_worker_that_dies_before_the_first_run_is_not_started_by_itself_again() {
    let mut game = Game::new(level(1), EngineState::Asleep);
    game.update(Msg::Wide);
    game.update(Msg::Heard(Message::Ready));
    assert_eq!(game.update(Msg::Heard(Message::Failed("out of memory".to_owned()))), []);
    assert_eq!(game.engine, EngineState::Failed("out of memory".to_owned()));
    assert_eq!(game.update(Msg::Retry), [Effect::StartEngine]);
}

#[test]
fn another_level_begins_anew_with_the_same_worker() {
    let mut game = begun(2);
    place(&mut game, 0, 0);
    let before = game.running.unwrap();
    let effects = game.open(level(1));
    assert_eq!(effects, [Effect::Attack(before + 1)]);
    assert!(game.moves.is_empty() && game.own.is_none());
    game.update(Msg::Heard(Message::Answer(before, broken("overlap", &[("A/0", "short")]).into())));
    assert!(game.own.is_none());
}

#[test]
fn an_engine_that_refuses_says_why() {
    let mut game = begun(1);
    place(&mut game, 0, 0);
    answer(&mut game, Attack { error: Some("the program does not load".to_owned()), ..Attack::default() });
    assert_eq!(game.notice.as_deref(), Some("the program does not load"));
    assert!(game.own.is_some());
}
