use super::*;
use crate::timeline::fixtures;
use std::fmt::Write;

/// A layout as text, a line a shape, so that a change in it can be read.
fn drawn(layout: &Layout) -> String {
    let mut out = format!("{}x{}\n", layout.width, layout.height);
    let lanes: Vec<String> = layout.lanes.iter().map(|l| format!("{} at {}", l.name, l.x)).collect();
    writeln!(out, "lanes {}", lanes.join(", ")).unwrap();
    for Bar { kind, x, from, to, open, token } in &layout.bars {
        let token = token.as_ref().map(|t| format!(" token {t}")).unwrap_or_default();
        writeln!(out, "bar {kind:?} x{x} {from}..{to}{}{token}", if *open { "…" } else { "" }).unwrap();
    }
    for Break { y, elapsed } in &layout.breaks {
        writeln!(out, "break y{y} {elapsed}").unwrap();
    }
    for Row { top, bottom, y, time, mark, figure } in &layout.rows {
        let time = time.as_deref().unwrap_or("-");
        let mark = mark.map(|m| format!(" {m:?}")).unwrap_or_default();
        let figure = match figure {
            Figure::Arrow { from, to, label, kind } => format!("{kind:?} {from}>{to} {label}"),
            Figure::Note { x, label } => format!("note x{x} {label}"),
            Figure::Expiry { x, label } => format!("expiry x{x} {label}"),
            Figure::Write { from, to, label, accepted, high_water } => {
                format!("write {from}>{to} {label} {} {high_water}", if *accepted { "accepted" } else { "rejected" })
            }
        };
        writeln!(out, "row {top}..{bottom} y{y} {time}{mark}: {figure}").unwrap();
    }
    out
}

fn check(trace: &Trace, expected: &str) {
    let actual = drawn(&layout(trace));
    assert!(actual == expected, "the layout is now\n{actual}");
}

#[test]
fn a_client_that_sleeps_through_its_lease_still_believes_in_it() {
    check(
        &fixtures::takeover(),
        "\
548x372
lanes A at 92, B at 216, lock service at 340, storage at 464
bar Lease x340 54..128 token 1
bar Belief x92 54..128
bar Pause x92 82..310
bar FalseBelief x92 128..364…
bar Lease x340 218..364… token 1
bar Belief x216 218..364…
break y101 +10 s
break y147 +2 s
break y237 +1 s
break y283 +2 s
row 8..36 y26 0 s: Call 92>340 acquire report, 10 s
row 36..64 y54 -: Grant 340>92 granted, token 1
row 64..92 y82 -: note x108 pauses until 15 s
row 110..138 y128 10 s: expiry x340 lease 1 is over
row 156..184 y174 12 s: Call 216>340 acquire report, 10 s
row 184..228 y218 - Witness: Grant 340>216 granted, token 1
row 246..274 y264 13 s: write 216>464 write report, token 1 accepted mark 1
row 292..320 y310 15 s: note x108 wakes
row 320..364 y354 - Bad: write 92>464 write report, token 1 accepted mark 1
",
    );
}

#[test]
fn a_release_ends_lease_and_belief_and_a_refusal_begins_neither() {
    check(
        &fixtures::release_and_refusal(),
        "\
548x366
lanes A at 92, B at 216, lock service at 340, storage at 464
bar Lease x340 54..202 token 1
bar Belief x92 54..202
break y73 +1 s
break y147 +1 s
break y293 +1 s
row 8..36 y26 0 s: Call 92>340 acquire report, 10 s
row 36..64 y54 -: Grant 340>92 granted, token 1
row 82..110 y100 1 s: Call 216>340 acquire report, 10 s
row 110..138 y128 -: Answer 340>216 refused
row 156..184 y174 2 s: Call 92>340 release report
row 184..212 y202 -: Answer 340>92 released
row 212..240 y230 -: Call 216>340 acquire report, 10 s
row 240..284 y274 - Bad: Broken 340>216 raised ValueError
row 302..330 y320 3 s: Call 216>340 release report
row 330..358 y348 -: Answer 340>216 not released
",
    );
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
    let xs: Vec<i32> = layout(&trace).bars.iter().filter(|b| b.kind == BarKind::Lease).map(|b| b.x).collect();
    assert_eq!(xs[1] - xs[0], SLOT);
}

#[test]
fn a_lease_that_runs_out_unremarked_ends_before_the_first_event_past_it() {
    let mut trace = fixtures::takeover();
    trace.events.remove(3);
    let layout = layout(&trace);
    let lease = layout.bars.iter().find(|b| b.kind == BarKind::Lease).unwrap();
    assert_eq!(lease.to, layout.rows[3].top);
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
fn nothing_of_a_long_trace_overlaps_or_leaves_the_picture() {
    let layout = layout(&fixtures::long(500));
    assert_eq!(layout.rows.len(), 500);
    for pair in layout.rows.windows(2) {
        assert!(pair[0].bottom <= pair[1].top);
    }
    for bar in &layout.bars {
        assert!(bar.from <= bar.to && bar.to <= layout.height, "{bar:?}");
        assert!(bar.x < layout.width);
    }
}

#[test]
fn an_empty_trace_has_lanes_and_no_rows() {
    let layout = layout(&Trace::default());
    assert_eq!((layout.lanes.len(), layout.rows.len()), (2, 0));
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

#[test]
fn belief_begins_where_the_grant_is_heard_of() {
    let layout = granted_and_then(Vec::new());
    let belief = layout.bars.iter().find(|bar| bar.kind == BarKind::Belief).unwrap();
    assert_eq!(belief.from, layout.rows[1].y);
}

#[test]
fn where_a_client_says_what_it_believes_only_that_is_drawn() {
    let expired = Event::at(10_000_000, Happening::Expired { client: 0, name: "job".into(), token: "1".into() });
    let layout = granted_and_then(vec![believes(2_000_000, "job", true), expired, believes(12_000_000, "job", false)]);
    let bar = |kind| layout.bars.iter().find(|bar| bar.kind == kind).map(|bar| (bar.from, bar.to)).unwrap();
    let y = |row: usize| layout.rows[row].y;
    assert_eq!(bar(BarKind::Belief), (y(2), y(3)));
    assert_eq!(bar(BarKind::FalseBelief), (y(3), y(4)));
}

#[test]
fn a_lock_that_no_single_grant_makes_is_held_while_its_holder_says_so() {
    let layout = granted_and_then(vec![believes(2_000_000, "all", true), believes(3_000_000, "all", false)]);
    let bars: Vec<_> = layout.bars.iter().filter(|bar| bar.kind == BarKind::Belief).map(|b| (b.from, b.to)).collect();
    assert_eq!(bars, [(layout.rows[2].y, layout.rows[3].y)]);
}

#[test]
fn to_hear_of_its_own_grant_ends_no_belief() {
    let granted = || Reply::Granted { token: "1".into(), expires_us: 10_000_000 };
    let (client, name) = (0, || "job".to_owned());
    let at = |at_us, what| Event { message: Some(1), ..Event::at(at_us, what) };
    let trace = Trace {
        clients: vec!["A".into()],
        events: vec![
            at(0, Happening::Served { client, name: name(), reply: granted() }),
            at(1_000_000, Happening::Answered { client, name: name(), reply: granted() }),
            Event::at(10_000_000, Happening::Expired { client, name: name(), token: "1".into() }),
            Event::at(12_000_000, Happening::Noted { client, text: "works on".into() }),
        ],
        ..Trace::default()
    };
    let layout = layout(&trace);
    let find = |kind| layout.bars.iter().find(|bar| bar.kind == kind).unwrap();
    assert_eq!((find(BarKind::Belief).to, find(BarKind::FalseBelief).from), (layout.rows[2].y, layout.rows[2].y));
    assert!(find(BarKind::FalseBelief).open);
}
