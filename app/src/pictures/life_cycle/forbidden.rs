//! Where ways are drawn that no handle may take: between the others, and bent.

use crate::pictures::states::{Way, place};

/// Beside the straight ways between the same states, so that both can be seen.
pub fn way(from: &str, to: &str) -> Way {
    let bent = |line: &str, words, anchor| Way { line: line.to_owned(), words, anchor };
    match (from, to) {
        ("lost", "held") => bent("M505 200Q520 120 414 73", (502, 128), "start"),
        ("released", "held") => bent("M228 200Q246 112 316 73", (250, 122), "end"),
        ("lost", "released") => bent("M414 212H269", (340, 203), "middle"),
        ("released", "lost") => bent("M266 230Q340 250 411 232", (340, 260), "middle"),
        _ => between(place(from), place(to)),
    }
}

/// Any other: from middle to middle, less the boxes, and bent to the left.
fn between((x, y): (i32, i32), to: (i32, i32)) -> Way {
    let (dx, dy) = (to.0 - x, to.1 - y);
    if (dx, dy) == (0, 0) {
        let line = format!("M{} {} c-50 -30 -50 46 -4 22", x - 56, y - 8);
        return Way { line, words: (x - 60, y + 32), anchor: "middle" };
    }
    let (middle, aside) = ((x + dx / 2, y + dy / 2), (dy / 4, -dx / 4));
    let bend = (middle.0 + aside.0, middle.1 + aside.1);
    let line = format!("M{} {}Q{} {} {} {}", x + dx / 5, y + dy / 5, bend.0, bend.1, to.0 - dx / 5, to.1 - dy / 5);
    Way { line, words: (middle.0 + aside.0 / 2, middle.1 + aside.1 / 2), anchor: "middle" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pictures::states;

    #[test]
    fn no_way_covers_another() {
        let all = || states::STATES.into_iter().flat_map(|from| states::STATES.map(|to| (from, to)));
        let allowed = [
            ("acquiring", "held"),
            ("acquiring", "released"),
            ("held", "held"),
            ("held", "lost"),
            ("held", "released"),
        ];
        let mut ways: Vec<Way> = allowed.map(|(from, to)| states::way(from, to)).into();
        ways.extend(all().filter(|pair| !allowed.contains(pair)).map(|(from, to)| way(from, to)));
        assert_eq!(ways.len(), 16);
        for (i, way) in ways.iter().enumerate() {
            assert!(ways[..i].iter().all(|other| other.line != way.line && other.words != way.words), "{way:?}");
        }
    }
}
