//! The contents: everything there is to read and to write, in order, and how far one has come with it. Those of the museum are
//! a page of their own.

use crate::address::{self, TOOLS, Tool};
use crate::components::Header;
use crate::storage::{self, Record, Standing, go_on};
use crate::words;
use leasehold_exercises::Entry;
use yew::prelude::*;

/// The page of the contents.
pub fn contents(entries: &'static [Entry]) -> Html {
    let katas: Vec<&Entry> = entries.iter().filter(|entry| address::kata(entry.address).is_some()).collect();
    let standings: Vec<Standing> = katas.iter().filter_map(|entry| standing(entry)).collect();
    html! {
        <>
            <Header title="Contents" facts="" open="contents" />
            <main id="main" tabindex="-1" class="sheet">
                { so_far(&katas, &standings) }
                <ol class="contents">
                    { for entries.iter().map(line) }
                    { for TOOLS.iter().map(tool) }
                </ol>
            </main>
        </>
    }
}

/// How many are solved, and where to go on.
fn so_far(katas: &[&'static Entry], standings: &[Standing]) -> Html {
    let solved = standings.iter().filter(|standing| matches!(standing, Standing::Solved(_))).count();
    let next = go_on(standings).map(|i| katas[i]);
    html! {
        <p class="contents-lede contents-so-far">
            <span>{ words::of_katas(solved, katas.len()) }</span>
            { for next.map(|entry| html! { <a href={entry.address}>{ "Go on with “" }{ entry.title }{ "”" }</a> }) }
            <a href="#/progress">{ "Your progress, export and import" }</a>
        </p>
    }
}

/// None for what is no kata.
fn standing(entry: &Entry) -> Option<Standing> {
    Some(storage::peek(address::kata(entry.address)?).as_ref().map_or(Standing::NotBegun, Record::standing))
}

/// The page of the contents of the museum.
pub fn museum(museum: &'static Entry, entries: &'static [Entry]) -> Html {
    html! {
        <>
            <Header title={museum.title} facts={museum.facts} open="museum" />
            <main id="main" tabindex="-1" class="sheet">
                <p class="contents-lede">{ museum.summary }</p>
                <ol class="contents">{ for entries.iter().map(line) }</ol>
            </main>
        </>
    }
}

/// What kind of line it is, by its address.
fn kind(address: &str) -> &'static str {
    let mut parts = address.split('/').skip(1);
    match (parts.next(), parts.next(), parts.next()) {
        (Some("kata"), ..) => "contents-kata",
        (_, _, Some(_)) => "contents-card",
        (_, None, _) => "contents-tool",
        _ => "",
    }
}

fn mark(standing: Standing) -> &'static str {
    match standing {
        Standing::Solved(_) => "mark mark-solved",
        _ => "mark",
    }
}

fn line(entry: &'static Entry) -> Html {
    let Entry { address, title, summary, facts } = entry;
    html! {
        <li class={kind(address)}>
            <a href={*address}>{ *title }</a>
            <p class="contents-facts">
                { for standing(entry).map(|standing| html! { <span class={mark(standing)}>{ words::standing(standing) }</span> }) }
                { *facts }
            </p>
            <p>{ *summary }</p>
        </li>
    }
}

fn tool(tool: &'static Tool) -> Html {
    let Some(summary) = tool.summary else { return Html::default() };
    html! {
        <li class="contents-tool">
            <a href={["#/", tool.kind].concat()}>{ tool.title }</a>
            <p class="contents-facts">{ "To play with" }</p>
            <p>{ summary }</p>
        </li>
    }
}
