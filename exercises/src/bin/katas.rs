//! Writes each kata, each chapter, each page of the museum, and the contents of the book and of the museum as files that
//! the page fetches: `katas FOLDER`. Called by the page's build (app/editor/build.mjs).

use leasehold_exercises::{Entry, chapters, contents, hall, katas, museum};
use std::path::Path;

fn main() -> Result<(), String> {
    let folder = std::env::args().nth(1).ok_or("usage: katas FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let katas = katas().iter().map(|kata| (format!("{}.kata", kata.slug), kata.to_file()));
    let chapters = chapters().iter().map(|chapter| (format!("{}.chapter", chapter.slug), chapter.to_file()));
    let museum = museum().iter().map(|page| (format!("{}.museum", page.slug), page.to_file()));
    // The museum is no page of the book, and the way to it stands after those.
    let book: Vec<Entry> = contents().iter().chain(hall().first()).copied().collect();
    let contents = [("book.contents", &book[..]), ("museum.contents", hall())];
    let contents = contents.map(|(name, entries)| (name.to_owned(), Entry::to_file(entries)));
    for (name, text) in katas.chain(chapters).chain(museum).chain(contents) {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
