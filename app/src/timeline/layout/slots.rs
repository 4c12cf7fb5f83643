//! Bars that run at once stand side by side: each gets the first place that is free.

use super::points::{Point, Span};

/// Most places beside a lane. Bars beyond share the last one.
pub const MOST: usize = 4;

/// Where a bar stands among those that run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Counted from the lane outwards.
    pub place: usize,
    /// Whether another bar runs there already.
    pub is_shared: bool,
}

/// Places for one lane's bars.
#[derive(Debug, Default)]
pub struct Slots {
    /// For each place, where its last bar ends.
    ends: Vec<Option<Point>>,
}

impl Slots {
    /// A place for a bar. They come in the order in which they begin.
    pub fn take(&mut self, span: Span) -> Slot {
        let free = self.ends.iter().position(|end| end.is_some_and(|end| end <= span.from));
        let place = free.unwrap_or(self.ends.len()).min(MOST - 1);
        let is_shared = free.is_none() && place < self.ends.len();
        if place == self.ends.len() {
            self.ends.push(span.to);
        } else {
            let end = &mut self.ends[place];
            // Shared until the last of those that share it is over.
            *end = if is_shared { end.and_then(|end| span.to.map(|to| to.max(end))) } else { span.to };
        }
        Slot { place, is_shared }
    }

    /// How many places were needed.
    pub fn count(&self) -> usize {
        self.ends.len()
    }
}
