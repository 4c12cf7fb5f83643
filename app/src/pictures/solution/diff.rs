//! Two files, line by line: which lines both have, and which only one of them. A pure function from two texts to passages.
//!
//! Of all ways to pair equal lines without crossing, one with the most pairs is taken (the longest common subsequence). A line
//! that only the first file has stands before one that only the second has.

/// So many lines around a difference are shown with it.
const CONTEXT: usize = 3;
/// More lines than that, after what both begin and end with, are not paired: it would take memory by the square.
const MOST: usize = 2_000;

/// Where a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum In {
    /// In both.
    Both,
    /// Only in the first.
    First,
    /// Only in the second.
    Second,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Where it is.
    pub is_in: In,
    /// Its number in the first file, from 1; of a line that is only in the second: of the next one.
    pub first: usize,
    /// The same for the second.
    pub second: usize,
    /// The line, without its end.
    pub text: &'a str,
}

/// All lines of both, in order.
pub fn lines<'a>(first: &'a str, second: &'a str) -> Vec<Line<'a>> {
    let (a, b): (Vec<&str>, Vec<&str>) = (first.lines().collect(), second.lines().collect());
    let start = alike(a.iter(), b.iter());
    let end = alike(a[start..].iter().rev(), b[start..].iter().rev());
    let (a_end, b_end) = (a.len() - end, b.len() - end);
    let pairs = Pairs::of(&a[start..a_end], &b[start..b_end]);
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < a.len() || j < b.len() {
        let is_in = if i < start || i >= a_end && j >= b_end {
            In::Both
        } else if i < a_end && (j >= b_end || pairs.only_first(i - start, j - start)) {
            In::First
        } else if i >= a_end || pairs.only_second(i - start, j - start) {
            In::Second
        } else {
            In::Both
        };
        let text = if is_in == In::Second { b[j] } else { a[i] };
        out.push(Line { is_in, first: i + 1, second: j + 1, text });
        i += usize::from(is_in != In::Second);
        j += usize::from(is_in != In::First);
    }
    out
}

/// The passages in which something differs, with [`CONTEXT`]. None for files that are the same.
pub fn passages<'l, 'a>(lines: &'l [Line<'a>]) -> Vec<&'l [Line<'a>]> {
    let mut passages: Vec<(usize, usize)> = Vec::new();
    for (i, _) in lines.iter().enumerate().filter(|(_, line)| line.is_in != In::Both) {
        let (from, to) = (i.saturating_sub(CONTEXT), (i + CONTEXT + 1).min(lines.len()));
        match passages.last_mut() {
            Some(last) if from <= last.1 => last.1 = to,
            _ => passages.push((from, to)),
        }
    }
    passages.into_iter().map(|(from, to)| &lines[from..to]).collect()
}

fn alike<'a>(a: impl Iterator<Item = &'a &'a str>, b: impl Iterator<Item = &'a &'a str>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// How many pairs are to be had from each two lines on.
struct Pairs {
    wide: usize,
    /// Empty if there are too many lines.
    most: Vec<u16>,
}

impl Pairs {
    fn of(a: &[&str], b: &[&str]) -> Self {
        let wide = b.len() + 1;
        if a.len() > MOST || b.len() > MOST {
            return Pairs { wide, most: Vec::new() };
        }
        let mut most = vec![0; (a.len() + 1) * wide];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                let (down, right) = ((i + 1) * wide + j, i * wide + j + 1);
                most[i * wide + j] = if a[i] == b[j] { most[down + 1] + 1 } else { most[down].max(most[right]) };
            }
        }
        Pairs { wide, most }
    }

    fn at(&self, i: usize, j: usize) -> u16 {
        self.most.get(i * self.wide + j).copied().unwrap_or(0)
    }

    /// Without the first file's line nothing is lost.
    fn only_first(&self, i: usize, j: usize) -> bool {
        self.at(i, j) == self.at(i + 1, j)
    }

    fn only_second(&self, i: usize, j: usize) -> bool {
        self.at(i, j) == self.at(i, j + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: &str, second: &str) -> String {
        let sign = |line: &Line| match line.is_in {
            In::Both => ' ',
            In::First => '-',
            In::Second => '+',
        };
        lines(first, second).iter().map(|line| format!("{}{}", sign(line), line.text)).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn lines_of_both_stand_once_and_what_was_replaced_stands_before_what_replaces_it() {
        assert_eq!(told("a\nb\nc\n", "a\nx\ny\nc\n"), " a\n-b\n+x\n+y\n c");
        assert_eq!(told("a\nb\n", "a\nb\n"), " a\n b");
        assert_eq!(told("", "a\n"), "+a");
        assert_eq!(told("a\n", ""), "-a");
        assert_eq!(told("", ""), "");
    }

    #[test]
    fn the_most_lines_are_paired() {
        assert_eq!(told("a\nb\nc\nd", "x\nb\nd\nc\ny"), "-a\n+x\n b\n-c\n d\n+c\n+y");
        assert_eq!(told("{\n}\n{\n}", "{\n}"), " {\n }\n-{\n-}");
    }

    #[test]
    fn each_line_has_its_number_in_both_files() {
        let at = |line: &Line| (line.first, line.second);
        assert_eq!(lines("a\nb\nc", "a\nx\nc").iter().map(at).collect::<Vec<_>>(), [(1, 1), (2, 2), (3, 2), (3, 3)]);
    }

    #[test]
    fn passages_have_three_lines_around_them_and_those_that_meet_are_one() {
        let text = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        let (first, mut second) = (text(40), text(40));
        for at in [10, 17, 30] {
            second[at] = "x".into();
        }
        let (first, second) = (first.join("\n"), second.join("\n"));
        let lines = lines(&first, &second);
        let passages: Vec<_> = passages(&lines).iter().map(|p| (p[0].first, p[p.len() - 1].first)).collect();
        assert_eq!(passages, [(8, 21), (28, 34)]);
        assert!(super::passages(&super::lines("a\nb", "a\nb")).is_empty());
    }

    #[test]
    fn both_files_can_be_read_out_of_the_lines_whatever_they_are() {
        let mut below = crate::noise::below(3);
        for _ in 0..500 {
            let mut file = || (0..below(14)).map(|_| ["a", "b", "c", ""][below(4)]).collect::<Vec<_>>();
            let (first, second) = (file().join("\n"), file().join("\n"));
            let all = lines(&first, &second);
            let of = |without: In| -> Vec<&str> {
                all.iter().filter(|line| line.is_in != without).map(|line| line.text).collect()
            };
            assert_eq!(of(In::Second), first.lines().collect::<Vec<_>>());
            assert_eq!(of(In::First), second.lines().collect::<Vec<_>>());
        }
    }

    #[test]
    fn files_that_are_too_long_are_told_apart_all_the_same() {
        let first = "a\n".repeat(MOST + 5);
        let all = lines(&first, "b\n");
        assert_eq!(all.len(), MOST + 6);
        assert_eq!(all.last().map(|line| line.is_in), Some(In::Second));
    }
}
