//! A kata's place in the storage, as one page knows it. Another page (a second tab) may store there too: before anything is
//! written, what is there is held against what this page saw last, and other code is never written over without a word.

use super::record::{self, Progress, RECORD_VERSION, Record, Restored};
use super::{SaveError, fingerprint, key, remove, set_aside, set_text, text};

/// See the module.
pub struct Place {
    key: String,
    /// [`Record::starter_hash`].
    began_from: String,
    known: Known,
    /// [`fingerprint`] of the code that this page stored last, or found.
    settled: String,
    /// Where this page's own code lies as long as the place holds another page's.
    draft: Option<String>,
}

/// What was stored when this page last looked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    revision: u32,
    progress: Progress,
}

/// What came of a save or a look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    /// The place holds this page's code, or what it was when the page last looked. The progress is that of all pages.
    Kept(Progress),
    /// Another page has stored other code, which was left there. This page's own lies aside.
    Clash(Record),
    /// Another page has taken the record out.
    Gone,
}

impl Place {
    /// A kata's place that nobody has looked at.
    pub fn unseen(slug: &str, starter: &str) -> Self {
        let began_from = fingerprint(starter);
        let settled = began_from.clone();
        Place { key: key(slug), began_from, known: Known::default(), settled, draft: None }
    }

    /// Looks at a kata's place: what is to be shown, and how far the learner has come. What can't be read is moved aside.
    pub fn open(slug: &str, starter: &str) -> (Self, Restored) {
        let mut place = Place::unseen(slug, starter);
        let Ok(stored) = text(&place.key) else { return (place, Restored::Blocked) };
        let restored = match stored.as_deref().map(record::parse) {
            None => Restored::Nothing,
            Some(Ok(record)) => place.take_over(record, starter),
            Some(Err(trouble)) => {
                // If there is no room, the next save tries again before it writes.
                set_aside(&place.key, stored.as_deref().unwrap_or_default());
                trouble
            }
        };
        (place, restored)
    }

    fn take_over(&mut self, record: Record, starter: &str) -> Restored {
        self.known = Known { revision: record.revision, progress: record.progress };
        let began_from = record.starter_hash.clone();
        let restored = record::restored(record, starter);
        if let Restored::Code { code, .. } = &restored {
            self.began_from = began_from;
            self.settled = fingerprint(code);
        }
        restored
    }

    /// How far the learner had come when this page last looked.
    pub fn progress(&self) -> Progress {
        self.known.progress
    }

    /// The code begins from this starter from now on; stored with the next save.
    pub fn begin_from(&mut self, starter: &str) {
        self.began_from = fingerprint(starter);
    }

    /// Stores code and progress. `now_ms` is the wall clock, for the day of the first full pass.
    pub fn save(&mut self, code: &str, progress: Progress, now_ms: f64) -> Result<Saved, SaveError> {
        let stored = self.stored()?;
        let is_stored = stored.as_ref().is_some_and(|stored| stored.code == code);
        let mut mine = self.mine(code, progress);
        if mine.progress.is_solved() && mine.progress.solved_ms == 0 {
            mine.progress.solved_ms = now_ms as u64;
        }
        let (record, is_clash) = join(stored, self, mine.clone());
        let full = if is_stored { SaveError::NotNoted } else { SaveError::Full };
        set_text(&self.key, &to_json(&record)).map_err(|_| full)?;
        self.known.progress = record.progress;
        if is_clash {
            self.keep_draft(&mine)?;
            return Ok(Saved::Clash(record));
        }
        self.known.revision = record.revision;
        self.settled = fingerprint(code);
        Ok(Saved::Kept(record.progress))
    }

    /// What was typed while the place holds another page's code lies beside it.
    fn keep_draft(&mut self, mine: &Record) -> Result<(), SaveError> {
        if let Some(draft) = &self.draft {
            return set_text(draft, &to_json(mine));
        }
        if fingerprint(&mine.code) != self.settled {
            self.draft = Some(set_aside(&self.key, &to_json(mine)).ok_or(SaveError::Full)?);
        }
        Ok(())
    }

    /// Another page may have stored something: what that means for this one. Writes nothing.
    pub fn look(&mut self, code: &str, progress: Progress) -> Option<Saved> {
        let Some(stored) = self.stored().ok()? else {
            self.known = Known::default();
            return Some(Saved::Gone);
        };
        let (joined, is_clash) = join(Some(stored.clone()), self, self.mine(code, progress));
        self.known.progress = stored.progress;
        if is_clash {
            return Some(Saved::Clash(joined));
        }
        self.known.revision = stored.revision;
        self.settled = fingerprint(&stored.code);
        Some(Saved::Kept(joined.progress))
    }

    /// What the other page stored is set aside, so that the next save writes over it.
    pub fn keep_mine(&mut self) -> Result<(), SaveError> {
        if let Some(stored) = self.stored()? {
            set_aside(&self.key, &to_json(&stored)).ok_or(SaveError::Full)?;
            self.known.revision = stored.revision;
            self.settled = fingerprint(&stored.code);
        }
        // What it held is about to be stored in its place.
        if let Some(draft) = self.draft.take() {
            remove(&draft);
        }
        Ok(())
    }

    /// The other page's code is this one's from now on. What this one had stays aside.
    pub fn take(&mut self, theirs: &Record) {
        self.known.revision = theirs.revision;
        self.settled = fingerprint(&theirs.code);
        self.began_from.clone_from(&theirs.starter_hash);
        self.draft = None;
    }

    /// Keeps code aside that is about to be replaced for good.
    pub fn set_aside(&self, code: &str, progress: Progress) -> Result<(), SaveError> {
        set_aside(&self.key, &to_json(&self.mine(code, progress))).map(|_| ()).ok_or(SaveError::Full)
    }

    fn mine(&self, code: &str, progress: Progress) -> Record {
        Record {
            version: RECORD_VERSION,
            revision: self.known.revision,
            starter_hash: self.began_from.clone(),
            code: code.to_owned(),
            progress,
        }
    }

    /// What can't be read is moved aside before anything is written over it.
    fn stored(&self) -> Result<Option<Record>, SaveError> {
        let Some(stored) = text(&self.key)? else { return Ok(None) };
        match record::parse(&stored) {
            Ok(record) => Ok(Some(record)),
            Err(_) => set_aside(&self.key, &stored).map(|_| None).ok_or(SaveError::Full),
        }
    }
}

/// What is to be stored, and whether it holds the other page's code instead of this one's.
fn join(stored: Option<Record>, Place { known, settled, .. }: &Place, mine: Record) -> (Record, bool) {
    let Some(stored) = stored else {
        let revision = known.revision + u32::from(mine.is_edited());
        return (Record { revision, ..mine }, false);
    };
    let progress = stored.progress.with_news(&known.progress, &mine.progress);
    let is_other = stored.code != mine.code;
    // Browsers hand on what one tab stores to the others a moment later: two may store under one revision.
    if is_other && (stored.revision > known.revision || fingerprint(&stored.code) != *settled) {
        return (Record { version: RECORD_VERSION, progress, ..stored }, true);
    }
    let revision = stored.revision.saturating_add(u32::from(is_other));
    (Record { revision, progress, ..mine }, false)
}

fn to_json(record: &Record) -> String {
    // Can't fail: all keys are texts.
    serde_json::to_string(record).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::record::tests::record;
    use super::*;

    fn runs(attempts: u32) -> Progress {
        Progress { attempts, ..Progress::default() }
    }

    /// A page that saw this code last, at this revision, after one run.
    fn seen(code: &str, revision: u32) -> Place {
        Place {
            key: String::new(),
            began_from: String::new(),
            known: Known { revision, progress: runs(1) },
            settled: fingerprint(code),
            draft: None,
        }
    }

    #[test]
    fn typing_raises_the_revision_and_progress_alone_does_not() {
        let place = seen("a", 4);
        let stored = record("a", 4, runs(1));
        let (saved, _) = join(Some(stored.clone()), &place, record("b", 4, runs(1)));
        assert_eq!((saved.revision, saved.code.as_str()), (5, "b"));
        let (saved, _) = join(Some(stored), &place, record("a", 4, runs(2)));
        assert_eq!((saved.revision, saved.progress.attempts), (4, 2));
        // The first save of code that is the starter still.
        assert_eq!(join(None, &seen("s", 0), record("s", 0, runs(1))).0.revision, 0);
        assert_eq!(join(None, &seen("s", 0), record("x", 0, runs(1))).0.revision, 1);
    }

    #[test]
    fn code_of_another_page_is_not_written_over() {
        // A later one, or one that was stored under the same revision.
        for revision in [5, 4] {
            let (saved, is_clash) =
                join(Some(record("theirs", revision, runs(3))), &seen("a", 4), record("mine", 4, runs(2)));
            assert!(is_clash);
            // Runs are counted all the same.
            assert_eq!(saved, record("theirs", revision, runs(4)));
        }
    }

    #[test]
    fn the_same_code_from_another_page_is_no_clash() {
        let (saved, is_clash) = join(Some(record("same", 6, runs(1))), &seen("a", 4), record("same", 4, runs(1)));
        assert!(!is_clash);
        assert_eq!(saved.revision, 6);
    }

    #[test]
    fn a_second_page_that_only_ran_the_starter_is_no_clash() {
        let (saved, is_clash) = join(Some(record("s", 0, runs(2))), &seen("s", 0), record("mine", 0, runs(1)));
        assert!(!is_clash);
        assert_eq!((saved.revision, saved.progress.attempts), (1, 2));
    }
}
