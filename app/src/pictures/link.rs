//! A run as an address: `#/shared/1/DATA`. The number is the version; DATA is base64url, without padding, of four bytes of
//! checksum and the deflated JSON of a [`SharedRun`]. Whoever opens it gets the code to read; what it does there is theirs
//! to ask for.
//!
//! Nothing that comes in an address is believed: it has bounds before it is unpacked and after, and each way in which it
//! can be wrong is a [`Trouble`] with a sentence.

mod streams;

pub use streams::{pack, unpack};

use crate::address::is_slug;
use serde::{Deserialize, Serialize};

/// Version of the address.
pub const VERSION: &str = "1";
/// The longest address within the page, in characters. Browsers take more; messengers and trackers cut it off.
pub const MOST_ADDRESS: usize = 16 * 1024;
/// The longest JSON, in bytes. Unpacking stops there: a few kilobytes of deflate can hold many megabytes.
pub const MOST_UNPACKED: usize = 256 * 1024;

const BEFORE: &str = "#/shared/";
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// What a link holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SharedRun {
    /// The kata's slug.
    pub kata: String,
    /// The whole file.
    pub code: String,
    /// The schedule; none for a test that has none of its own. Then the whole suite is run, and [`Self::test`] is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// The named test that the run belongs to.
    pub test: String,
    /// The address of a card of the museum that it claims to be from, such as `#/museum/losses-unheard/lost-and-still-held`.
    /// It is believed if that card has this very link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What is wrong with a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It holds nothing.
    Empty,
    /// It is of another version of the page.
    OtherVersion,
    /// It is longer than any link of ours.
    TooLong,
    /// Letters were lost or changed on the way.
    Damaged,
    /// What it holds is larger than any link of ours holds.
    TooLarge,
    /// The browser can't unpack it.
    NoStreams,
    /// There is no such kata here, or its file could not be loaded.
    NoKata(String),
}

impl Trouble {
    /// What to tell whoever opened it.
    pub fn text(&self) -> String {
        let text = match self {
            Trouble::Empty => "This address is that of a shared run, but the run itself is missing from it.",
            Trouble::OtherVersion => {
                "This link is of another version of this page. Reload the page without the browser's cache; if that does \
                 not help, ask for a new link."
            }
            Trouble::TooLong => "This link is longer than any that this page makes, so it was not read.",
            Trouble::Damaged => {
                "This link is damaged: something of it was lost or changed on its way. Copy it again, whole; some \
                 programs cut long links at the end of a line."
            }
            Trouble::TooLarge => "This link holds far more than a file of code, so it was not unpacked.",
            Trouble::NoStreams => "This browser can't unpack links. A current Chrome, Edge, Firefox or Safari can.",
            Trouble::NoKata(slug) => {
                return ["This link is about a kata called ", slug, ". There is none here, or it could not be loaded."]
                    .concat();
            }
        };
        text.to_owned()
    }
}

/// The packed content of an address within the page, its checksum still before it.
pub fn of_address(hash: &str) -> Result<Vec<u8>, Trouble> {
    let rest = hash.strip_prefix(BEFORE).unwrap_or_default();
    if rest.is_empty() {
        return Err(Trouble::Empty);
    }
    if hash.len() > MOST_ADDRESS {
        return Err(Trouble::TooLong);
    }
    match rest.split_once('/') {
        Some((VERSION, "")) => Err(Trouble::Empty),
        Some((VERSION, data)) => decode(data).filter(|bytes| bytes.len() > 4).ok_or(Trouble::Damaged),
        _ => Err(Trouble::OtherVersion),
    }
}

/// The address within the page for what [`SharedRun::to_json`] packs to; none if that is too long for a link.
pub fn to_address(json: &str, deflated: &[u8]) -> Option<String> {
    let bytes = [&checksum(json.as_bytes()), deflated].concat();
    let hash = [BEFORE, VERSION, "/", &encode(&bytes)].concat();
    (hash.len() <= MOST_ADDRESS && json.len() <= MOST_UNPACKED).then_some(hash)
}

impl SharedRun {
    /// What is packed.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads what was unpacked; `checksum` stood before it.
    pub fn of_json(json: &[u8], sum: [u8; 4]) -> Result<Self, Trouble> {
        if checksum(json) != sum {
            return Err(Trouble::Damaged);
        }
        serde_json::from_slice(json).ok().filter(SharedRun::is_plausible).ok_or(Trouble::Damaged)
    }

    // Names go into addresses of files and into sentences: they are what names of ours are made of, or nothing.
    fn is_plausible(&self) -> bool {
        let is_name = |text: &str, also: u8| {
            let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == also;
            !text.is_empty() && text.len() <= 128 && text.bytes().all(fits)
        };
        let is_replay = |text: &String| text.len() <= 4096 && text.bytes().all(|b| LETTERS.contains(&b));
        let is_card = |from: &String| {
            from.strip_prefix("#/museum/").is_some_and(|rest| from.len() <= 256 && rest.split('/').all(is_slug))
        };
        self.from.as_ref().is_none_or(is_card)
            && is_name(&self.kata, b'-')
            && is_name(&self.test, b'_')
            && self.replay.as_ref().is_none_or(is_replay)
    }
}

/// Tells apart what was unpacked from what was packed (FNV-1a, 32 bits): deflate without a frame would hand over a
/// changed text without a word.
fn checksum(bytes: &[u8]) -> [u8; 4] {
    bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)).to_be_bytes()
}

fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let n = (0..3).fold(0u32, |n, i| n << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..=three.len() {
            out.push(char::from(LETTERS[(n >> (18 - 6 * i)) as usize & 63]));
        }
    }
    out
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for four in text.as_bytes().chunks(4) {
        let mut n = 0u32;
        for letter in four {
            n = n << 6 | u32::try_from(LETTERS.iter().position(|l| l == letter)?).ok()?;
        }
        let bytes = (n << (6 * (4 - four.len()))).to_be_bytes();
        // Two letters hold one byte, three hold two; one alone holds none.
        out.extend_from_slice(&bytes[1..four.len().checked_sub(1).filter(|n| *n > 0)? + 1]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> SharedRun {
        SharedRun {
            kata: "acquire-with-fencing".into(),
            code: "class LockManager:\n    \"\"\"ü ∞\"\"\"\n".into(),
            replay: Some("AxRhY3F1aXJl-_".into()),
            test: "a_lease_is_gone_at_its_very_expiry".into(),
            from: None,
        }
    }

    // What stands in for deflate here is nothing: these tests are about what is around it.
    fn address(run: &SharedRun) -> String {
        let json = run.to_json();
        to_address(&json, json.as_bytes()).unwrap()
    }

    fn read(hash: &str) -> Result<SharedRun, Trouble> {
        let bytes = of_address(hash)?;
        let (sum, json) = bytes.split_first_chunk::<4>().ok_or(Trouble::Damaged)?;
        SharedRun::of_json(json, *sum)
    }

    #[test]
    fn a_run_comes_back_from_its_address() {
        let without = SharedRun { replay: None, ..run() };
        assert!(!without.to_json().contains("replay"));
        let card = SharedRun { from: Some("#/museum/losses-unheard/lost-and-still-held".into()), ..run() };
        for run in [run(), without, card] {
            assert_eq!(read(&address(&run)), Ok(run));
        }
    }

    #[test]
    fn base64url_is_that_of_the_rfc() {
        for (bytes, text) in
            [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
        }
        assert_eq!(encode(&[0xfb, 0xff]), "-_8");
        for text in ["A", "AAAAA", "Zg==", "Zm9v\n", "Zm+/", "ü"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }

    #[test]
    fn each_way_to_be_wrong_has_its_own_sentence() {
        let good = address(&run());
        let other_version = good.replacen("/1/", "/2/", 1);
        let long = [&good, "A".repeat(MOST_ADDRESS).as_str()].concat();
        let mut cut = good.clone();
        cut.pop();
        let cases = [
            ("#/shared", Trouble::Empty),
            ("#/shared/", Trouble::Empty),
            ("#/shared/1/", Trouble::Empty),
            (&other_version, Trouble::OtherVersion),
            ("#/shared/abc", Trouble::OtherVersion),
            (&long, Trouble::TooLong),
            (&cut, Trouble::Damaged),
            ("#/shared/1/!", Trouble::Damaged),
            ("#/shared/1/AAAA", Trouble::Damaged),
        ];
        for (hash, trouble) in cases {
            assert_eq!(read(hash), Err(trouble), "{:.40}", hash);
        }
        let all = [Trouble::Empty, Trouble::OtherVersion, Trouble::TooLong, Trouble::Damaged, Trouble::TooLarge];
        let mut texts: Vec<String> = all.iter().map(Trouble::text).collect();
        texts.sort();
        texts.dedup();
        assert_eq!(texts.len(), all.len());
        assert!(Trouble::NoKata("x".into()).text().contains("called x."));
    }

    #[test]
    fn every_changed_letter_is_noticed() {
        let good = address(&run());
        for at in "#/shared/1/".len()..good.len() {
            let other = if good.as_bytes()[at] == b'A' { "B" } else { "A" };
            let changed = [&good[..at], other, &good[at + 1..]].concat();
            let read = read(&changed);
            assert!(read == Err(Trouble::Damaged) || read == Ok(run()), "letter {at}");
        }
    }

    #[test]
    fn names_that_are_none_of_ours_are_damage() {
        let with = |change: fn(&mut SharedRun)| {
            let mut run = run();
            change(&mut run);
            read(&address(&run))
        };
        for read in [
            with(|run| run.kata = "../secret".into()),
            with(|run| run.kata = String::new()),
            with(|run| run.kata = "a".repeat(129)),
            with(|run| run.from = Some("https://example.org/".into())),
            with(|run| run.from = Some("#/museum/../x".into())),
            with(|run| run.test = "<b>".into()),
            with(|run| run.replay = Some("a b".into())),
        ] {
            assert_eq!(read, Err(Trouble::Damaged));
        }
    }

    #[test]
    fn garbage_is_refused_and_never_a_panic() {
        let mut below = crate::noise::below(7);
        let good = address(&run());
        let alphabet: Vec<char> = "#/shared1Aab-_=%ü\u{0}".chars().collect();
        for _ in 0..3_000 {
            let length = below(60);
            let noise: String = (0..length).map(|_| alphabet[below(alphabet.len())]).collect();
            let at = below(good.len());
            for hash in [noise.clone(), ["#/shared/1/", &noise].concat(), [&good[..at], &noise, &good[at..]].concat()] {
                assert!(read(&hash).is_err() || hash == good, "{hash}");
            }
            let bytes: Vec<u8> = (0..length).map(|_| below(256) as u8).collect();
            assert_eq!(decode(&encode(&bytes)), Some(bytes.clone()));
            assert!(SharedRun::of_json(&bytes, checksum(&bytes)).is_err());
        }
    }

    #[test]
    fn what_is_too_long_for_a_link_makes_none() {
        let json = run().to_json();
        assert_eq!(to_address(&json, &vec![0; MOST_ADDRESS / 4 * 3]), None);
        assert_eq!(to_address(&" ".repeat(MOST_UNPACKED + 1), &[0]), None);
    }
}
