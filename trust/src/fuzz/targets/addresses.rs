//! What stands in the address.

use super::{Failure, Target, comes_back, failures, holds, refused};
use leasehold_app::address::{self, Place};
use leasehold_app::pictures::link::{self, SharedRun, Trouble};
use leasehold_app::pictures::ttl_text;
use leasehold_checker::sizing::PRESETS;

pub const ADDRESSES: Target = Target {
    name: "addresses",
    reads: "the address within the page",
    short: 3_000,
    seeds: || {
        let museum = leasehold_exercises::museum().iter().map(|page| format!("#/museum/{}", page.slug));
        let tools = address::TOOLS.iter().map(|tool| format!("#/{}/1/x", tool.kind));
        let sections =
            ["#/kata/storage-gate/questions", "#/museum", "#/practice/after/1800000000000", "#/break/first-pause"];
        let pages = leasehold_exercises::contents().iter().map(|entry| entry.address.to_owned());
        pages.chain(museum).chain(tools).chain(sections.map(str::to_owned)).collect()
    },
    read: |text| {
        let Place::File(name) = address::read(text) else { return Ok(true) };
        // It goes into the name of a file that is fetched.
        let (slug, kind) = name.rsplit_once('.').unwrap_or_default();
        let is_kind = ["kata", "chapter", "museum", "contents"].contains(&kind);
        holds("only a file of ours is fetched", is_kind && address::is_slug(slug))?;
        Ok(true)
    },
};

pub const SETTINGS: Target = Target {
    name: "settings",
    reads: "the ttl explorer's settings in an address",
    short: 3_000,
    seeds: || {
        let own =
            ["", "ttl=10s,pause=2s,fail=5", "ttl=60s,every=20s,jitter=10%,drift=-500ppm,rtt=30ms,woken", "asks=250ms"];
        PRESETS.iter().map(ttl_text::slug).chain(own.map(str::to_owned)).collect()
    },
    read: |text| {
        let (settings, said) = ttl_text::read(text);
        holds("what is left out is told in words", said.iter().all(|words| !words.trim().is_empty()))?;
        // What is shown and handed on are settings within bounds.
        let settings = settings.clamped().0;
        comes_back(&ttl_text::read(&ttl_text::write(&settings)), &(settings, Vec::new()))
    },
};

pub const LINKS: Target = Target {
    name: "links",
    reads: "the address of a shared run",
    short: 3_000,
    seeds: || runs().iter().filter_map(|run| address_of(&run.to_json())).collect(),
    read: |text| match of_address(text) {
        Ok(run) => comes_back(&address_of(&run.to_json()).map(|text| of_address(&text)), &Some(Ok(run))),
        Err(trouble) => refused(&trouble.text()),
    },
};

pub const SHARED: Target = Target {
    name: "shared-runs",
    reads: "what such an address holds",
    short: 3_000,
    seeds: || runs().iter().map(SharedRun::to_json).collect(),
    read: |text| match address_of(text).map(|text| of_address(&text)) {
        // It is longer than any link.
        None => Ok(false),
        Some(Ok(run)) => comes_back(&address_of(&run.to_json()).map(|text| of_address(&text)), &Some(Ok(run))),
        Some(Err(trouble)) => refused(&trouble.text()),
    },
};

fn runs() -> Vec<SharedRun> {
    let run = |Failure { kata, source, test, .. }: &Failure| SharedRun {
        kata: String::from(*kata),
        code: String::from(*source),
        replay: test.replay.clone(),
        test: test.name.clone(),
        from: None,
    };
    let mut runs: Vec<SharedRun> = failures().iter().map(run).collect();
    let whole = runs.first().map(|run| SharedRun { replay: None, ..run.clone() });
    let of_a_card =
        runs.first().map(|run| SharedRun { from: Some("#/museum/losses-unheard/x".to_owned()), ..run.clone() });
    runs.extend(whole.into_iter().chain(of_a_card));
    runs
}

/// Packed by nothing: deflate is the browser's own.
fn address_of(json: &str) -> Option<String> {
    link::to_address(json, json.as_bytes())
}

fn of_address(text: &str) -> Result<SharedRun, Trouble> {
    let bytes = link::of_address(text)?;
    let (sum, json) = bytes.split_first_chunk::<4>().ok_or(Trouble::Damaged)?;
    SharedRun::of_json(json, *sum)
}
