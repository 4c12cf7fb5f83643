//! The page.

fn main() {
    leasehold_app::start();
}
