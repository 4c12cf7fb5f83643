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
571x420
lanes A at 113, B at 231, lock service at 349, storage at 467
bar Lease x349 61..145 token 1
bar Belief x113 61..145
bar Pause x113 93..351
bar FalseBelief x113 145..412…
bar Lease x349 247..412… token 1
bar Belief x231 247..412…
break y114 +10 s
break y166 +2 s
break y268 +1 s
break y320 +2 s
row 8..40 y29 0 s: Call 113>349 acquire report, 10 s
row 40..72 y61 -: Grant 349>113 granted, token 1
row 72..104 y93 -: note x129 pauses until 15 s
row 124..156 y145 10 s: expiry x349 lease 1 is over
row 176..208 y197 12 s: Call 231>349 acquire report, 10 s
row 208..258 y247 - Witness: Grant 349>231 granted, token 1
row 278..310 y299 13 s: write 231>467 write report, token 1 accepted mark 1
row 330..362 y351 15 s: note x129 wakes
row 362..412 y401 - Bad: write 113>467 write report, token 1 accepted mark 1
",
    );
}

#[test]
fn a_release_ends_lease_and_belief_and_a_refusal_begins_neither() {
    check(
        &fixtures::release_and_refusal(),
        "\
571x414
lanes A at 113, B at 231, lock service at 349, storage at 467
bar Lease x349 61..229 token 1
bar Belief x113 61..229
break y82 +1 s
break y166 +1 s
break y332 +1 s
row 8..40 y29 0 s: Call 113>349 acquire report, 10 s
row 40..72 y61 -: Grant 349>113 granted, token 1
row 92..124 y113 1 s: Call 231>349 acquire report, 10 s
row 124..156 y145 -: Answer 349>231 refused
row 176..208 y197 2 s: Call 113>349 release report
row 208..240 y229 -: Answer 349>113 released
row 240..272 y261 -: Call 231>349 acquire report, 10 s
row 272..322 y311 - Bad: Broken 349>231 no answer
row 342..374 y363 3 s: Call 231>349 release report
row 374..406 y395 -: Answer 349>231 not released
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
