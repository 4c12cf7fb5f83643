//! The places of the shown run as a list: when, who, what it is about to do, and below the open one what may go wrong.
//! And what is placed, as chips.

use super::game::{Game, Msg, Wanted};
use super::level::{Choice, Place, Placed};
use super::signs::{cross, plus, sign};
use super::words;
use leasehold_checker::time::seconds;
use yew::prelude::*;

/// What is placed, with a slot for each disturbance that may be; or what the shown attack consists of.
pub fn hand(game: &Game, send: &Callback<Msg>) -> Html {
    if let Some(found) = game.found.as_ref().filter(|_| game.shows_found) {
        return html! {
            <div class="hand">
                <h3>{ "The search's attack" }</h3>
                <ul>{ for found.placed.iter().map(|placed| found_chip(placed, &found.trace.clients)) }</ul>
                <p><button type="button" onclick={send.reform(|_| Msg::Own)}>{ "Back to yours" }</button></p>
            </div>
        };
    }
    let most = game.level.most;
    let free = most.saturating_sub(game.moves.len());
    html! {
        <div class="hand">
            <h3>
                { "Your attack " }
                <span class="hand-count">{ format!("{} of {most} placed", game.moves.len()) }</span>
            </h3>
            <ul>
                { for game.moves.iter().map(|wanted| chip(game, wanted, send)) }
                { for (0..free).map(|_| html! { <li class="slot" aria-hidden="true">{ "free" }</li> }) }
            </ul>
        </div>
    }
}

fn found_chip(placed: &Placed, clients: &[String]) -> Html {
    html! {
        <li class="chip">
            { sign(&placed.kind) }
            <span><span class="chip-time">{ when(placed, clients) }</span>{ placed.label.clone() }</span>
        </li>
    }
}

/// When, and to whom, where the words don't say it.
fn when(placed: &Placed, clients: &[String]) -> String {
    let who = clients.get(placed.client).map_or("?", String::as_str);
    let is_told = placed.label.starts_with(who);
    [moment(placed.at_us).as_str(), " ", if is_told { "" } else { who }, if is_told { "" } else { ": " }].concat()
}

fn chip(game: &Game, wanted: &Wanted, send: &Callback<Msg>) -> Html {
    let placed = game.placed(wanted);
    let label = placed.map_or(&wanted.label, |placed| &placed.label);
    let misfit = game.misfit(wanted);
    let class = if misfit.is_some() { "chip chip-misfit" } else { "chip" };
    let point = wanted.order.point.clone();
    let remove = send.reform(move |_| Msg::Remove(point.clone()));
    html! {
        <li {class}>
            { sign(&wanted.kind) }
            <span>
                if let (Some(placed), Some(run)) = (placed, &game.own) { <span class="chip-time">{ when(placed, &run.trace.clients) }</span> }
                { label.clone() }
                if let Some(misfit) = misfit { <span class="chip-why">{ ["Did not happen. ", misfit].concat() }</span> }
            </span>
            <button type="button" class="chip-away" aria-label={["Take away: ", label].concat()} title="Take it away" onclick={remove}>
                { cross() }
            </button>
        </li>
    }
}

/// All places in order of time.
pub fn places(game: &Game, send: &Callback<Msg>) -> Html {
    let Some(run) = game.shown() else { return Html::default() };
    let names = &run.trace.clients;
    html! {
        <ol class="places" aria-label="Places where something may go wrong">
            { for run.points.iter().enumerate().map(|(at, place)| {
                let who = names.get(place.client).map_or("?", String::as_str);
                line(game, at, place, who, send)
            }) }
        </ol>
    }
}

fn line(game: &Game, at: usize, place: &Place, who: &str, send: &Callback<Msg>) -> Html {
    let is_here = game.at == at;
    let is_open = is_here && game.is_open;
    let option = game.option_at(&place.point);
    let chosen = option.and_then(|option| place.options.iter().find(|choice| choice.id == option));
    let class = match (is_here, option) {
        (true, Some(_)) => "place place-here place-taken",
        (true, None) => "place place-here",
        (false, Some(_)) => "place place-taken",
        (false, None) => "place",
    };
    // With the letter before it, "A is about to" needs it no more.
    let what = place.what.strip_prefix(who).unwrap_or(&place.what).trim_start().to_owned();
    html! {
        <li {class} key={place.point.clone()}>
            <button type="button" class="place-name" aria-expanded={(!game.shows_found).then_some(is_open.to_string())}
                aria-current={is_here.then_some("true")}
                onclick={send.reform(move |_| Msg::Open(at))}>
                <span class="place-time">{ moment(place.at_us) }</span>
                { " " }
                <span class={["who who-", &place.client.to_string()].concat()}>{ who.to_owned() }</span>
                { " " }
                <span class="place-what">{ what }</span>
                <span class="place-sign">
                    if let Some(chosen) = chosen {
                        { sign(&chosen.kind) }<span class="announcement">{ [" (placed: ", words::kind(&chosen.kind), ")"].concat() }</span>
                    } else if !game.shows_found {
                        { plus() }
                    }
                </span>
            </button>
            if is_open {
                <ul class="options" aria-label="What goes wrong here">
                    { for place.options.iter().enumerate().map(|(i, choice)| button(i, choice, option, send)) }
                </ul>
            }
        </li>
    }
}

fn button(i: usize, choice: &Choice, placed: Option<&str>, send: &Callback<Msg>) -> Html {
    let is_placed = placed == Some(&choice.id);
    html! {
        <li>
            <button type="button" class="option" aria-pressed={is_placed.to_string()} onclick={send.reform(move |_| Msg::Choose(i))}>
                { sign(&choice.kind) }<span>{ choice.label.clone() }</span>
            </button>
        </li>
    }
}

/// A time for people: hundredths of a second are enough to tell places apart.
pub fn moment(us: u64) -> String {
    seconds((us + 5_000) / 10_000 * 10_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_to_the_hundredth() {
        assert_eq!([0, 15_625, 4_015_625, 9_999_000].map(moment), ["0 s", "0.02 s", "4.02 s", "10 s"]);
    }
}
