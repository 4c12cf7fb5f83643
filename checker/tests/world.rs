//! The simulated world, run with real Python: what processes, tasks, clocks, the network and the faults do.

use leasehold_checker::model::lock_service::LockService;
use leasehold_checker::model::storage_gate::StorageGate;
use leasehold_checker::python;
use leasehold_checker::sim::disturbance::{Cue, Disturbance, Faults, Script};
use leasehold_checker::sim::server::Server;
use leasehold_checker::sim::servers::{CacheServer, DatabaseServer, LockServer, NodeServer, StorageServer};
use leasehold_checker::sim::world::{self, Cast, Ended, Namespaces, Settings, Stage, TICK_US};
use leasehold_checker::time::SECOND_US;
use leasehold_checker::trace::{Happening, Reply, Trace};

fn servers() -> Vec<Box<dyn Server>> {
    vec![
        Box::new(LockServer::new(LockService::new(7))),
        Box::new(StorageServer::new(StorageGate::default())),
        Box::<CacheServer>::default(),
        Box::<DatabaseServer>::default(),
        Box::new(NodeServer::new("node-1")),
        Box::new(NodeServer::new("node-2").down()),
    ]
}

const ONE: Settings = Settings { clients: 1, ..Settings::DEFAULT };

/// Runs the learner's `source`, whose `async def main(client, note)` each client's process runs.
fn play(settings: &Settings, source: &str, cues: &[Cue]) -> (Ended, Trace) {
    let driver = "import _leasehold\nasync def start(client, solution):\n    await solution['main'](client, \
                  lambda text: _leasehold.note('says', text))\n";
    python::enter(|py| {
        let program = py.compile(source).expect("the test's source compiles");
        let driver = py.run_driver(driver).expect("the driver loads");
        let cast = Cast { program: &program, driver: &driver, start: "start" };
        let mut trace = Trace { clients: vec!["A".into(), "B".into()], ..Trace::default() };
        let mut namespaces = Namespaces::default();
        let ended = world::run(
            py,
            settings,
            &cast,
            Stage { servers: servers(), properties: Vec::new() },
            &mut namespaces,
            &mut Script::new(cues),
            Some(&mut trace),
        );
        (ended, trace)
    })
}

/// What the code said, with the times in ticks of 1/64 s.
fn said(trace: &Trace) -> Vec<(u64, &str)> {
    let said = trace.events.iter().filter_map(|e| match &e.what {
        Happening::Noted { text, .. } => Some((e.at_us / TICK_US, text.as_str())),
        _ => None,
    });
    said.collect()
}

fn message(ended: &Ended) -> &str {
    ended.breach.as_ref().map_or("", |b| &b.message)
}

fn line(ended: &Ended) -> Option<u32> {
    ended.breach.as_ref()?.problem.as_ref()?.line
}

fn cue(client: usize, about: &'static str, nth: u32, what: Disturbance) -> Cue {
    Cue { client, about, nth, what }
}

#[test]
fn a_sleep_until_a_deadline_ends_at_it_and_the_shortest_sleep_takes_time() {
    let source = "\
from leasehold import *
async def main(client, note):
    clock = Clock()
    for n in range(1, 200):
        await clock.sleep(n * 0.000317)
        deadline = float(n)
        await clock.sleep(deadline - clock())
        assert clock() == deadline, (clock(), deadline)
    before = clock()
    await clock.sleep(1e-12)
    note(str(clock() > before))
";
    let settings = Settings { horizon_us: 300 * SECOND_US, ..ONE };
    let (ended, trace) = play(&settings, source, &[]);
    assert_eq!(message(&ended), "");
    assert_eq!(said(&trace), [(199 * 64, "True")]);
}

#[test]
fn a_task_can_tell_which_one_it_is() {
    let source = "\
from leasehold import *
async def which(clock, seen):
    seen.append(current_task())
    await clock.sleep(1)
    seen.append(current_task())
async def main(client, note):
    clock, seen = Clock(), []
    me, tasks = current_task(), [spawn(which(clock, seen)) for _ in 'ab']
    await which(clock, seen)
    for task in tasks:
        await task
    note(str([[me, *tasks].index(task) for task in seen]))
    note(str(seen[0] is me and seen[1] is tasks[0] and len(set(seen)) == 3))
    note(outside)
try:
    current_task()
except RuntimeError as problem:
    outside = str(problem)
";
    let (ended, trace) = play(&ONE, source, &[]);
    assert_eq!(message(&ended), "");
    let nowhere = "no task runs here: current_task() is for code that a task calls";
    assert_eq!(said(&trace), [(64, "[0, 1, 2, 0, 1, 2]"), (64, "True"), (64, nowhere)]);
}

#[test]
fn a_call_takes_a_round_trip_and_a_sleep_its_time() {
    let source = "\
from leasehold import *
async def main(client, note):
    clock, locks = Clock(), LockService()
    grant = await locks.acquire('job', 10)
    note(f'{grant.fencing_token} at {clock()}')
    await clock.sleep(1.5)
    note(f'slept until {clock()}')
    note(str(await locks.renew('job', grant.ownership_token, 10)))
    note(str(await locks.release('job', grant.ownership_token)))
    note(str(await locks.renew('job', grant.ownership_token, 10)))
";
    let (ended, trace) = play(&ONE, source, &[]);
    assert_eq!(message(&ended), "");
    let expected = [(2, "1 at 0.03125"), (98, "slept until 1.53125"), (100, "True"), (102, "True"), (104, "False")];
    assert_eq!(said(&trace), expected);
}

#[test]
fn nodes_keep_tokens_each_for_itself_and_one_that_is_down_is_silent() {
    let source = "\
from leasehold import *
async def main(client, note):
    first, second = Node('node-1'), Node('node-2')
    note(f\"{await first.acquire('job', 'mine', 10)} {await first.acquire('job', 'mine', 10)}\")
    try:
        await second.acquire('job', 'mine', 10)
    except TransportError:
        note('silent')
    note(f\"{await first.release('job', 'other')} {await first.release('job', 'mine')}\")
";
    let (ended, trace) = play(&ONE, source, &[]);
    assert_eq!(message(&ended), "");
    assert_eq!(said(&trace), [(4, "True False"), (68, "silent"), (72, "False True")]);
    let heard = trace.events.iter().find_map(|e| match &e.what {
        Happening::Answered { name, reply, .. } => Some((name.as_str(), reply.clone())),
        _ => None,
    });
    let granted = Reply::Granted { token: "mine".into(), expires_us: 10 * SECOND_US + TICK_US };
    assert_eq!(heard, Some(("job on node-1", granted)));
}

#[test]
fn a_lease_is_over_for_whoever_asks_at_the_instant_of_its_expiry() {
    let source = "\
from leasehold import *
async def main(client, note):
    locks, clock = LockService(), Clock()
    if client == 0:
        await locks.acquire('job', 1)
    else:
        # The request arrives with the expiry: the lease began at 1/64 s.
        await clock.sleep(1.0)
        note('granted' if await locks.acquire('job', 1) else 'refused')
";
    let (_, trace) = play(&Settings::DEFAULT, source, &[]);
    assert_eq!(said(&trace), [(66, "granted")]);
    let early = source.replace("sleep(1.0)", "sleep(0.984375)");
    let (_, trace) = play(&Settings::DEFAULT, &early, &[]);
    assert_eq!(said(&trace), [(65, "refused")]);
}

#[test]
fn processes_share_no_globals_and_tasks_of_one_process_do() {
    let source = "\
from leasehold import *
seen = []
async def beside(note):
    seen.append('task')
async def main(client, note):
    seen.append(client)
    await spawn(beside(note))
    note(str(seen))
";
    let (_, trace) = play(&Settings::DEFAULT, source, &[]);
    assert_eq!(said(&trace), [(0, "[0, 'task']"), (0, "[1, 'task']")]);
}

#[test]
fn a_pause_stops_every_task_of_its_process_while_leases_and_other_processes_go_on() {
    let source = "\
from leasehold import *
async def beside(clock, note):
    await clock.sleep(1)
    note(f'beside at {clock():g}')
async def main(client, note):
    clock, locks = Clock(), LockService()
    if client == 1:
        await clock.sleep(3)
        note('B granted' if await locks.acquire('job', 9) else 'B refused')
        return
    grant = await locks.acquire('job', 2)
    task = spawn(beside(clock, note))
    await clock.sleep(0.5)
    note(f'main at {clock():g}')
    note(str(await locks.renew('job', grant.ownership_token, 2)))
    await task
";
    let (_, trace) = play(&Settings::DEFAULT, source, &[cue(0, "wake", 0, Disturbance::Pause(5 * SECOND_US))]);
    let texts: Vec<&str> = said(&trace).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["B granted", "main at 5.53125", "beside at 5.53125", "False"]);
    assert!(trace.events.iter().any(|e| matches!(e.what, Happening::Expired { client: 0, .. })));
}

#[test]
fn a_lost_request_is_not_done_and_a_lost_reply_is_and_the_caller_can_not_tell() {
    let source = "\
from leasehold import *
async def main(client, note):
    clock, locks = Clock(), LockService()
    try:
        await locks.acquire('job', 10)
    except TransportError as error:
        note(f'unknown at {clock():g}')
    note('granted' if await locks.acquire('job', 10) else 'refused')
";
    let (_, trace) = play(&ONE, source, &[cue(0, "locks.acquire", 0, Disturbance::LoseRequest)]);
    assert_eq!(said(&trace), [(64, "unknown at 1"), (66, "granted")]);
    let (_, trace) = play(&ONE, source, &[cue(0, "locks.acquire", 0, Disturbance::LoseReply)]);
    assert_eq!(said(&trace).iter().map(|(_, t)| *t).collect::<Vec<_>>(), ["unknown at 1.01562", "refused"]);
}

#[test]
fn a_late_reply_comes_to_nobody_and_a_slow_one_in_time_does() {
    let source = "\
from leasehold import *
async def main(client, note):
    clock, locks = Clock(), LockService()
    try:
        note('granted' if await locks.acquire('job', 10) else 'refused')
    except TransportError:
        note('unknown')
    await clock.sleep(20)
";
    let delay = |us| [cue(0, "locks.acquire", 0, Disturbance::DelayReply(us))];
    assert_eq!(said(&play(&ONE, source, &delay(SECOND_US / 2)).1), [(34, "granted")]);
    assert_eq!(said(&play(&ONE, source, &delay(5 * SECOND_US)).1), [(65, "unknown")]);
}

#[test]
fn a_duplicated_request_is_served_twice_and_answered_once() {
    let source = "\
from leasehold import *
async def main(client, note):
    locks = LockService()
    note('granted' if await locks.acquire('job', 10) else 'refused')
    await Clock().sleep(1)
";
    let (_, trace) = play(&ONE, source, &[cue(0, "locks.acquire", 0, Disturbance::Duplicate)]);
    assert_eq!(said(&trace).len(), 1);
    let served: Vec<&Reply> = trace
        .events
        .iter()
        .filter_map(|e| match &e.what {
            Happening::Served { reply, .. } => Some(reply),
            _ => None,
        })
        .collect();
    assert!(matches!(served[..], [Reply::Granted { .. }, Reply::Refused]));
}

#[test]
fn a_partition_loses_what_is_sent_both_ways_until_it_ends() {
    let source = "\
from leasehold import *
async def main(client, note):
    clock, locks = Clock(), LockService()
    for attempt in range(4):
        try:
            await locks.acquire(str(attempt), 10)
            note(f'{attempt} done')
        except TransportError:
            note(f'{attempt} unknown')
";
    let (_, trace) = play(&ONE, source, &[cue(0, "locks.acquire", 1, Disturbance::Partition(3 * SECOND_US / 2))]);
    let texts: Vec<&str> = said(&trace).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["0 done", "1 unknown", "2 unknown", "3 done"]);
}

#[test]
fn a_crashed_process_starts_again_with_empty_memory_and_its_lease_runs_on() {
    let source = "\
from leasehold import *
lives = []
async def main(client, note):
    clock, locks = Clock(), LockService()
    lives.append(1)
    try:
        note('granted' if await locks.acquire('job', 100) else 'refused')
        await clock.sleep(5)
        note(f'lives {len(lives)}')
    finally:
        note('finally')
";
    let (ended, trace) = play(&ONE, source, &[cue(0, "wake", 0, Disturbance::Crash)]);
    assert_eq!(message(&ended), "");
    let texts: Vec<&str> = said(&trace).into_iter().map(|(_, text)| text).collect();
    // What died runs no `finally`.
    assert_eq!(texts, ["granted", "refused", "lives 1", "finally"]);
}

#[test]
fn a_step_of_the_wall_clock_leaves_the_monotonic_one_alone() {
    let source = "\
from leasehold import *
import time
async def main(client, note):
    clock = Clock()
    wall, mono = clock.wall(), clock()
    await clock.sleep(1)
    note(f'{clock.wall() - wall:g} {time.time() - wall:g} {clock() - mono:g} {time.monotonic() - mono:g}')
";
    let back = [cue(0, "wake", 0, Disturbance::StepWall(-3600 * SECOND_US as i64))];
    assert_eq!(said(&play(&ONE, source, &back).1), [(64, "-3599 -3599 1 1")]);
    assert_eq!(said(&play(&ONE, source, &[]).1), [(64, "1 1 1 1")]);
}

#[test]
fn a_fast_clock_wakes_early_by_the_worlds_time_and_never_by_its_own() {
    let source = "\
from leasehold import *
async def main(client, note):
    clock = Clock()
    await clock.sleep(10)
    note(f'{clock() >= 10} {clock():.3f}')
";
    let drifting = |ppm| Settings { drift_ppm: [ppm, 0, 0, 0], ..ONE };
    let (_, trace) = play(&drifting(1000), source, &[]);
    assert_eq!(said(&trace), [(639, "True 10.000")]);
    let (_, trace) = play(&drifting(-1000), source, &[]);
    assert_eq!(said(&trace), [(640, "True 10.000")]);
    assert!(trace.events[0].at_us > 10 * SECOND_US);
}

#[test]
fn another_order_of_tasks_is_a_choice_of_the_schedule() {
    let source = "\
from leasehold import *
async def beside(note, name):
    note(name)
async def main(client, note):
    spawn(beside(note, 'first'))
    spawn(beside(note, 'second'))
    await Clock().sleep(1)
";
    let order = |cues: &[Cue]| {
        let (_, trace) = play(&Settings { faults: Faults::ALL, ..ONE }, source, cues);
        said(&trace).into_iter().map(|(_, text)| text.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(order(&[]), ["first", "second"]);
    assert_eq!(order(&[cue(0, "", 0, Disturbance::RunNext(1))]), ["second", "first"]);
}

#[test]
fn a_cancelled_task_is_told_where_it_awaits_and_what_it_awaited_is_void() {
    let source = "\
from leasehold import *
async def beside(note):
    try:
        await Clock().sleep(5)
    except Cancelled:
        note('cancelled')
        raise
async def main(client, note):
    task = spawn(beside(note))
    await Clock().sleep(1)
    note(str(task.done()))
    task.cancel()
    await Clock().sleep(0)
    note(str(task.done()))
    task.cancel()
    try:
        await task
    except Cancelled:
        note('told')
";
    let (ended, trace) = play(&ONE, source, &[]);
    assert_eq!(message(&ended), "");
    assert_eq!(said(&trace), [(64, "False"), (64, "cancelled"), (64, "True"), (64, "told")]);
}

#[test]
fn a_task_that_cancels_itself_is_told_where_it_awaits_next_or_never() {
    let source = "\
from leasehold import *
tasks = []
async def ends(note):
    tasks[0].cancel()
    note('ends')
async def goes_on(note):
    tasks[1].cancel()
    try:
        await LockService().acquire('job', 10)
    except Cancelled:
        note('cancelled')
    await Clock().sleep(1)
    note('goes on')
async def main(client, note):
    tasks.append(spawn(ends(note)))
    tasks.append(spawn(goes_on(note)))
    await Clock().sleep(2)
    note(f'{tasks[0].done()} {tasks[1].done()}')
";
    let (ended, trace) = play(&ONE, source, &[]);
    assert_eq!(message(&ended), "");
    assert_eq!(said(&trace), [(0, "ends"), (0, "cancelled"), (64, "goes on"), (128, "True True")]);
}

#[test]
fn signals_mutexes_and_joins_wake_who_waits() {
    let source = "\
from leasehold import *
async def wait(signal, note, timeout):
    note(f'{timeout}: {await signal.wait(timeout)}')
    return timeout
async def inside(mutex, note, name):
    async with mutex:
        note(name + ' in')
        await Clock().sleep(1)
    note(name + ' out')
async def fails():
    raise KeyError('k')
async def main(client, note):
    signal, mutex = Signal(), Mutex()
    short, long = spawn(wait(signal, note, 1)), spawn(wait(signal, note, 3))
    await Clock().sleep(2)
    signal.set()
    note(f'{await short} {await long} {await signal.wait()}')
    tasks = [spawn(inside(mutex, note, name)) for name in 'ab']
    for task in tasks:
        await task
    try:
        await spawn(fails())
    except KeyError as error:
        note(f'KeyError {error}')
";
    let (ended, trace) = play(&ONE, source, &[]);
    assert_eq!(message(&ended), "");
    let expected = [
        (64, "1: False"),
        (128, "3: True"),
        (128, "1 3 True"),
        (128, "a in"),
        (192, "a out"),
        (192, "b in"),
        (256, "b out"),
        (256, "KeyError 'k'"),
    ];
    assert_eq!(said(&trace), expected);
}

#[test]
fn a_watch_fires_on_release_and_at_once_if_the_lock_is_free_and_not_after_it_was_closed() {
    let source = "\
from leasehold import *
async def main(client, note):
    clock, locks = Clock(), LockService()
    if client == 0:
        grant = await locks.acquire('job', 50)
        await clock.sleep(2)
        await locks.release('job', grant.ownership_token)
        return
    await clock.sleep(1)
    watch, closed = await locks.watch('job'), await locks.watch('job')
    await closed.close()
    note(f'early {await watch.fired(0.5)}')
    note(f'late {await watch.fired(10)} {clock():.2f}')
    note(f'again {await watch.fired(1)}')
    note(f'closed {await closed.fired(1)}')
    note(f'free {await (await locks.watch(\"job\")).fired(1)}')
";
    let (ended, trace) = play(&Settings::DEFAULT, source, &[]);
    assert_eq!(message(&ended), "");
    let texts: Vec<&str> = said(&trace).into_iter().map(|(_, text)| text).filter(|t| !t.contains("watch")).collect();
    assert_eq!(texts, ["early False", "late True 2.06", "again True", "closed False", "free True"]);
}

#[test]
fn the_storage_rejects_a_smaller_token_and_the_cache_commits_all_or_nothing() {
    let source = "\
from leasehold import *
async def main(client, note):
    storage, cache = Storage(), Cache()
    await storage.write('job', 2, 'new')
    await storage.write('job', 2, 'again')
    try:
        await storage.write('job', 1, 'old')
    except StaleFencingToken as error:
        note(f'stale: {error}')
    note(str(await storage.read('job')))
    first, second = await cache.read('a', 'b')
    note(str(await cache.commit({'a': first.version}, {'a': 1, 'b': [1, {'x': None}]})))
    note(str(await cache.commit({'a': first.version}, {'a': 2})))
    note(str(await cache.read('a', 'b', 'c')))
";
    let (ended, trace) = play(&ONE, source, &[]);
    assert_eq!(message(&ended), "");
    let texts: Vec<&str> = said(&trace).into_iter().map(|(_, text)| text).collect();
    let entries = "[Entry(1, version=1), Entry([1, {'x': None}], version=2), Entry(None, version=0)]";
    assert_eq!(texts, ["stale: token 1 is smaller than the mark 2", "again", "True", "False", entries]);
}

#[test]
fn a_row_lock_makes_the_second_transaction_wait() {
    let source = "\
from leasehold import *
async def main(client, note):
    db, clock = Database(), Clock()
    if client == 0:
        async with await db.begin() as tx:
            await tx.put('row', 1)
    await clock.sleep(1)
    async with await db.begin() as tx:
        value = await tx.get_for_update('row')
        note(f'{client} read {value} at {clock():.2f}')
        await clock.sleep(1)
        await tx.put('row', value + 1)
    async with await db.begin() as tx:
        note(f'{client} sees {await tx.get(\"row\")}')
";
    let (ended, trace) = play(&Settings::DEFAULT, source, &[]);
    assert_eq!(message(&ended), "");
    let texts: Vec<&str> = said(&trace).into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["1 read 1 at 1.06", "0 read 2 at 2.12", "1 sees 2", "0 sees 3"]);
}

#[test]
fn a_row_holds_plain_values_and_its_name_is_a_text() {
    let source = "\
from leasehold import *
async def main(client, note):
    async with await Database().begin() as tx:
        await tx.put('row', {2: 'two', None: (1, True), 'text': {0.5: []}})
        note(str(await tx.get('row')))
        for name in (7, ('row', 1)):
            try:
                await tx.put(name, 1)
            except BadRequest as error:
                note(str(error))
";
    let (ended, trace) = play(&ONE, source, &[]);
    assert_eq!(message(&ended), "");
    let texts: Vec<&str> = said(&trace).into_iter().map(|(_, text)| text).collect();
    let expected = [
        "{2: 'two', None: [1, True], 'text': {0.5: []}}",
        "put: the name of a row is a text (str), and not an int, such as 7",
        "put: the name of a row is a text (str), and not a list, such as ['row', 1]",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn a_transaction_that_the_database_does_not_hear_of_is_rolled_back_and_its_locks_are_free() {
    let source = "\
from leasehold import *
async def main(client, note):
    db, clock = Database(), Clock()
    if client == 1:
        await clock.sleep(1)
    tx = await db.begin()
    await tx.put('row', client)
    note(f'{client} has the row at {clock():.2f}')
    await clock.sleep(9.5 if client else 10.5)
    try:
        await tx.commit()
        note(f'{client} committed')
    except TransactionOver:
        note(f'{client} is too late')
";
    let (ended, trace) = play(&Settings::DEFAULT, source, &[]);
    assert_eq!(message(&ended), "");
    let texts: Vec<&str> = said(&trace).into_iter().map(|(_, text)| text).collect();
    // Whoever waits for a lock is not idle.
    assert_eq!(texts, ["0 has the row at 0.06", "1 has the row at 10.06", "0 is too late", "1 committed"]);
}

#[test]
fn a_run_that_ends_before_a_finally_has_awaited_prints_nothing() {
    let source = "\
from leasehold import *
async def main(client, note):
    if client == 0:
        await Clock().sleep(5)
        raise ValueError('the run ends here')
    async with await Database().begin():
        await Clock().sleep(9)
";
    let (ended, _) = play(&Settings::DEFAULT, source, &[]);
    assert!(message(&ended).contains("the run ends here"), "{}", message(&ended));
    assert_eq!(python::enter(|py| py.take_output()), "");
}

#[test]
fn what_was_not_awaited_is_named_with_its_line() {
    let source = "\
from leasehold import *
async def helper():
    pass
async def main(client, note):
    LockService().acquire('job', 10)
    await Clock().sleep(1)
";
    let (ended, _) = play(&ONE, source, &[]);
    assert!(
        message(&ended).starts_with("The coroutine LockService.acquire() was never awaited (line 5)"),
        "{}",
        message(&ended)
    );
    assert_eq!(line(&ended), Some(5));
    let own = source.replace("    LockService().acquire('job', 10)\n", "    helper()\n");
    assert!(message(&play(&ONE, &own, &[]).0).contains("helper() was never awaited (line 5)"));
}

#[test]
fn what_we_did_not_hand_out_can_not_be_awaited() {
    let source = "\
from leasehold import *
class Foreign:
    def __await__(self):
        yield 'x'
async def main(client, note):
    await Foreign()
";
    let (ended, _) = play(&ONE, source, &[]);
    assert!(
        message(&ended).starts_with("The code awaited 'x', which does not come from the simulation."),
        "{}",
        message(&ended)
    );
    assert_eq!(line(&ended), Some(6));
    let number = source.replace("await Foreign()", "await 5");
    assert_eq!(line(&play(&ONE, &number, &[]).0), Some(6));
}

#[test]
fn blocking_and_spinning_and_endless_loops_end_in_words_with_their_line() {
    let with = |body: &str| {
        let source = format!(
            "from leasehold import *\nimport time\nasync def main(client, note):\n    clock = Clock()\n    {body}\n"
        );
        let (ended, _) = play(&ONE, &source, &[]);
        (message(&ended).to_owned(), line(&ended))
    };
    let (text, line) = with("time.sleep(1)");
    assert!(text.contains("would stop the whole simulated process"), "{text}");
    assert_eq!(line, Some(5));
    let (text, line) = with("while True: await clock.sleep(0)");
    assert!(text.starts_with("The code spins at line 5"), "{text}");
    assert_eq!(line, Some(5));
    let (text, line) = with("while True: pass");
    assert!(text.contains("still running"), "{text}");
    assert_eq!(line, Some(5));
    let (text, _) = with("await clock.sleep(1e300)");
    assert_eq!(text, "", "a sleep that never ends is none of the world's business");
    let (text, line) = with("await clock.sleep(float('nan'))");
    assert!(text.contains("NaN is no number"), "{text}");
    assert_eq!(line, Some(5));
    let (text, _) = with("await clock.sleep(-5)");
    assert_eq!(text, "");
    let (text, line) = with("await LockService().acquire('job', object())");
    assert!(text.contains("can't be sent over the network"), "{text}");
    assert_eq!(line, Some(5));
    let (text, line) = with("await LockService().acquire({(1, 2): 3}, 1)");
    assert!(text.contains("None, bool, int, float or str, and not of the type tuple"), "{text}");
    assert_eq!(line, Some(5));
    let (text, line) = with("spawn(clock)");
    assert!(text.contains("spawn() takes a coroutine"), "{text}");
    assert_eq!(line, Some(5));
}

#[test]
fn an_exception_in_a_background_task_that_nobody_awaits_is_told() {
    let source = "\
from leasehold import *
async def beside():
    raise ValueError('oops')
async def main(client, note):
    spawn(beside())
    await Clock().sleep(1)
";
    let (ended, _) = play(&ONE, source, &[]);
    assert!(
        message(&ended).starts_with("A background task ended with an exception that nobody saw: ValueError: oops.")
    );
    assert_eq!(line(&ended), Some(3));
}

#[test]
fn the_same_schedule_gives_the_same_trace_again() {
    let source = "\
from leasehold import *
import random
async def main(client, note):
    clock, locks = Clock(), LockService()
    for _ in range(5):
        await clock.sleep(random.random())
        grant = await locks.acquire('job', 1)
        note(f'{client}: {grant}')
";
    let once = play(&Settings::DEFAULT, source, &[]).1;
    assert_eq!(once, play(&Settings::DEFAULT, source, &[]).1);
    let times: Vec<u64> = said(&once).iter().map(|(at, _)| *at).collect();
    assert!(times.windows(2).any(|w| w[0] != w[1]));
}
