//! Writes each kata, each chapter, the contents and the levels as files that the page fetches: `katas FOLDER`. Solutions have
//! files of their own, which come only to those who ask for them. Called by the page's build (app/editor/build.mjs).

use leasehold_exercises::{Entry, chapters, contents, katas, levels, solution};
use std::path::Path;

fn main() -> Result<(), String> {
    let folder = std::env::args().nth(1).ok_or("usage: katas FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let solutions =
        katas().iter().filter_map(|kata| Some((format!("{}.solution", kata.slug), solution(kata.slug)?.to_owned())));
    let katas = katas().iter().map(|kata| (format!("{}.kata", kata.slug), kata.to_file()));
    let chapters = chapters().iter().map(|chapter| (format!("{}.chapter", chapter.slug), chapter.to_file()));
    let contents = [("book.contents".to_owned(), Entry::to_file(contents()))];
    let levels = [("levels.json".to_owned(), levels().to_owned())];
    for (name, text) in katas.chain(solutions).chain(chapters).chain(contents).chain(levels) {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
