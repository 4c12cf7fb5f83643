//! Writes each kata, each chapter, each page of the museum, the contents of the book and of the museum, and the levels as
//! files that the page fetches: `katas FOLDER`. Solutions have files of their own, which come only to those who ask for
//! them. Called by the page's build (app/editor/build.mjs).

use leasehold_exercises::{Entry, chapters, contents, hall, katas, levels, museum, solution};
use std::path::Path;

fn main() -> Result<(), String> {
    let folder = std::env::args().nth(1).ok_or("usage: katas FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let solutions =
        katas().iter().filter_map(|kata| Some((format!("{}.solution", kata.slug), solution(kata.slug)?.to_owned())));
    let katas = katas().iter().map(|kata| (format!("{}.kata", kata.slug), kata.to_file()));
    let chapters = chapters().iter().map(|chapter| (format!("{}.chapter", chapter.slug), chapter.to_file()));
    let museum = museum().iter().map(|page| (format!("{}.museum", page.slug), page.to_file()));
    // The museum is no page of the book, and the way to it stands after those.
    let book: Vec<Entry> = contents().iter().chain(hall().first()).copied().collect();
    let contents = [("book.contents", &book[..]), ("museum.contents", hall())];
    let contents = contents.map(|(name, entries)| (name.to_owned(), Entry::to_file(entries)));
    let levels = [("levels.json".to_owned(), levels().to_owned())];
    for (name, text) in katas.chain(solutions).chain(chapters).chain(museum).chain(contents).chain(levels) {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
