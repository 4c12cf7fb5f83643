//! Runs suites on mutants, each in a process of its own: one that loops inside a native function can only be ended with its
//! process, and none sees what another left behind.

use super::Mutant;
use leasehold_checker::report::Outcome;
use leasehold_checker::suites::{self, Options};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Without progress for so long, a mutant is taken to loop for ever.
const LONGEST: Duration = Duration::from_secs(20);

/// Room for deep recursion, as the command `leasehold` has it.
const STACK: usize = 256 << 20;

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// This test failed.
    Killed(String),
    /// It passed every test.
    Survived,
    /// It was ended from outside, which kills it as well.
    Late,
    /// The checker fell over it: a defect of ours.
    Crashed(String),
}

/// Runs the suite of `slug` on each, `jobs` at a time, by calling `trust` (the path of the command) once for each.
pub fn all(trust: &Path, slug: &str, mutants: &[&Mutant], jobs: usize) -> Vec<Ending> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut endings = Vec::new();
        while let Some(mutant) = mutants.get(next.fetch_add(1, Ordering::Relaxed)) {
            endings.push((mutant.id.as_str(), in_a_process(trust, slug, &mutant.source)));
        }
        endings
    };
    let mut endings: Vec<(&str, Ending)> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker only waits for processes")).collect()
    });
    let place = |id: &str| mutants.iter().position(|mutant| mutant.id == id);
    endings.sort_by_key(|(id, _)| place(id));
    endings.into_iter().map(|(_, ending)| ending).collect()
}

fn in_a_process(trust: &Path, slug: &str, source: &str) -> Ending {
    let child = Command::new(trust)
        .args(["mutants", "--one", slug])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let output = child.and_then(|mut child| {
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(source.as_bytes())?;
        }
        child.wait_with_output()
    });
    let output = match output {
        Ok(output) => output,
        Err(error) => return Ending::Crashed(format!("no process could be run: {error}")),
    };
    let said = String::from_utf8_lossy(&output.stdout);
    match said.trim().split_once(' ').unwrap_or((said.trim(), "")) {
        ("killed", test) => Ending::Killed(test.to_owned()),
        ("survived", _) => Ending::Survived,
        ("late", _) => Ending::Late,
        _ => {
            let why = String::from_utf8_lossy(&output.stderr);
            Ending::Crashed(format!("{}: {}", output.status, why.lines().next().unwrap_or("no word")))
        }
    }
}

/// What the process for one mutant does: reads its source from standard input and says what became of it, in one line.
///
/// # Errors
/// There is no such kata, or the checker fell over it.
pub fn one(slug: &str) -> Result<String, String> {
    let mut source = String::new();
    std::io::stdin().read_to_string(&mut source).map_err(|e| format!("no source: {e}"))?;
    let slug = slug.to_owned();
    let (tell, told) = mpsc::channel();
    let judge = move || {
        let options = Options { ends_at_failure: true, ..Options::default() };
        let report = suites::check_with(&slug, &source, &options, &mut |_, _| drop(tell.send(None)));
        let line = report.map(|report| match report.tests.iter().find(|test| test.outcome != Outcome::Passed) {
            Some(test) => format!("killed {}", test.name),
            None => "survived".to_owned(),
        });
        drop(tell.send(Some(line.ok_or_else(|| format!("there is no kata {slug}")))));
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(judge);
    thread.map_err(|e| format!("no thread could be started: {e}"))?;
    loop {
        match told.recv_timeout(LONGEST) {
            Ok(None) => {}
            Ok(Some(line)) => return line,
            Err(mpsc::RecvTimeoutError::Timeout) => return Ok("late".to_owned()),
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err("the checker fell over it".to_owned()),
        }
    }
}
