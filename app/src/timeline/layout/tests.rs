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
    check(&fixtures::takeover(), "TAKEOVER");
}

#[test]
fn a_release_ends_lease_and_belief_and_a_refusal_begins_neither() {
    check(&fixtures::release_and_refusal(), "RELEASE");
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
