use super::boxes::faults;
use super::*;

#[test]
fn recorded() {
    let Ok(dir) = std::env::var("TRACES") else { return };
    let (mut count, mut bad, mut widths) = (0, 0, BTreeMap::<i32, usize>::new());
    for entry in std::fs::read_dir(dir).unwrap() {
        let Ok(report) = serde_json::from_str::<leasehold_checker::report::Report>(&std::fs::read_to_string(entry.unwrap().path()).unwrap()) else { continue };
        for test in report.tests {
            let Some(trace) = test.trace else { continue };
            let layout = layout(&trace);
            count += 1;
            *widths.entry(layout.width).or_default() += 1;
            let faults = faults(&layout);
            if !faults.is_empty() {
                bad += 1;
                if bad < 12 { println!("{} {} {}: {}", report.kata, test.name, faults.len(), faults[0]); }
            }
        }
    }
    println!("{count} traces, {bad} bad, widths {widths:?}");
}
