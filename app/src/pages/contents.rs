//! The contents: everything there is to read and to write, in order.

use crate::address::{TOOLS, Tool};
use crate::components::Header;
use leasehold_exercises::Entry;
use yew::prelude::*;

/// The page of the contents.
pub fn contents(entries: &'static [Entry]) -> Html {
    html! {
        <>
            <Header title="Contents" facts="" open="contents" />
            <main class="sheet">
                <ol class="contents">
                    { for entries.iter().map(line) }
                    { for TOOLS.iter().map(tool) }
                </ol>
            </main>
        </>
    }
}

fn line(entry: &'static Entry) -> Html {
    let Entry { address, title, summary, facts } = entry;
    html! {
        <li class={if address.starts_with("#/kata/") { "contents-kata" } else { "" }}>
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
