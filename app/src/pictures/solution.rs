//! The solution of a kata beside the learner's own code. Its file comes when this is shown, and not before.

mod diff;

use super::compare::{head, use_focus};
use super::tell;
use crate::address;
use crate::components::{CLOSE, PUT};
use diff::{In, Line, lines, passages};
use yew::prelude::*;

/// See [`Solution`].
#[derive(Properties, PartialEq)]
pub struct SolutionProps {
    /// The kata's slug and the learner's code, as JSON.
    pub data: AttrValue,
    /// The element that it is drawn in, which tells the page what is chosen.
    pub place: web_sys::Element,
}

/// The solution's file.
enum File {
    Coming,
    Missing,
    Here(AttrValue),
}

/// What differs, and what to do about it.
#[component]
pub fn Solution(SolutionProps { data, place }: &SolutionProps) -> Html {
    let file = use_state(|| File::Coming);
    let heading = use_node_ref();
    use_focus(&heading);
    let (slug, mine) = serde_json::from_str::<(String, String)>(data).unwrap_or_default();
    let fetch = {
        let file = file.clone();
        Callback::from(move |slug: String| {
            let came = file.clone();
            file.set(File::Coming);
            address::fetch(
                &[&slug, ".solution"].concat(),
                Callback::from(move |text: Option<String>| {
                    came.set(text.map_or(File::Missing, |text| File::Here(text.into())));
                }),
            );
        })
    };
    {
        let fetch = fetch.clone();
        use_effect_with(slug.clone(), move |slug| fetch.emit(slug.clone()));
    }
    let on_close = {
        let place = place.clone();
        Callback::from(move |()| tell(&place, CLOSE, 0))
    };
    let shown = match &*file {
        File::Coming => html! { <p role="status">{ "The solution is on its way…" }</p> },
        File::Missing => html! {
            <p class="panel-row" role="alert">
                { "The solution could not be loaded. " }
                <button type="button" onclick={fetch.reform(move |_| slug.clone())}>{ "Try again" }</button>
            </p>
        },
        File::Here(solution) => {
            let put = {
                let (place, solution) = (place.clone(), solution.clone());
                move |_: MouseEvent| tell(&place, PUT, solution.as_str())
            };
            html! {
                <>
                    { difference(&mine, solution) }
                    <p class="panel-row">
                        <button type="button" onclick={put}>{ "Put it into the editor" }</button>
                        <span class="coverage">{ "Your code is kept: a button above the editor brings it back." }</span>
                    </p>
                </>
            }
        }
    };
    html! {
        <section class="difference">
            { head(&heading, "Your code beside the solution", &on_close) }
            { shown }
        </section>
    }
}

fn difference(mine: &str, solution: &str) -> Html {
    let lines = lines(mine, solution);
    let passages = passages(&lines);
    if passages.is_empty() {
        return html! { <p role="status">{ "Your code is the same as the solution, line by line." }</p> };
    }
    html! {
        <>
            <p class="coverage">
                { "This is one right way; the tests pass others too. Lines with − are only in your code, lines with + only in \
                   the solution; long stretches that both have are left out." }
            </p>
            <div class="difference-box" tabindex="0" role="region" aria-label="What differs">
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{ "Yours" }</th>
                            <th scope="col">{ "Solution" }</th>
                            <th scope="col" colspan="2">{ "Line" }</th>
                        </tr>
                    </thead>
                    { for passages.iter().map(|passage| html! { <tbody>{ for passage.iter().map(row) }</tbody> }) }
                </table>
            </div>
        </>
    }
}

fn row(line: &Line) -> Html {
    let (class, sign, word) = match line.is_in {
        In::Both => ("", "", ""),
        In::First => ("difference-mine", "−", "only yours"),
        In::Second => ("difference-theirs", "+", "only in the solution"),
    };
    let number = |number: usize, absent: In| {
        let shown = (line.is_in != absent).then(|| number.to_string());
        html! { <td class="difference-number">{ shown.unwrap_or_default() }</td> }
    };
    html! {
        <tr {class}>
            { number(line.first, In::Second) }
            { number(line.second, In::First) }
            <td class="difference-sign">
                <span aria-hidden="true">{ sign }</span><span class="announcement">{ word }</span>
            </td>
            <td><code>{ line.text.to_owned() }</code></td>
        </tr>
    }
}
