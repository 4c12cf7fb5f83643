//! The parts of a page.

mod chapter;
mod header;
mod icons;
mod notices;
mod results;
mod run_bar;
mod splitter;
mod test_detail;
mod test_list;

pub use chapter::Chapter;
pub use header::Header;
pub use notices::Notices;
pub use results::Results;
pub use run_bar::RunBar;
pub use splitter::{Axis, Splitter};
