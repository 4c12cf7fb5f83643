//! Breaking a lock by hand: what is placed happens, what does not fit is told, and the answer is what the page reads.

use leasehold_checker::suites::attack::{Attack, Level, Move, Order, Refused, answer, attack, shortest};
use serde_json::{Value, json};

/// Holds for 3 s, writes, and lets the lease run out; never looks at a clock. A message that is lost ends it, and a
/// write that is turned away.
const LOCK: &str = "
from leasehold import Clock, LockService, StaleFencingToken, Storage, TransportError

clock, locks, storage = Clock(), LockService(), Storage()


async def client(number, believes):
    await clock.sleep(12.0 * number)
    try:
        grant = await locks.acquire('report', 10.0)
        if grant is None:
            return
        believes(True, grant.fencing_token)
        await clock.sleep(3.0)
        await storage.write('report', grant.fencing_token, number)
        believes(False)
    except (StaleFencingToken, TransportError):
        believes(False)
";

/// Keeps the same text under the lock's name, whoever holds.
const NODE: &str = "
from leasehold import Clock, Node

clock, locks = Clock(), Node('locks')


async def client(number, believes):
    await clock.sleep(10.0 * number)
    if await locks.acquire('report', 'taken', 10.0):
        believes(True)
        await clock.sleep(3.0)
        believes(False)
        await locks.release('report', 'taken')
";

fn level(breaks: &str, allowed: &[&str], most: u32) -> Level {
    Level {
        slug: "level".to_owned(),
        allowed: allowed.iter().map(|kind| (*kind).to_owned()).collect(),
        most,
        world: "open".to_owned(),
        breaks: breaks.to_owned(),
        source: LOCK.to_owned(),
    }
}

fn moves(placed: &[(&str, &str)]) -> Vec<Move> {
    placed.iter().map(|(point, option)| Move { point: (*point).to_owned(), option: (*option).to_owned() }).collect()
}

fn placed(level: &Level, with: &[(&str, &str)]) -> Attack {
    attack(&Order { level: level.clone(), moves: moves(with), replay: None }).expect("it loads")
}

fn rule(attack: &Attack) -> Option<&str> {
    attack.broken.as_ref().map(|broken| broken.rule.as_str())
}

#[test]
fn each_rule_breaks_where_it_should_and_holds_on_the_nearest_miss() {
    let stale = level("stale write", &["pause"], 1);
    assert_eq!(rule(&placed(&stale, &[("A/storage.write/1", "pause:far")])), Some("stale write"));
    assert_eq!(rule(&placed(&stale, &[("A/storage.write/1", "pause:over")])), None);
    let gated = Level { world: "gated".to_owned(), ..stale };
    assert_eq!(rule(&placed(&gated, &[("A/storage.write/1", "pause:far")])), None);

    let late = LOCK.replace("clock.sleep(12.0 * number)", "clock.sleep(10.0 * number)");
    let overlap = Level { source: late, ..level("overlap", &["pause"], 1) };
    assert_eq!(rule(&placed(&overlap, &[("A/wake/2", "pause:over")])), Some("overlap"));
    assert_eq!(rule(&placed(&overlap, &[("A/wake/2", "pause:under")])), None);

    let release =
        Level { source: NODE.to_owned(), world: "node".to_owned(), ..level("release by another", &["pause"], 1) };
    assert_eq!(rule(&placed(&release, &[("A/locks.release/1", "pause:over")])), Some("release by another"));
    assert_eq!(rule(&placed(&release, &[("A/locks.release/1", "pause:under")])), None);
    let own = Level { source: NODE.replace("'taken'", "str(number)"), ..release };
    assert_eq!(rule(&placed(&own, &[("A/locks.release/1", "pause:over")])), None);
}

#[test]
fn a_move_that_another_one_took_the_place_of_is_told_and_the_rest_is_kept() {
    let level = level("stale write", &["pause", "lost_request"], 3);
    let wanted =
        [("A/locks.acquire/1", "lost_request"), ("A/storage.write/1", "pause:far"), ("B/wake/2", "pause:over")];
    let run = placed(&level, &wanted);
    let kept: Vec<&str> = run.placed.iter().map(|p| p.point.as_str()).collect();
    assert_eq!(kept, ["A/locks.acquire/1", "B/wake/2"]);
    let told: Vec<(&str, &str)> = run.misfits.iter().map(|m| (m.point.as_str(), m.message.as_str())).collect();
    let message = "“A is about to write to the storage” (no. 1) does not come about any more: what else was placed \
                   changed the run.";
    assert_eq!(told, [("A/storage.write/1", message)]);
}

#[test]
fn what_can_no_longer_go_wrong_at_a_place_is_told() {
    // A's lease is over when it comes to write, and pauses befall only those that hold.
    let level = level("overlap", &["pause"], 2);
    let run = placed(&level, &[("A/wake/2", "pause:over"), ("A/storage.write/1", "pause:under")]);
    assert_eq!(run.placed.len(), 1);
    assert!(
        run.misfits[0]
            .message
            .starts_with("A is about to write to the storage, but this can't go wrong there any more")
    );
}

#[test]
fn moves_after_the_end_beyond_the_number_or_at_one_place_are_told() {
    let stale = level("stale write", &["pause"], 2);
    let far = ("A/storage.write/1", "pause:far");
    let message = |moves: &[(&str, &str)]| placed(&stale, moves).misfits.iter().map(|m| m.message.clone()).collect();
    let told: Vec<String> = message(&[far, ("A/storage.write/9", "pause:far")]);
    assert_eq!(told, ["“A is about to write to the storage” (no. 9) comes no more: the rule is broken before it."]);
    let told: Vec<String> = message(&[far, ("A/storage.write/1", "pause:at")]);
    assert_eq!(told, ["Something else is placed here already."]);
    let told: Vec<String> = message(&[far, ("B/wake/2", "pause:at"), ("B/storage.write/1", "pause:at")]);
    assert_eq!(told.last().map(String::as_str), Some("This level allows 2 at most."));
}

#[test]
fn a_place_keeps_its_name_when_an_earlier_move_shifts_the_run() {
    let level = level("overlap", &["pause", "lost_reply"], 2);
    let run = placed(&level, &[("B/storage.write/1", "lost_reply"), ("A/wake/2", "pause:under")]);
    let names: Vec<&str> = run.placed.iter().map(|p| p.point.as_str()).collect();
    assert_eq!(names, ["A/wake/2", "B/storage.write/1"]);
    // Each stands at the event that shows it.
    let shown: Vec<String> = run.placed.iter().map(|p| run.trace.events[p.event].text(&run.trace.clients)).collect();
    assert!(shown[0].starts_with("A pauses") && shown[1].starts_with("the reply to B is lost"), "{shown:?}");
}

#[test]
fn a_process_that_wakes_comes_to_the_same_place_again_under_a_name_of_its_own() {
    let level = level("overlap", &["pause", "lost_request"], 2);
    let run = placed(&level, &[("A/storage.write/1", "pause:under"), ("A/storage.write/1+", "lost_request")]);
    assert_eq!((run.placed.len(), run.misfits.len()), (2, 0));
    let again = run.points.iter().find(|p| p.point == "A/storage.write/1+").expect("it comes again");
    assert_eq!(again.options.len(), 1, "who was just paused is not paused again: {:?}", again.options);
}

#[test]
fn the_shortest_attack_has_the_fewest_disturbances_and_says_how_far_it_looked() {
    let stale = level("stale write", &["lost_request", "pause"], 2);
    let order = Order { level: stale, moves: Vec::new(), replay: None };
    let found = shortest(&order).expect("it loads");
    let search = found.search.clone().expect("a search");
    assert_eq!((search.found, search.complete_to, found.placed.len()), (true, Some(0), 1));
    let calm = Order { level: level("stale write", &["lost_request"], 2), ..order };
    let none = shortest(&calm).expect("it loads");
    let search = none.search.expect("a search");
    assert_eq!((search.found, search.complete_to, none.broken), (false, Some(2), None));
    // Of four messages: none is lost, one, or one of each client, which ends at its first loss.
    assert_eq!(search.schedules, 1 + 4 + 4);
}

#[test]
fn the_same_order_gets_the_same_answer_and_its_replay_string_brings_the_run_back() {
    let level = level("stale write", &["pause", "lost_reply"], 2);
    let order = Order { level, moves: moves(&[("A/storage.write/1", "pause:far")]), replay: None };
    let run = attack(&order).expect("it loads");
    assert_eq!(attack(&order).expect("it loads"), run);
    let again = Order { moves: Vec::new(), replay: Some(run.replay.clone()), ..order.clone() };
    assert_eq!(attack(&again).expect("it fits"), run);
    let other = Order { level: Level { allowed: vec!["lost_reply".to_owned()], ..order.level.clone() }, ..again };
    assert!(matches!(attack(&other), Err(Refused::Replay(_))), "no pauses here");
}

#[test]
fn what_can_not_be_run_is_refused_in_a_sentence() {
    let error = |change: &dyn Fn(&mut Value)| {
        let mut order = json!({ "level": {
            "slug": "level", "allowed": ["pause"], "most": 1, "world": "open", "breaks": "overlap", "source": LOCK,
            "title": "left alone",
        }, "type": "attack" });
        change(&mut order);
        let answer: Value = serde_json::from_str(&answer(&order.to_string(), attack)).expect("JSON");
        answer["attack"]["error"].as_str().map(str::to_owned)
    };
    assert_eq!(error(&|_| ()), None);
    let expected = "the level names the disturbance \"flood\", which is not there";
    assert_eq!(error(&|order| order["level"]["allowed"][0] = "flood".into()).as_deref(), Some(expected));
    assert!(error(&|order| order["level"]["world"] = "moon".into()).is_some());
    assert!(error(&|order| order["level"]["breaks"] = "hearts".into()).is_some());
    assert!(error(&|order| order["level"]["source"] = "x = 1".into()).is_some_and(|e| e.contains("client")));
    assert!(error(&|order| order["level"] = Value::Null).is_some_and(|e| e.starts_with("the level can't be read")));
}

/// What the page's own code reads; a change here is a change there.
#[test]
fn the_answer_has_the_shape_that_the_page_reads() {
    let level = json!({
        "slug": "level", "allowed": ["pause", "lost_reply"], "most": 1, "world": "open", "breaks": "stale write",
        "source": LOCK,
    });
    let order = json!({ "level": level, "moves": [{ "point": "A/storage.write/1", "option": "pause:far" }] });
    let answer: Value = serde_json::from_str(&answer(&order.to_string(), attack)).expect("JSON");
    let run = &answer["attack"];
    let keys: Vec<&String> = run.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["broken", "misfits", "placed", "points", "replay", "trace"]);
    assert_eq!(
        run["points"][2],
        json!({
            "point": "A/storage.write/1", "event": 4, "at_us": 3_031_250, "client": 0,
            "what": "A is about to write to the storage",
            "options": [
                { "id": "pause:under", "kind": "pause",
                  "label": "A pauses for 6.95 s: just under what is left of its lease" },
                { "id": "pause:at", "kind": "pause",
                  "label": "A pauses for 6.98 s: exactly what is left of its lease" },
                { "id": "pause:over", "kind": "pause",
                  "label": "A pauses for 7 s: just over what is left of its lease" },
                { "id": "pause:far", "kind": "pause",
                  "label": "A pauses for 26.98 s: far over what is left of its lease" },
                { "id": "lost_reply", "kind": "lost_reply",
                  "label": "The reply is lost: it is done, and A never hears" },
            ],
        })
    );
    assert_eq!(
        run["placed"],
        json!([{
            "point": "A/storage.write/1", "option": "pause:far", "kind": "pause", "client": 0, "at_us": 3_031_250,
            "event": 4, "label": "A pauses for 26.98 s: far over what is left of its lease",
        }])
    );
    assert_eq!(run["broken"]["rule"], "stale write");
    let bad = run["trace"]["first_bad"].as_u64().expect("a bad event") as usize;
    assert_eq!(run["trace"]["events"][bad]["kind"], "wrote");
    assert_eq!(run["trace"]["clients"], json!(["A", "B"]));
}
