//! A schedule, and the short string that brings it back.
//!
//! The string is base64url without padding of: format version (1 byte), length of the kata's slug (1 byte), the slug,
//! what kind of schedule it is (1 byte), its content, and a checksum (2 bytes) of all that. Operations count durations
//! in ticks of 1/64 s, disturbances in microseconds.
//!
//! ```
//! use leasehold_checker::explore::replay::{Op, Replay, Schedule};
//! let schedule = Schedule(vec![Op::Acquire { client: 0, name: 0, ttl: 640 }, Op::Wait { ticks: 640 }]);
//! let replay = Replay::Sequence(schedule);
//! let string = replay.encode("acquire-with-fencing");
//! assert_eq!(Replay::decode(&string, "acquire-with-fencing").unwrap(), replay);
//! assert!(Replay::decode(&string, "storage-gate").unwrap_err().to_string().contains("another kata"));
//! ```

use crate::sim::disturbance::Disturbance;

/// Version of the string's format.
pub const REPLAY_VERSION: u8 = 3;

/// Virtual microseconds in a tick, 1/64 s. Its multiples are exact in floats of seconds, and sums of them with lease
/// lengths of whole milliseconds come out alike whether the learner counts in floats, milliseconds or nanoseconds.
pub const TICK_US: u64 = 15_625;

/// One thing that the schedule makes happen. Clients and names are numbers that the suite gives names to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A client asks for a lock.
    Acquire {
        /// Which client.
        client: u8,
        /// Which lock.
        name: u8,
        /// For how long, in ticks.
        ttl: u32,
    },
    /// A client releases a lock.
    Release {
        /// Which client.
        client: u8,
        /// Which lock.
        name: u8,
    },
    /// Time passes.
    Wait {
        /// How much, in ticks.
        ticks: u32,
    },
    /// A client's process pauses, and the world goes on that long before the next operation.
    Pause {
        /// Which client.
        client: u8,
        /// How long until the next operation, in ticks.
        ticks: u32,
    },
    /// The paused client goes on.
    Wake {
        /// Which client.
        client: u8,
    },
    /// A client writes to the storage with the last token that it was given for the name.
    Write {
        /// Which client.
        client: u8,
        /// Which resource; it has the lock's name.
        name: u8,
    },
    /// Something else, which only the kata knows.
    Act {
        /// What, by the kata's own numbers.
        verb: u8,
        /// Which client.
        client: u8,
        /// With which of the things that the verb is about.
        what: u8,
        /// How much, mostly in ticks.
        amount: u32,
    },
}

/// What happens, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule(pub Vec<Op>);

/// One thing that goes wrong in a world's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taken {
    /// At which of the run's choice points, counted from 0.
    pub at: u32,
    /// What it is.
    pub what: Disturbance,
    /// What the code was about to do there, as [`crate::sim::disturbance::Point::fingerprint`].
    pub place: u8,
}

/// What goes wrong in a run of one of a kata's worlds; nothing else does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Course {
    /// Which of the kata's worlds.
    pub world: u32,
    /// In order of their points.
    pub taken: Vec<Taken>,
}

/// A schedule of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replay {
    /// Of a synchronous kata.
    Sequence(Schedule),
    /// Of a kata that lives in a world.
    Course(Course),
}

/// Why a replay string can't be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadReplay {
    /// Not base64url, cut off, or with operations that do not exist.
    #[error("the replay string is damaged ({0}); copy it again, whole")]
    Damaged(&'static str),
    /// Made by another version.
    #[error(
        "the replay string has format version {0}, this program reads version {REPLAY_VERSION}; run the tests again for a new one"
    )]
    OtherVersion(u8),
    /// Made for another kata.
    #[error("the replay string belongs to another kata, {0}")]
    OtherKata(String),
    /// Made for code that acted differently.
    #[error(
        "the replay string no longer fits this code: {0}. It was made for a version that acted differently there; run \
         the tests again for a new one"
    )]
    NoLongerFits(String),
}

impl Replay {
    /// The string that brings this schedule back.
    pub fn encode(&self, kata: &str) -> String {
        let slug = &kata.as_bytes()[..kata.len().min(255)];
        let mut bytes = vec![REPLAY_VERSION, slug.len() as u8];
        bytes.extend_from_slice(slug);
        match self {
            Replay::Sequence(schedule) => {
                bytes.push(0);
                schedule.write(&mut bytes);
            }
            Replay::Course(course) => {
                bytes.push(1);
                course.write(&mut bytes);
            }
        }
        sealed(&bytes)
    }

    /// Reads a replay string made for `kata`.
    ///
    /// # Errors
    /// Which of the three things is wrong with it.
    pub fn decode(string: &str, kata: &str) -> Result<Self, BadReplay> {
        let content = opened(string)?;
        let mut rest = Reader(content.get(1..).unwrap_or_default());
        let cut = BadReplay::Damaged("it is cut off");
        let Some(slug) = rest.byte().and_then(|n| rest.take(usize::from(n))) else { return Err(cut) };
        if slug != kata.as_bytes() {
            return Err(BadReplay::OtherKata(String::from_utf8_lossy(slug).into_owned()));
        }
        match rest.byte() {
            Some(0) => Schedule::read(&mut rest).map(Replay::Sequence),
            Some(1) => Course::read(&mut rest).map(Replay::Course),
            _ => Err(cut),
        }
    }
}

/// The string that carries these bytes, the version first.
pub fn sealed(content: &[u8]) -> String {
    base64url(&[content, &checksum(content).to_be_bytes()].concat())
}

/// The bytes that a string of this version carries, whole.
///
/// # Errors
/// It was damaged on its way, or is of another version.
pub fn opened(string: &str) -> Result<Vec<u8>, BadReplay> {
    let mut bytes = from_base64url(string.trim()).ok_or(BadReplay::Damaged("it has characters that do not belong"))?;
    let version = *bytes.first().ok_or(BadReplay::Damaged("it is empty"))?;
    // Of another version nothing more is known, not even where its checksum is.
    if version != REPLAY_VERSION {
        return Err(BadReplay::OtherVersion(version));
    }
    let damaged = BadReplay::Damaged("it is cut off, or a character in it was changed");
    let Some((content, sum)) = bytes.split_last_chunk::<2>() else { return Err(damaged) };
    if checksum(content) != u16::from_be_bytes(*sum) {
        return Err(damaged);
    }
    bytes.truncate(content.len());
    Ok(bytes)
}

/// Fletcher's, over bytes: notices every single changed character, and nearly every other damage.
fn checksum(bytes: &[u8]) -> u16 {
    let (low, high) = bytes.iter().fold((1u32, 0u32), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 251;
        (low, (high + low) % 251)
    });
    (high << 8 | low) as u16
}

impl Course {
    fn write(&self, bytes: &mut Vec<u8>) {
        number(bytes, u64::from(self.world));
        let mut before = 0;
        for Taken { at, what, place } in &self.taken {
            number(bytes, u64::from(at - before));
            before = *at;
            bytes.push(*place);
            match *what {
                Disturbance::RunNext(n) => bytes.extend([0, n]),
                Disturbance::Pause(us) => tagged(bytes, 1, us),
                Disturbance::Crash => bytes.push(2),
                Disturbance::Partition(us) => tagged(bytes, 3, us),
                Disturbance::StepWall(us) if us < 0 => tagged(bytes, 4, us.unsigned_abs()),
                Disturbance::StepWall(us) => tagged(bytes, 5, us.unsigned_abs()),
                Disturbance::LoseRequest => bytes.push(6),
                Disturbance::LoseReply => bytes.push(7),
                Disturbance::Duplicate => bytes.push(8),
                Disturbance::DelayReply(us) => tagged(bytes, 9, us),
                Disturbance::RestartServer => bytes.push(10),
            }
        }
    }

    fn read(rest: &mut Reader<'_>) -> Result<Self, BadReplay> {
        let cut = || BadReplay::Damaged("it is cut off");
        let number = |rest: &mut Reader<'_>| rest.number().ok_or_else(cut);
        let world = number(rest)?;
        let world = u32::try_from(world).map_err(|_| BadReplay::Damaged("it names a world that does not exist"))?;
        let mut course = Course { world, taken: Vec::new() };
        let mut at = 0u32;
        while !rest.0.is_empty() {
            let after = u32::try_from(number(rest)?).map_err(|_| cut())?;
            at = at.checked_add(after).ok_or_else(cut)?;
            let (place, tag) = rest.byte().zip(rest.byte()).ok_or_else(cut)?;
            let what = match tag {
                0 => Disturbance::RunNext(rest.byte().ok_or_else(cut)?),
                1 => Disturbance::Pause(number(rest)?),
                2 => Disturbance::Crash,
                3 => Disturbance::Partition(number(rest)?),
                4 => Disturbance::StepWall(-i64::try_from(number(rest)?).map_err(|_| cut())?),
                5 => Disturbance::StepWall(i64::try_from(number(rest)?).map_err(|_| cut())?),
                6 => Disturbance::LoseRequest,
                7 => Disturbance::LoseReply,
                8 => Disturbance::Duplicate,
                9 => Disturbance::DelayReply(number(rest)?),
                10 => Disturbance::RestartServer,
                _ => return Err(BadReplay::Damaged("it holds a disturbance that does not exist")),
            };
            course.taken.push(Taken { at, what, place });
        }
        Ok(course)
    }
}

fn tagged(bytes: &mut Vec<u8>, tag: u8, n: u64) {
    bytes.push(tag);
    number(bytes, n);
}

impl Schedule {
    fn write(&self, bytes: &mut Vec<u8>) {
        for op in &self.0 {
            match *op {
                Op::Acquire { client, name, ttl } => {
                    bytes.extend([0, client, name]);
                    number(bytes, u64::from(ttl));
                }
                Op::Release { client, name } => bytes.extend([1, client, name]),
                Op::Wait { ticks } => {
                    bytes.push(2);
                    number(bytes, u64::from(ticks));
                }
                Op::Pause { client, ticks } => {
                    bytes.extend([3, client]);
                    number(bytes, u64::from(ticks));
                }
                Op::Wake { client } => bytes.extend([4, client]),
                Op::Write { client, name } => bytes.extend([5, client, name]),
                Op::Act { verb, client, what, amount } => {
                    bytes.extend([6, verb, client, what]);
                    number(bytes, u64::from(amount));
                }
            }
        }
    }

    /// Whether it names only the first so many clients and locks.
    pub fn stays_within(&self, clients: u8, locks: u8) -> bool {
        self.0.iter().all(|op| match *op {
            Op::Acquire { client, name, .. } | Op::Release { client, name } | Op::Write { client, name } => {
                client < clients && name < locks
            }
            Op::Pause { client, .. } | Op::Wake { client } => client < clients,
            Op::Act { client, .. } => client < clients,
            Op::Wait { .. } => true,
        })
    }

    fn read(rest: &mut Reader<'_>) -> Result<Self, BadReplay> {
        let cut = BadReplay::Damaged("it is cut off");
        let mut ops = Vec::new();
        while let Some(tag) = rest.byte() {
            let op = match tag {
                0 => rest.byte().zip(rest.byte()).zip(rest.short()).map(|((client, name), ttl)| Op::Acquire {
                    client,
                    name,
                    ttl,
                }),
                1 => rest.byte().zip(rest.byte()).map(|(client, name)| Op::Release { client, name }),
                2 => rest.short().map(|ticks| Op::Wait { ticks }),
                3 => rest.byte().zip(rest.short()).map(|(client, ticks)| Op::Pause { client, ticks }),
                4 => rest.byte().map(|client| Op::Wake { client }),
                5 => rest.byte().zip(rest.byte()).map(|(client, name)| Op::Write { client, name }),
                6 => rest.take(3).zip(rest.short()).and_then(|(three, amount)| match *three {
                    [verb, client, what] => Some(Op::Act { verb, client, what, amount }),
                    _ => None,
                }),
                _ => return Err(BadReplay::Damaged("it holds an operation that does not exist")),
            };
            match op {
                Some(op) => ops.push(op),
                None => return Err(cut),
            }
        }
        Ok(Schedule(ops))
    }
}

/// Seven bits a byte, lowest first, the highest bit says that more follow.
fn number(bytes: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        bytes.push((n & 0x7f) as u8 | 0x80);
        n >>= 7;
    }
    bytes.push(n as u8);
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u64> {
        let mut n: u64 = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            n |= u64::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(n);
            }
        }
        None
    }

    fn short(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn base64url(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let n = chunk.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..=chunk.len() {
            out.push(char::from(ALPHABET[(n >> (18 - 6 * i) & 63) as usize]));
        }
    }
    out
}

fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        if chunk.len() == 1 {
            return None;
        }
        let mut n = 0u32;
        for c in chunk {
            n = n << 6 | u32::try_from(ALPHABET.iter().position(|a| a == c)?).ok()?;
        }
        n <<= 6 * (4 - chunk.len());
        for i in 0..chunk.len() - 1 {
            out.push((n >> (16 - 8 * i)) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_comes_back() {
        let schedule = [
            Op::Acquire { client: 1, name: 2, ttl: 100_000 },
            Op::Release { client: 0, name: 0 },
            Op::Wait { ticks: 127 },
            Op::Wait { ticks: 128 },
            Op::Pause { client: 2, ticks: u32::MAX },
            Op::Wake { client: 2 },
            Op::Write { client: 2, name: 1 },
            Op::Act { verb: 200, client: 1, what: 3, amount: 70_000 },
        ];
        for n in 0..=schedule.len() {
            let part = Replay::Sequence(Schedule(schedule[..n].to_vec()));
            assert_eq!(Replay::decode(&part.encode("a-kata"), "a-kata"), Ok(part));
        }
    }

    #[test]
    fn every_disturbance_comes_back() {
        let kinds = [
            Disturbance::RunNext(3),
            Disturbance::Pause(u64::MAX),
            Disturbance::Crash,
            Disturbance::Partition(1),
            Disturbance::StepWall(-3_600_000_000),
            Disturbance::StepWall(10_000_000),
            Disturbance::LoseRequest,
            Disturbance::LoseReply,
            Disturbance::Duplicate,
            Disturbance::DelayReply(500_000),
            Disturbance::RestartServer,
        ];
        let taken: Vec<Taken> =
            (0u32..).zip(kinds).map(|(i, what)| Taken { at: i * 1000, what, place: i as u8 }).collect();
        for n in 0..=taken.len() {
            let part = Replay::Course(Course { world: 2, taken: taken[..n].to_vec() });
            assert_eq!(Replay::decode(&part.encode("a-kata"), "a-kata"), Ok(part));
        }
    }

    #[test]
    fn a_string_that_can_not_be_used_says_which_of_three_things_is_wrong() {
        let good = Replay::Sequence(Schedule(vec![Op::Wait { ticks: 300 }])).encode("a-kata");
        assert_eq!(Replay::decode(&good, "b-kata"), Err(BadReplay::OtherKata("a-kata".into())));
        assert!(matches!(Replay::decode("a b", "a-kata"), Err(BadReplay::Damaged(_))));
        assert!(matches!(Replay::decode("", "a-kata"), Err(BadReplay::Damaged(_))));
        assert_eq!(Replay::decode(&base64url(&[7, 0]), "a-kata"), Err(BadReplay::OtherVersion(7)));
        // The string of a version before this one.
        assert_eq!(Replay::decode(&base64url(&[2, 1, b'a', 99]), "a"), Err(BadReplay::OtherVersion(2)));
    }

    #[test]
    fn every_changed_or_missing_character_is_noticed() {
        let course = Course { world: 1, taken: vec![Taken { at: 5, what: Disturbance::Pause(10_015_625), place: 77 }] };
        let good = Replay::Course(course).encode("a-kata");
        for i in 0..good.len() {
            assert!(Replay::decode(&good[..i], "a-kata").is_err(), "cut at {i}");
            // The last character has bits that do not count.
            for other in ALPHABET.iter().filter(|c| i + 1 < good.len() && **c != good.as_bytes()[i]) {
                let mut text = good.clone().into_bytes();
                text[i] = *other;
                let text = String::from_utf8(text).unwrap();
                assert!(Replay::decode(&text, "a-kata").is_err(), "{text} differs from {good} at {i}");
            }
        }
    }
}
