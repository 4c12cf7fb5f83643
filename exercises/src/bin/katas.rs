//! Writes each kata as a file that the page fetches: `katas FOLDER`. Called by the page's build (app/editor/build.mjs).

use std::path::Path;

fn main() -> Result<(), String> {
    let folder = std::env::args().nth(1).ok_or("usage: katas FOLDER")?;
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for kata in leasehold_exercises::katas() {
        let path = folder.join(format!("{}.kata", kata.slug));
        std::fs::write(&path, kata.to_file()).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}
