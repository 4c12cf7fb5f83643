//! The page of one level: what is to be reached, what is placed and can be, the code, the verdict and the run.

use super::code::Code;
use super::game::{EngineState, Game, Msg};
use super::level::Level;
use super::levels::{address, allowed, is_over};
use super::markers::Markers;
use super::places::{hand, places};
use super::progress::Progress;
use super::words::{self, Kind};
use crate::components::{focus, leave_focus, marked_up};
use crate::timeline::{Move, Player};
use std::rc::Rc;
use yew::prelude::*;

/// Where things are on the page.
#[derive(Clone, Default, PartialEq)]
pub struct Refs {
    /// The whole level.
    pub root: NodeRef,
    /// The run's picture.
    pub run: NodeRef,
}

/// The page of a level.
pub fn board(game: &Game, levels: &[Rc<Level>], progress: &Progress, refs: &Refs, send: &Callback<Msg>) -> Html {
    let level = &game.level;
    let number = levels.iter().position(|other| other.slug == level.slug).unwrap_or(0);
    let onkeydown = keys(send);
    // Once the interpreter was asked for there is a board, however narrow the window is or becomes.
    let is_asleep = game.engine == EngineState::Asleep;
    let class = if is_asleep { "attack" } else { "attack attack-open" };
    html! {
        <div {class} ref={refs.root.clone()} {onkeydown}>
            <header class="attack-head">
                { other_levels(levels, number, progress) }
                <h2 tabindex="-1">{ format!("{}. {}", number + 1, level.title) }</h2>
                { allowed(level) }
                <p class="attack-goal">{ level.goal.clone() }</p>
            </header>
            if is_asleep {
                <div class="needs-width">
                    <p>
                        { "This is made for a window at least 1024 pixels wide, where the timeline and the code stand side by \
                           side. In a narrower one they stand one below the other." }
                    </p>
                    <button type="button" onclick={send.reform(|event: MouseEvent| {
                        leave_focus(&event, ".attack", "h2");
                        Msg::Wide
                    })}>{ "Play all the same" }</button>
                </div>
            }
            <div class="attack-board">
                <div class="attack-side">
                    <section class="attack-places" aria-label="Your attack">
                        { hand(game, send) }
                        { places(game, send) }
                    </section>
                    <details class="attack-code" open=true>
                        <summary>{ "The lock under attack" }</summary>
                        <Code source={level.source.clone()} line={line(game)} />
                    </details>
                    { help() }
                </div>
                <div class="attack-run" ref={refs.run.clone()}>
                    { verdict(game, levels.get(number + 1), progress, send) }
                    { picture(game, refs, send) }
                </div>
            </div>
        </div>
    }
}

fn other_levels(levels: &[Rc<Level>], here: usize, progress: &Progress) -> Html {
    let link = |(i, level): (usize, &Rc<Level>)| {
        let over = is_over(level, progress);
        let name = [(i + 1).to_string().as_str(), ". ", &level.title, if over { ", done" } else { "" }].concat();
        html! {
            <li>
                <a class={if over { "dot dot-over" } else { "dot" }} href={address(level)} title={level.title.clone()}
                    aria-label={name} aria-current={(i == here).then_some("page")}>{ i + 1 }</a>
            </li>
        }
    };
    html! {
        <nav class="dots" aria-label="Levels">
            <a href="#/break">{ "All levels" }</a>
            <ol>{ for levels.iter().enumerate().map(link) }</ol>
        </nav>
    }
}

/// The keys of the page. Those of the timeline work wherever they mean nothing else.
fn keys(send: &Callback<Msg>) -> Callback<KeyboardEvent> {
    let send = send.clone();
    Callback::from(move |event: KeyboardEvent| {
        if event.ctrl_key() || event.meta_key() || event.alt_key() || event.default_prevented() {
            return;
        }
        let Some(target) = event.target_dyn_into::<web_sys::Element>() else { return };
        let within = |selector: &str| target.closest(selector).ok().flatten().is_some();
        let place = match () {
            () if within("input, select, textarea, .code-box") => return,
            () if within(".options") => Within::Options,
            () if within(".places") => Within::Places,
            () if within("a, button, summary") => Within::Button,
            () => Within::Else,
        };
        match of_key(&event.key(), place) {
            Some(Does::Send(msg)) => send.emit(msg),
            Some(Does::Focus(next)) => focus_beside(&target, next),
            None => return,
        }
        event.prevent_default();
    })
}

/// Where a key was pressed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    Options,
    Places,
    Button,
    Else,
}

/// What a key does.
enum Does {
    Send(Msg),
    /// To the next of what may go wrong, or the one before.
    Focus(bool),
}

fn of_key(key: &str, within: Within) -> Option<Does> {
    let msg = match (key, within) {
        ("ArrowDown" | "ArrowUp", Within::Options) => return Some(Does::Focus(key == "ArrowDown")),
        ("n" | "N", _) | ("ArrowDown", Within::Places) => Msg::Next,
        ("p" | "P", _) | ("ArrowUp", Within::Places) => Msg::Previous,
        ("Enter", Within::Else) => Msg::OpenHere,
        ("Escape", _) => Msg::Close,
        ("Delete" | "Backspace", _) => Msg::RemoveHere,
        // They would close the list that has the focus.
        ("Home" | "End", Within::Options) => return None,
        ("ArrowLeft", _) => Msg::Step(Move::Back),
        ("ArrowRight", _) => Msg::Step(Move::Forward),
        ("Home", _) => Msg::Step(Move::First),
        ("End", _) => Msg::Step(Move::Last),
        ("b" | "B", _) => Msg::Step(Move::Bad),
        _ => return None,
    };
    Some(Does::Send(msg))
}

fn focus_beside(button: &web_sys::Element, next: bool) {
    let item = button.closest("li").ok().flatten();
    let beside = item.and_then(|li| if next { li.next_element_sibling() } else { li.previous_element_sibling() });
    if let Some(button) = beside.and_then(|li| li.query_selector("button").ok().flatten()) {
        focus(&button);
    }
}

fn help() -> Html {
    let key = |key: &'static str, does: &'static str| html! { <><kbd>{ key }</kbd>{ " " }{ does }{ "  " }</> };
    html! {
        <p class="attack-keys">
            { key("N", "next place") }{ key("P", "the one before") }{ key("Enter", "what may go wrong there") }
            { key("Esc", "close") }{ key("Del", "take away") }<kbd>{ "←" }</kbd>{ " " }{ key("→", "step") }
        </p>
    }
}

fn line(game: &Game) -> Option<u32> {
    game.shown()?.trace.events.get(game.step)?.line
}

fn verdict(game: &Game, next: Option<&Rc<Level>>, progress: &Progress, send: &Callback<Msg>) -> Html {
    let words::Verdict { kind, headline, text } = words::verdict(game);
    let class = match kind {
        Kind::Waiting => "ruling",
        Kind::Whole => "ruling ruling-whole",
        Kind::Broken => "ruling ruling-broken",
        Kind::Proved => "ruling ruling-proved",
    };
    let level = &game.level;
    let is_done = game.is_over() || is_over(level, progress);
    html! {
        <section {class} aria-label="Verdict">
            <p class="ruling-ways">
                { shortest(game, send) }
                if !game.is_over() {
                    <button type="button" class="quiet" aria-expanded={game.has_hint.to_string()} onclick={send.reform(|_| Msg::Hint)}>{ "Hint" }</button>
                }
                if let Some(next) = next.filter(|_| is_done) {
                    <a class="ruling-next" href={address(next)}>{ ["Next: ", &next.title, " →"].concat() }</a>
                } else if is_done {
                    <a class="ruling-next" href="#/break">{ "All levels →" }</a>
                }
            </p>
            <div role="status">
                <h3 tabindex="-1">{ headline }</h3>
                if !text.is_empty() { <p>{ text }</p> }
                if let Some(notice) = &game.notice { <p class="ruling-notice">{ notice.clone() }</p> }
            </div>
            { engine(&game.engine, send) }
            if game.has_hint && !game.is_over() { <p class="ruling-hint">{ marked_up(&level.hint) }</p> }
            if game.is_over() {
                <details class="ruling-why" open=true key={level.slug.clone()}>
                    <summary>{ if level.shortest.is_some() { "Why it breaks" } else { "Why it holds" } }</summary>
                    <p>{ marked_up(&level.why) }</p>
                </details>
            }
        </section>
    }
}

/// The button that asks the search: worded by what the player knows.
fn shortest(game: &Game, send: &Callback<Msg>) -> Html {
    let own = game.own.as_ref().filter(|_| game.is_broken()).map(|run| run.placed.len());
    let words = match (own, game.shortest()) {
        _ if game.shows_found || (game.is_over() && game.won.is_none() && game.shortest().is_none()) => {
            return Html::default();
        }
        (Some(own), Some(shortest)) if shortest < own => "Show the shorter one",
        // One is as short as it gets.
        (Some(_), _) => return Html::default(),
        (None, Some(_)) => "Show the shortest attack",
        (None, None) if game.is_searching() => "Searching…",
        (None, None) => "I give up: is it possible?",
    };
    let class = if game.is_stuck() || own.is_some() { "" } else { "quiet" };
    let onclick = send.reform(|event: MouseEvent| {
        // The button goes when the answer is there.
        leave_focus(&event, ".ruling", "h3");
        Msg::Shortest
    });
    html! { <button type="button" {class} {onclick}>{ words }</button> }
}

fn engine(engine: &EngineState, send: &Callback<Msg>) -> Html {
    match engine {
        EngineState::Loading(received, total) if *total > 0 => {
            let percent = (received * 100 / total).min(100).to_string();
            html! {
                <p class="engine">
                    <progress aria-label="Loading the Python interpreter" max="100" value={percent.clone()}></progress>
                    <span class="engine-figure">{ [&percent, " %"].concat() }</span>
                </p>
            }
        }
        EngineState::Failed(message) => html! {
            <p class="engine engine-failed">
                <span>{ message.clone() }</span>
                <button type="button" onclick={send.reform(|_| Msg::Retry)}>{ "Try again" }</button>
            </p>
        },
        _ => Html::default(),
    }
}

fn picture(game: &Game, refs: &Refs, send: &Callback<Msg>) -> Html {
    let Some(run) = game.shown() else { return Html::default() };
    let title = match (game.shows_found, game.moves.is_empty()) {
        (true, _) => "The search's attack",
        (false, true) => "What happens when nothing goes wrong",
        (false, false) => "What happens with what you placed",
    };
    // The line is marked there already.
    let on_line = {
        let root = refs.root.clone();
        Callback::from(move |_| {
            let code =
                root.cast::<web_sys::Element>().and_then(|root| root.query_selector(".code-lines").ok().flatten());
            if let Some(code) = code {
                focus(&code);
            }
        })
    };
    let taken =
        run.points.iter().filter(|p| game.option_at(&p.point).is_some()).map(|p| p.point.clone()).collect::<Vec<_>>();
    html! {
        <div class="attack-play">
            <Player name={game.level.slug.clone()} {title} trace={run.trace.clone()} step={game.step}
                source={game.level.source.clone()} line_name="line" on_move={send.reform(Msg::Step)} {on_line} />
            <Markers run={run.clone()} at={game.at} {taken} is_fixed={game.shows_found} board={refs.run.clone()} send={send.clone()} />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn does(key: &str, within: Within) -> String {
        match of_key(key, within) {
            Some(Does::Send(msg)) => format!("{msg:?}"),
            Some(Does::Focus(true)) => "next option".to_owned(),
            Some(Does::Focus(false)) => "previous option".to_owned(),
            None => String::new(),
        }
    }

    #[test]
    fn places_are_walked_by_letters_everywhere_and_by_arrows_in_their_list() {
        for within in [Within::Options, Within::Places, Within::Button, Within::Else] {
            assert_eq!([does("n", within), does("P", within)], ["Next", "Previous"]);
        }
        assert_eq!([does("ArrowDown", Within::Places), does("ArrowUp", Within::Places)], ["Next", "Previous"]);
        assert_eq!(does("ArrowDown", Within::Options), "next option");
        assert_eq!(does("ArrowUp", Within::Else), "");
    }

    #[test]
    fn enter_is_left_to_buttons_and_opens_elsewhere() {
        assert_eq!(does("Enter", Within::Else), "OpenHere");
        assert_eq!([Within::Options, Within::Places, Within::Button].map(|within| does("Enter", within)), ["", "", ""]);
    }

    #[test]
    fn the_run_is_stepped_by_the_keys_of_the_timeline() {
        assert_eq!(does("ArrowRight", Within::Places), "Step(Forward)");
        assert_eq!(does("b", Within::Button), "Step(Bad)");
        assert_eq!(does("x", Within::Else), "");
    }
}
