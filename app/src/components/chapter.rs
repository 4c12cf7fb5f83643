//! What there is to read: the chapter, the hints, what an interviewer may ask next.

use super::turn;
use leasehold_exercises::{Kata, Question};
use yew::prelude::*;

/// See [`Chapter`].
#[derive(Properties, PartialEq)]
pub struct ChapterProps {
    /// The kata.
    pub kata: &'static Kata,
    /// How many hints are open.
    pub hints: usize,
    /// Asks for the next.
    pub on_hint: Callback<()>,
}

/// The reading column.
#[component]
pub fn Chapter(ChapterProps { kata, hints, on_hint }: &ChapterProps) -> Html {
    // The build script made this HTML from our own files; nothing of the learner's is ever in it.
    let prose = use_memo(kata.slug, |_| Html::from_html_unchecked(AttrValue::Static(kata.chapter_html)));
    html! {
        <article id="chapter" class="chapter" tabindex="0" aria-label="Chapter">
            <p class="lede">{ kata.summary }</p>
            <div class="prose">{ (*prose).clone() }</div>
            <Hints {kata} open={*hints} {on_hint} />
            { questions(kata.questions) }
            { turn(kata.previous, kata.next) }
        </article>
    }
}

#[derive(Properties, PartialEq)]
struct HintsProps {
    kata: &'static Kata,
    open: usize,
    on_hint: Callback<()>,
}

#[component]
fn Hints(HintsProps { kata, open, on_hint }: &HintsProps) -> Html {
    let all = kata.hints.len();
    if all == 0 {
        return Html::default();
    }
    html! {
        <section class="hints">
            <h2>{ "Stuck?" }</h2>
            <ol aria-live="polite">
                { for kata.hints.iter().take(*open).map(|hint| html! { <li>{ marked_up(hint) }</li> }) }
            </ol>
            if *open < all {
                <button type="button" onclick={on_hint.reform(|_| ())}>
                    { format!("Show hint {} of {all}", open + 1) }
                </button>
            }
        </section>
    }
}

/// What an interviewer may ask next, each with what a good answer says.
pub fn questions(questions: &[Question]) -> Html {
    if questions.is_empty() {
        return Html::default();
    }
    html! {
        <section class="questions">
            <h2>{ "What an interviewer may ask next" }</h2>
            { for questions.iter().map(question) }
        </section>
    }
}

fn question(question: &Question) -> Html {
    html! {
        <details>
            <summary>{ marked_up(question.ask) }</summary>
            <p>{ "A good answer says:" }</p>
            <ul>{ for question.good.iter().map(|point| html! { <li>{ marked_up(point) }</li> }) }</ul>
        </details>
    }
}

/// Text in which `backticks` mean code.
pub fn marked_up(text: &str) -> Html {
    text.split('`')
        .enumerate()
        .map(|(i, part)| {
            if i % 2 == 1 {
                html! { <code>{ part.to_owned() }</code> }
            } else {
                html! { { part.to_owned() } }
            }
        })
        .collect()
}
