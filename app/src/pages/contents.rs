//! The contents: everything there is to read and to write, in order.

use crate::components::Header;
use leasehold_exercises::Entry;
use yew::prelude::*;

/// See [`ContentsPage`].
#[derive(Properties, PartialEq)]
pub struct ContentsPageProps {
    /// The lines.
    pub entries: &'static [Entry],
}

/// The page of the contents.
#[component]
pub fn ContentsPage(ContentsPageProps { entries }: &ContentsPageProps) -> Html {
    let katas = entries.iter().filter(|entry| is_kata(entry)).count();
    let facts = format!("{katas} katas, {} chapters to read", entries.len() - katas);
    html! {
        <>
            <Header title="Contents" {facts} is_contents=true />
            <main class="sheet">
                <ol class="contents">{ for entries.iter().map(line) }</ol>
            </main>
        </>
    }
}

fn is_kata(entry: &Entry) -> bool {
    entry.address.starts_with("#/kata/")
}

fn line(entry: &'static Entry) -> Html {
    let Entry { address, title, summary, facts } = entry;
    html! {
        <li class={is_kata(entry).then_some("contents-kata")}>
            <a href={*address}>{ *title }</a>
            <p class="contents-facts">{ *facts }</p>
            <p>{ *summary }</p>
        </li>
    }
}
