//! What there is to read: the chapter, the hints, what an interviewer may ask next.

use super::{Introduction, marked_up, turn};
use crate::state::{Msg, Solution};
use leasehold_exercises::{Kata, Question};
use yew::prelude::*;

/// See [`Chapter`].
#[derive(Properties, PartialEq)]
pub struct ChapterProps {
    /// The kata.
    pub kata: &'static Kata,
    /// How many hints are open.
    pub hints: usize,
    /// How much of the solution is shown.
    pub solution: Solution,
    /// It was shown before.
    pub seen: bool,
    /// Asks for hints and for the solution.
    pub on_msg: Callback<Msg>,
}

/// The reading column.
#[component]
pub fn Chapter(props: &ChapterProps) -> Html {
    let kata = props.kata;
    // The build script made this HTML from our own files; nothing of the learner's is ever in it.
    let prose = use_memo(kata.slug, |_| Html::from_html_unchecked(AttrValue::Static(kata.chapter_html)));
    html! {
        <article id="chapter" class="chapter" tabindex="0" aria-label="Chapter">
            if kata.order == 1 { <Introduction /> }
            <p class="lede">{ kata.summary }</p>
            <div class="prose">{ (*prose).clone() }</div>
            { help(props) }
            { questions(kata.questions) }
            { turn(kata.previous, kata.next) }
        </article>
    }
}

/// Hints, one by one, and after the last of them the solution, for those who ask twice.
fn help(ChapterProps { kata, hints: open, solution, seen, on_msg }: &ChapterProps) -> Html {
    let all = kata.hints.len();
    let button = |words: AttrValue, id: Option<&'static str>, msg: fn() -> Msg| {
        let on_msg = on_msg.clone();
        let onclick = move |e: MouseEvent| {
            // The second click of a double one is an accident.
            if e.detail() < 2 {
                on_msg.emit(msg());
            }
        };
        html! { <button type="button" {id} class={id.map(|_| "quiet")} {onclick}>{ words }</button> }
    };
    html! {
        <section class="hints">
            <h2>{ "Stuck?" }</h2>
            // A hint has the focus when it was just opened: it is read, and the key that opened it opens no other.
            <ol>{ for kata.hints.iter().take(*open).map(|hint| html! { <li tabindex="-1">{ marked_up(hint) }</li> }) }</ol>
            if *open < all {
                { button(format!("Show hint {} of {all}", open + 1).into(), None, || Msg::Hint) }
            } else if *solution == Solution::Asked {
                <p id="solution-question" tabindex="-1">
                    { "This shows the whole solution beside your code. It is noted in your progress; your code stays as it is." }
                </p>
                { button("Show it".into(), None, || Msg::ShowSolution) }
                { button("Not yet".into(), Some("solution-not-yet"), || Msg::CloseSolution) }
            } else {
                {
                    button(
                        if *seen { "Show the solution again" } else { "Show the solution" }.into(),
                        Some("solution-ask"),
                        || Msg::AskSolution,
                    )
                }
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
            <h2 id="questions" tabindex="-1">{ "What an interviewer may ask next" }</h2>
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
