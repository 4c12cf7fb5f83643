//! The parts of a page.

mod chapter;
mod deeper;
mod header;
mod icons;
mod notices;
mod picture;
mod results;
mod run_bar;
mod score;
mod splitter;
mod test_detail;
mod test_list;
mod turn;

use web_sys::{Element, ScrollIntoViewOptions, ScrollLogicalPosition};

/// Scrolls as little as it takes to see an element, and without motion.
pub fn into_view(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

pub use chapter::{Chapter, marked_up, questions};
pub use header::Header;
pub use notices::Notices;
pub use picture::{GO, LINE, Picture, timeline};
pub use results::Results;
pub use run_bar::RunBar;
pub use splitter::{Axis, Splitter};
pub use turn::turn;
