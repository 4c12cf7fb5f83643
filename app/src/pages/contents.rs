//! The contents: everything there is to read and to write, in order. Those of the museum are a page of their own.

use crate::address::{TOOLS, Tool};
use crate::components::Header;
use leasehold_exercises::Entry;
use yew::prelude::*;

/// The page of the contents.
pub fn contents(entries: &'static [Entry]) -> Html {
    html! {
        <>
            <Header title="Contents" facts="" open="contents" />
            <main id="main" tabindex="-1" class="sheet">
                <ol class="contents">
                    { for entries.iter().map(line) }
                    { for TOOLS.iter().map(tool) }
                </ol>
            </main>
        </>
    }
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

fn line(entry: &'static Entry) -> Html {
    let Entry { address, title, summary, facts } = entry;
    html! {
        <li class={kind(address)}>
            <a href={*address}>{ *title }</a>
            <p class="contents-facts">{ *facts }</p>
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
