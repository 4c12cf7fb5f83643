//! Holds the levels of "Break it yourself" against the engine: each can be broken with as many disturbances as it says and
//! no fewer, or not at all, and its program never fails by itself.

use leasehold_checker::suites::attack::{Attack, Move, Order, attack, shortest};
use leasehold_exercises::levels;
use serde_json::{Value, json};

/// Each level with the order that the page sends of it, nothing placed.
fn all() -> Vec<(Value, Order)> {
    let levels: Vec<Value> = serde_json::from_str(levels()).expect("JSON");
    let order = |level: &Value| serde_json::from_value(json!({ "level": level })).expect("a level");
    levels.into_iter().map(|level| (level.clone(), order(&level))).collect()
}

/// Its placed moves as an order.
fn again(order: &Order, attack: &Attack) -> Order {
    let moves = attack.placed.iter().map(|p| Move { point: p.point.clone(), option: p.option.clone() }).collect();
    Order { moves, ..order.clone() }
}

#[test]
fn each_level_has_a_shortest_attack_of_the_length_that_it_says() {
    let mut breaches = Vec::new();
    for (level, order) in all() {
        let found = shortest(&order).expect("it loads");
        let search = found.search.clone().expect("a search");
        let says = level["shortest"].as_u64();
        let is = search.found.then_some(found.placed.len() as u64);
        if says != is {
            breaches.push(format!("{}: says {says:?} and is {is:?}: {}", order.level.slug, found.trace.text()));
            continue;
        }
        let complete = says.map_or(order.level.most, |n| n as u32 - 1);
        assert_eq!(search.complete_to, Some(complete), "{}", order.level.slug);
        let broken = found.broken.as_ref().map(|b| b.rule.as_str());
        assert_eq!(broken, says.map(|_| order.level.breaks.as_str()), "{}", order.level.slug);
        // Placed by hand it is the same run.
        let placed = attack(&again(&order, &found)).expect("it loads");
        assert_eq!((&placed.trace, &placed.placed), (&found.trace, &found.placed), "{}", order.level.slug);
        assert_eq!((placed.misfits.len(), &placed.replay), (0, &found.replay), "{}", order.level.slug);
    }
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn an_undisturbed_level_holds_and_both_clients_get_their_turn() {
    for (_, order) in all() {
        let calm = attack(&order).expect("it loads");
        assert_eq!(calm.broken, None, "{}: {}", order.level.slug, calm.trace.text());
        let text = calm.trace.text();
        for who in ["A", "B"] {
            let believes = format!("{who} believes that it holds report");
            let turns = order.level.slug == "the-tidy-client" && who == "B" || text.contains(&believes);
            assert!(turns, "{}: {text}", order.level.slug);
        }
        assert!(calm.trace.events.len() <= 80, "{}: {} events", order.level.slug, calm.trace.events.len());
    }
}

/// Every way to place one more thing behind the last.
fn one_more(run: &Attack) -> Vec<Vec<Move>> {
    let moves: Vec<Move> =
        run.placed.iter().map(|p| Move { point: p.point.clone(), option: p.option.clone() }).collect();
    let last = moves.last().and_then(|last| run.points.iter().position(|p| p.point == last.point));
    let behind = &run.points[last.map_or(0, |at| at + 1)..];
    let all = behind.iter().flat_map(|p| p.options.iter().map(|o| (p.point.clone(), o.id.clone())));
    all.map(|(point, option)| [&moves[..], &[Move { point, option }]].concat()).collect()
}

/// What a level's program does with these moves; whatever is wrong with that goes to the breaches.
fn tried(order: &Order, moves: Vec<Move>, breaches: &mut Vec<String>) -> Attack {
    let expected = moves.len();
    let run = attack(&Order { moves, ..order.clone() }).expect("it loads");
    let rule = run.broken.as_ref().is_none_or(|broken| broken.rule == order.level.breaks);
    if !rule || run.placed.len() != expected || !run.misfits.is_empty() {
        let Attack { placed, misfits, broken, trace, .. } = &run;
        breaches.push(format!("{}: {placed:?} {misfits:?} {broken:?}\n{}", order.level.slug, trace.text()));
    }
    run
}

#[test]
fn whatever_is_offered_can_be_placed_and_breaks_no_other_rule_than_the_levels() {
    let mut breaches = Vec::new();
    for (_, order) in all() {
        let calm = attack(&order).expect("it loads");
        assert!(!calm.points.is_empty(), "{}", order.level.slug);
        for moves in one_more(&calm) {
            let run = tried(&order, moves, &mut breaches);
            if order.level.most > 1 && run.broken.is_none() {
                // Every fifth: all would take some seconds, for what the search has gone through already.
                one_more(&run).into_iter().step_by(5).for_each(|moves| drop(tried(&order, moves, &mut breaches)));
            }
        }
    }
    breaches.truncate(3);
    assert!(breaches.is_empty(), "{}", breaches.join("\n"));
}

#[test]
fn the_last_level_and_no_other_is_unbreakable_and_one_takes_two() {
    let shortest: Vec<Option<u64>> = all().iter().map(|(level, _)| level["shortest"].as_u64()).collect();
    assert!(shortest.len() >= 9);
    let (last, rest) = shortest.split_last().expect("levels");
    assert_eq!(*last, None);
    assert!(rest.iter().all(Option::is_some) && rest.contains(&Some(2)), "{shortest:?}");
}
