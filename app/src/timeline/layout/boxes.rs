//! The places of all words in a picture, for tests: none may lie upon another one or leave the picture.

use super::bars::TAG;
use super::measure::width;
use super::{COIN, Layout, Row, SMALL, TEXT};

/// The place of some words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBox {
    pub left: i32,
    pub right: i32,
    pub top: i32,
    pub bottom: i32,
    pub words: String,
}

fn text(x: i32, base: i32, size: i32, words: &str) -> TextBox {
    let words = words.to_owned();
    TextBox { left: x, right: x + width(&words, size), top: base - size + 2, bottom: base + 3, words }
}

/// All of them, from top to bottom.
pub fn boxes(layout: &Layout) -> Vec<TextBox> {
    let mut boxes: Vec<TextBox> = layout.rows.iter().flat_map(|row| of_row(row, layout.words)).collect();
    boxes.extend(layout.bars.iter().filter_map(|bar| bar.tag.as_ref()).map(|tag| text(tag.x, tag.y, TAG, &tag.words)));
    boxes.extend(layout.breaks.iter().map(|gap| text(23, gap.y + 4, SMALL, &gap.elapsed)));
    boxes.extend(layout.cut.map(|y| text(layout.words, y, SMALL, "… and so on")));
    boxes.sort_by_key(|place| place.top);
    boxes
}

fn of_row(row: &Row, x: i32) -> Vec<TextBox> {
    let mut boxes = vec![text(x, row.y + 4, TEXT, &format!("{} {}", row.words.actor, row.words.text))];
    boxes.extend(row.time.as_ref().map(|time| text(8, row.y + 4, SMALL, &time.shown)));
    boxes.extend(row.coin.as_ref().map(|(x, token)| text(x - width(token, COIN) / 2, row.y + 4, COIN, token)));
    boxes.extend(row.captions.iter().map(|caption| text(x, caption.y, SMALL, &caption.words)));
    boxes
}

/// Says what is wrong with the places of words, if anything is.
pub fn faults(layout: &Layout) -> Vec<String> {
    let boxes = boxes(layout);
    let mut faults = Vec::new();
    for (i, one) in boxes.iter().enumerate() {
        if one.left < 0 || one.right > layout.width || one.top < 0 || one.bottom > layout.height {
            faults.push(format!("{one:?} leaves a picture of {}x{}", layout.width, layout.height));
        }
        let near = boxes[i + 1..].iter().take_while(|other| other.top < one.bottom);
        let upon = near.filter(|other| one.left < other.right && other.left < one.right);
        faults.extend(upon.map(|other| format!("{one:?} lies upon {other:?}")));
    }
    for pair in layout.lanes.windows(2) {
        let head = |i: usize| {
            let lane: &super::Lane = &pair[i];
            let wide = lane.head.iter().map(|line| width(line, super::HEAD)).max().unwrap_or(0);
            ((lane.left + lane.right - wide) / 2, (lane.left + lane.right + wide) / 2)
        };
        if head(0).1 > head(1).0 || pair[0].right > pair[1].left {
            faults.push(format!("{pair:?} stand upon each other"));
        }
    }
    faults
}
