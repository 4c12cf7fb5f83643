use super::boxes::faults;
use super::*;
use crate::timeline::fixtures;
use leasehold_checker::trace::Reply;
use std::fmt::Write;

/// A layout as text, a line a shape, so that a change in it can be read.
fn drawn(layout: &Layout) -> String {
    let mut out = format!("{}x{} times {} words {}\n", layout.width, layout.height, layout.times, layout.words);
    for Lane { x, left, right, head, kind, threads, .. } in &layout.lanes {
        let tasks: String = threads.iter().map(|thread| format!(" {} at {}", thread.name, thread.x)).collect();
        writeln!(out, "lane {kind:?} {} x{x} {left}..{right}{tasks}", head.join("/")).unwrap();
    }
    for Bar { kind, left, right, from, to, open, tick, tag } in &layout.bars {
        let tag = tag.as_ref().map(|tag| format!(" {:?} at {} {}", tag.words, tag.x, tag.y)).unwrap_or_default();
        let end = [if *tick { "|" } else { "" }, if *open { "…" } else { "" }].concat();
        writeln!(out, "bar {kind:?} x{left}..{right} {from}..{to}{end}{tag}").unwrap();
    }
    for Rivals { left, right, from, to } in &layout.rivals {
        writeln!(out, "rivals x{left}..{right} {from}..{to}").unwrap();
    }
    for Arrow { kind, from, to, tip } in &layout.arrows {
        writeln!(out, "arrow {kind:?} {},{} > {},{} {tip:?}", from.0, from.1, to.0, to.1).unwrap();
    }
    for Break { y, elapsed, .. } in &layout.breaks {
        writeln!(out, "break y{y} {elapsed}").unwrap();
    }
    for row in &layout.rows {
        for Caption { kind, y, words } in &row.captions {
            writeln!(out, "caption {kind:?} y{y} {words}").unwrap();
        }
        let time = row.time.as_ref().map_or("-", |time| &time.shown);
        let mark = row.mark.map(|mark| format!(" {mark:?}")).unwrap_or_default();
        let mut signs: String = row.signs.iter().map(|(sign, x)| format!(" {sign:?} at {x}")).collect();
        if let Some((x, token)) = &row.coin {
            write!(signs, " coin {token} at {x}").unwrap();
        }
        let (top, bottom, events, words) = (row.top, row.bottom, &row.events, &row.words);
        writeln!(out, "row {top}..{bottom} {events:?} {time}{mark}: {} | {}{signs}", words.actor, words.text).unwrap();
    }
    writeln!(out, "legend {:?}", layout.legend).unwrap();
    out
}

fn check(name: &str, trace: &Trace, expected: &str) {
    let layout = layout(trace);
    assert_eq!(faults(&layout), Vec::<String>::new());
    compare(name, &drawn(&layout), expected);
}

fn compare(name: &str, actual: &str, expected: &str) {
    assert!(actual.trim_end() == expected.trim_end(), "golden/{name}.txt should now be\n{actual}");
}

macro_rules! golden {
    ($name:literal, $trace:expr) => {
        check($name, &$trace, include_str!(concat!("golden/", $name, ".txt")))
    };
}

#[test]
fn a_client_that_sleeps_through_its_lease_still_believes_in_it() {
    golden!("takeover", fixtures::takeover());
}

#[test]
fn a_release_ends_lease_and_belief_and_a_refusal_begins_neither() {
    golden!("release_and_refusal", fixtures::release_and_refusal());
}

#[test]
fn a_lost_request_ends_on_its_way_and_the_deadline_is_seen() {
    golden!("cut_request", fixtures::cut_request());
}

#[test]
fn a_lost_reply_ends_on_its_way_and_a_repeated_request_arrives_twice() {
    golden!("cut_reply", fixtures::cut_reply());
}

#[test]
fn where_several_believe_at_once_their_lanes_are_shaded() {
    golden!("three_believers", fixtures::three_believers());
}

#[test]
fn nodes_have_lanes_of_their_own_and_a_belief_needs_most_of_them() {
    golden!("redlock", fixtures::redlock());
}

#[test]
fn a_dead_process_believes_nothing_and_what_befalls_it_has_a_sign_each() {
    golden!("crash_and_restart", fixtures::crash_and_restart());
}

#[test]
fn repeats_share_a_row_but_for_the_first_and_the_last() {
    golden!("polling", fixtures::polling(12));
}

#[test]
fn five_hundred_events_of_five_clients_stay_in_their_places() {
    let layout = layout(&fixtures::long(500));
    assert_eq!(faults(&layout), Vec::<String>::new());
    // Its beginning and its end; all between is the same over and over.
    let all = drawn(&layout);
    let lines: Vec<&str> = all.lines().collect();
    let ends = [&lines[..24], &lines[lines.len() - 24..]].concat().join("\n");
    compare("long", &ends, include_str!("golden/long.txt"));
}

#[test]
fn whatever_the_trace_no_words_lie_upon_others_and_nothing_leaves_the_picture() {
    for seed in 0..200 {
        let layout = layout(&fixtures::anything(seed, 60));
        assert_eq!(faults(&layout), Vec::<String>::new(), "seed {seed}");
        let is_inside = |y: i32| (0..=layout.height).contains(&y);
        for bar in &layout.bars {
            assert!(bar.from < bar.to && is_inside(bar.from) && is_inside(bar.to), "seed {seed}: {bar:?}");
        }
        for arrow in &layout.arrows {
            assert!(is_inside(arrow.from.1) && is_inside(arrow.to.1), "seed {seed}: {arrow:?}");
        }
    }
}

#[test]
fn all_events_have_rows_in_their_order() {
    for trace in [fixtures::long(500), fixtures::polling(40), fixtures::three_believers()] {
        let layout = layout(&trace);
        let rows: Vec<usize> = (0..trace.events.len()).map(|event| layout.row_of(event)).collect();
        assert!(rows.windows(2).all(|pair| pair[1] == pair[0] || pair[1] == pair[0] + 1));
        assert!(layout.rows.iter().enumerate().all(|(i, row)| row.events.clone().all(|event| rows[event] == i)));
        let at = |row: &Row| layout.event_at(row.y);
        assert!(layout.rows.iter().all(|row| at(row) == Some(row.events.start)));
    }
}

#[test]
fn what_is_marked_is_never_hidden_among_repeats() {
    let mut trace = fixtures::polling(12);
    trace.first_bad = Some(19);
    let layout = layout(&trace);
    let row = &layout.rows[layout.row_of(19)];
    assert_eq!((row.mark, row.events.clone()), (Some(Mark::Bad), 19..20));
}

#[test]
fn two_leases_that_run_at_once_stand_side_by_side() {
    let mut trace = fixtures::takeover();
    trace.events.drain(2..4);
    for event in &mut trace.events {
        event.at_us = 0;
    }
    trace.first_bad = Some(3);
    trace.witnesses = vec![1];
    let layout = layout(&trace);
    let leases: Vec<&Bar> = layout.bars.iter().filter(|bar| bar.kind == BarKind::Lease).collect();
    let room = leases[0].tag.as_ref().map_or(0, |tag| tag.x + width(&tag.words, bars::TAG));
    assert!(leases[1].left > room, "{leases:?}");
}

#[test]
fn more_leases_than_there_is_room_for_share_a_place_and_say_nothing() {
    let mut trace = Trace { clients: vec!["A".into()], ..Trace::default() };
    for i in 0..30 {
        let reply = Reply::Granted { token: i.to_string(), expires_us: 1_000_000_000 };
        trace.events.push(Event::at(i, Happening::Answered { client: 0, name: format!("job {i}"), reply }));
    }
    let layout = layout(&trace);
    let leases = || layout.bars.iter().filter(|bar| bar.kind == BarKind::Lease);
    let places: BTreeSet<i32> = leases().map(|bar| bar.left).collect();
    assert_eq!((places.len(), leases().filter(|bar| bar.tag.is_some()).count()), (slots::MOST, slots::MOST));
    assert_eq!(faults(&layout), Vec::<String>::new());
}

#[test]
fn a_lease_that_runs_out_unremarked_ends_in_the_gap_where_its_time_is() {
    let mut trace = fixtures::takeover();
    trace.events.remove(3);
    let layout = layout(&trace);
    let lease = layout.bars.iter().find(|bar| bar.kind == BarKind::Lease).unwrap();
    let (above, below) = (&layout.rows[2], &layout.rows[3]);
    assert!(lease.tick && above.bottom < lease.to && lease.to < below.top, "{lease:?}");
}

#[test]
fn a_renewal_that_is_answered_at_once_moves_the_end() {
    let mut trace = fixtures::takeover();
    // B asks at 12 s; by then A's lease would be over, had it not been renewed.
    let reply = Reply::Renewed { expires_us: 30_000_000 };
    trace.events[3] = Event::at(9_000_000, Happening::Answered { client: 0, name: "report".into(), reply });
    trace.events.remove(5);
    let lease = layout(&trace).bars.into_iter().find(|bar| bar.kind == BarKind::Lease).unwrap();
    assert!(lease.open, "the lease runs to the end of the picture: {lease:?}");
}

#[test]
fn an_empty_trace_has_neither_lanes_nor_rows() {
    let layout = layout(&Trace::default());
    assert_eq!((layout.lanes.len(), layout.rows.len(), layout.event_at(3)), (0, 0, None));
}

#[test]
fn that_the_run_went_on_is_said_below_the_last_row() {
    let trace = Trace { cut: true, ..fixtures::takeover() };
    let layout = layout(&trace);
    assert!(layout.cut.is_some_and(|y| y > layout.rows.last().unwrap().bottom));
    assert_eq!(faults(&layout), Vec::<String>::new());
}

/// A grant whose answer A hears a second later, and what A says after that.
fn granted_and_then(said: Vec<Event>) -> Layout {
    let granted = || Reply::Granted { token: "1".into(), expires_us: 10_000_000 };
    let (client, name) = (0, || "job".to_owned());
    let at = |at_us, what| Event { message: Some(1), ..Event::at(at_us, what) };
    let mut events = vec![
        at(0, Happening::Served { client, name: name(), reply: granted() }),
        at(1_000_000, Happening::Answered { client, name: name(), reply: granted() }),
    ];
    events.extend(said);
    layout(&Trace { clients: vec!["A".into()], events, ..Trace::default() })
}

fn believes(at_us: u64, name: &str, holds: bool) -> Event {
    Event::at(at_us, Happening::Believes { client: 0, name: name.into(), token: None, holds })
}

fn of_kind(layout: &Layout, kind: BarKind) -> Vec<(i32, i32)> {
    layout.bars.iter().filter(|bar| bar.kind == kind).map(|bar| (bar.from, bar.to)).collect()
}

#[test]
fn belief_begins_where_the_grant_is_heard_of() {
    let noted = Event::at(2_000_000, Happening::Noted { client: 0, text: "works".into() });
    let layout = granted_and_then(vec![noted]);
    assert_eq!(of_kind(&layout, BarKind::Belief)[0].0, layout.rows[1].y);
}

#[test]
fn where_a_client_says_what_it_believes_only_that_is_drawn() {
    let expired = Event::at(10_000_000, Happening::Expired { client: 0, name: "job".into(), token: "1".into() });
    let layout = granted_and_then(vec![believes(2_000_000, "job", true), expired, believes(12_000_000, "job", false)]);
    let y = |row: usize| layout.rows[row].y;
    assert_eq!(of_kind(&layout, BarKind::Belief), [(y(2), y(3))]);
    assert_eq!(of_kind(&layout, BarKind::FalseBelief), [(y(3), y(4))]);
}

#[test]
fn a_lock_that_no_single_grant_makes_is_held_while_its_holder_says_so() {
    let layout = granted_and_then(vec![believes(2_000_000, "all", true), believes(3_000_000, "all", false)]);
    assert_eq!(of_kind(&layout, BarKind::Belief), [(layout.rows[2].y, layout.rows[3].y)]);
}

#[test]
fn what_a_client_says_of_its_handle_shares_the_row_of_what_it_heard() {
    let held = |at_us| {
        let (from, to, by) = ("acquiring".into(), "held".into(), "granted".into());
        Event::at(at_us, Happening::State { client: 0, handle: "job".into(), from, to, by, allowed: true })
    };
    let layout = granted_and_then(vec![held(1_000_000), believes(1_000_000, "job", true), held(2_000_000)]);
    let rows: Vec<Range<usize>> = layout.rows.iter().map(|row| row.events.clone()).collect();
    assert_eq!(rows, [0..1, 1..4, 4..5]);
    assert_eq!(layout.rows[1].words.text, "is granted job, token 1 · held");
    assert!(layout.rows[1].words.full.contains("believes that it holds"));
}

#[test]
fn whoever_is_cut_off_sends_no_further_than_the_wall() {
    let mut trace = fixtures::cut_request();
    let cut = Event::at(trace.events[3].at_us, Happening::Partitioned { client: 0, until_us: 60_000_000 });
    trace.events.insert(3, cut);
    let layout = layout(&trace);
    let wall = layout.bars.iter().find(|bar| bar.kind == BarKind::Cut).unwrap();
    let lost = layout.arrows.iter().find(|arrow| arrow.tip == Tip::Lost).unwrap();
    assert!((wall.left..=wall.right).contains(&lost.to.0), "{lost:?} at {wall:?}");
}

#[test]
fn where_there_is_more_room_more_of_the_words_is_seen_and_the_lanes_stay() {
    let mut trace = fixtures::takeover();
    let long =
        "writes down, at some length, what it has in mind to do as soon as it has the lock that it wants to have";
    trace.events[0].what = Happening::Noted { client: 0, text: long.to_owned() };
    let (usual, wide) = (layout(&trace), layout_in(&trace, 800));
    assert_eq!((wide.width, wide.words, &wide.lanes), (800, usual.words, &usual.lanes));
    assert!(wide.rows[0].words.text.len() > usual.rows[0].words.text.len());
    assert_eq!(layout_in(&trace, 300), usual, "never narrower: it scrolls");
    assert_eq!(layout_in(&trace, 9_000).width, 900);
}
