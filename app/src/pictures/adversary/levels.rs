//! The list of levels, with what was reached in each.

use super::level::Level;
use super::progress::Progress;
use super::signs::sign;
use super::words;
use std::rc::Rc;
use yew::prelude::*;

/// The address of a level.
pub fn address(level: &Level) -> String {
    ["#/break/", &level.slug].concat()
}

/// All of them in order.
pub fn levels(levels: &[Rc<Level>], progress: &Progress) -> Html {
    let over = levels.iter().filter(|level| is_over(level, progress)).count();
    html! {
        <div class="levels">
            <p class="levels-lede">
                { "You are what goes wrong. Each level is a lock that somebody wrote in good faith. Put pauses, lost messages and \
                   clock steps where they hurt, until two clients work at once, or a stale write lands. The engine runs the \
                   code with what you placed, and judges." }
            </p>
            <p class="levels-count">{ format!("{over} of {} done", levels.len()) }</p>
            <p class="needs-width">
                { "Playing is made for a window at least 1024 pixels wide, where the timeline and the code stand side by side. \
                   In this one they stand one below the other." }
            </p>
            <ol class="levels-list">{ for levels.iter().zip(1..).map(|(level, number)| line(level, number, progress)) }</ol>
        </div>
    }
}

/// A level that was broken, or of which the player knows that it can't be.
pub fn is_over(level: &Level, progress: &Progress) -> bool {
    let record = progress.of(&level.slug);
    record.best.is_some() || (record.told && level.shortest.is_none())
}

fn line(level: &Level, number: usize, progress: &Progress) -> Html {
    let reached = words::reached(level, progress.of(&level.slug));
    let class = if is_over(level, progress) { "levels-line levels-over" } else { "levels-line" };
    html! {
        <li {class}>
            <span class="levels-number" aria-hidden="true">{ number }</span>
            <a href={address(level)}>{ level.title.clone() }</a>
            <p class="levels-reached">{ reached }</p>
            <p class="levels-goal">{ level.goal.clone() }</p>
            { allowed(level) }
        </li>
    }
}

/// What may be placed, and how much of it.
pub fn allowed(level: &Level) -> Html {
    let kind = |kind: &String| html! { <li>{ sign(kind) }{ words::kind(kind).to_owned() }</li> };
    html! {
        <div class="allowed">
            <span class="allowed-most">{ ["At most ", &words::counted(level.most)].concat() }</span>
            <ul aria-label="What may go wrong">{ for level.allowed.iter().map(kind) }</ul>
        </div>
    }
}
