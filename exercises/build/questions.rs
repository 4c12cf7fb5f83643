//! What an interviewer may ask next: `[[questions]]` in `kata.toml` and `chapter.toml`.

use serde::Deserialize;

type Result<T> = std::result::Result<T, String>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// What a reader's card is known by. It stays when the words change; a question that asks something else gets another.
    id: String,
    ask: String,
    good: Vec<String>,
}

/// Is each question whole, and can it be told from the others of its page?
///
/// # Errors
/// The first that is not.
pub fn check(questions: &[Question]) -> Result<()> {
    for (i, Question { id, ask, good }) in questions.iter().enumerate() {
        let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        if !is_id || questions[..i].iter().any(|other| other.id == *id) {
            return Err(format!("the question's id {id:?} is taken already, or is not made of a to z and -"));
        }
        if ask.is_empty() || good.is_empty() {
            return Err(format!("the question {id:?} lacks `ask` or `good`"));
        }
    }
    Ok(())
}

/// The questions as Rust.
pub fn code(questions: &[Question]) -> String {
    let question = |Question { id, ask, good }: &Question| {
        format!("crate::Question {{ id: {id:?}, ask: {ask:?}, good: &{good:?} }}, ")
    };
    format!("&[{}]", questions.iter().map(question).collect::<String>())
}
