//! A schedule, and the short string that brings it back.
//!
//! The string is base64url without padding of: format version (1 byte), length of the kata's slug (1 byte), the slug,
//! then the operations. Durations are counted in ticks of 1/64 s.
//!
//! ```
//! use leasehold_checker::explore::replay::{Op, Schedule};
//! let schedule = Schedule(vec![Op::Acquire { client: 0, name: 0, ttl: 640 }, Op::Wait { ticks: 640 }]);
//! let string = schedule.encode("acquire-with-fencing");
//! assert_eq!(Schedule::decode(&string, "acquire-with-fencing").unwrap(), schedule);
//! assert!(Schedule::decode(&string, "storage-gate").unwrap_err().to_string().contains("another kata"));
//! ```

/// Version of the string's format.
pub const REPLAY_VERSION: u8 = 2;

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
}

/// What happens, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule(pub Vec<Op>);

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
}

impl Schedule {
    /// The string that brings this schedule back.
    pub fn encode(&self, kata: &str) -> String {
        let slug = &kata.as_bytes()[..kata.len().min(255)];
        let mut bytes = vec![REPLAY_VERSION, slug.len() as u8];
        bytes.extend_from_slice(slug);
        for op in &self.0 {
            match *op {
                Op::Acquire { client, name, ttl } => {
                    bytes.extend([0, client, name]);
                    number(&mut bytes, ttl);
                }
                Op::Release { client, name } => bytes.extend([1, client, name]),
                Op::Wait { ticks } => {
                    bytes.push(2);
                    number(&mut bytes, ticks);
                }
                Op::Pause { client, ticks } => {
                    bytes.extend([3, client]);
                    number(&mut bytes, ticks);
                }
                Op::Wake { client } => bytes.extend([4, client]),
                Op::Write { client, name } => bytes.extend([5, client, name]),
            }
        }
        base64url(&bytes)
    }

    /// Whether it names only the first so many clients and locks.
    pub fn stays_within(&self, clients: u8, locks: u8) -> bool {
        self.0.iter().all(|op| match *op {
            Op::Acquire { client, name, .. } | Op::Release { client, name } | Op::Write { client, name } => {
                client < clients && name < locks
            }
            Op::Pause { client, .. } | Op::Wake { client } => client < clients,
            Op::Wait { .. } => true,
        })
    }

    /// Reads a replay string made for `kata`.
    ///
    /// # Errors
    /// Which of the three things is wrong with it.
    pub fn decode(string: &str, kata: &str) -> Result<Self, BadReplay> {
        let bytes = from_base64url(string.trim()).ok_or(BadReplay::Damaged("it has characters that do not belong"))?;
        let mut rest = Reader(&bytes);
        let version = rest.byte().ok_or(BadReplay::Damaged("it is empty"))?;
        if version != REPLAY_VERSION {
            return Err(BadReplay::OtherVersion(version));
        }
        let cut = BadReplay::Damaged("it is cut off");
        let Some(slug) = rest.byte().and_then(|n| rest.take(usize::from(n))) else { return Err(cut) };
        if slug != kata.as_bytes() {
            return Err(BadReplay::OtherKata(String::from_utf8_lossy(slug).into_owned()));
        }
        let mut ops = Vec::new();
        while let Some(tag) = rest.byte() {
            let op = match tag {
                0 => rest.byte().zip(rest.byte()).zip(rest.number()).map(|((client, name), ttl)| Op::Acquire {
                    client,
                    name,
                    ttl,
                }),
                1 => rest.byte().zip(rest.byte()).map(|(client, name)| Op::Release { client, name }),
                2 => rest.number().map(|ticks| Op::Wait { ticks }),
                3 => rest.byte().zip(rest.number()).map(|(client, ticks)| Op::Pause { client, ticks }),
                4 => rest.byte().map(|client| Op::Wake { client }),
                5 => rest.byte().zip(rest.byte()).map(|(client, name)| Op::Write { client, name }),
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
fn number(bytes: &mut Vec<u8>, mut n: u32) {
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

    fn number(&mut self) -> Option<u32> {
        let mut n: u32 = 0;
        for shift in (0..32).step_by(7) {
            let byte = self.byte()?;
            n |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(n);
            }
        }
        None
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
        let schedule = Schedule(vec![
            Op::Acquire { client: 1, name: 2, ttl: 100_000 },
            Op::Release { client: 0, name: 0 },
            Op::Wait { ticks: 127 },
            Op::Wait { ticks: 128 },
            Op::Pause { client: 2, ticks: u32::MAX },
            Op::Wake { client: 2 },
            Op::Write { client: 2, name: 1 },
        ]);
        for n in 0..=schedule.0.len() {
            let part = Schedule(schedule.0[..n].to_vec());
            assert_eq!(Schedule::decode(&part.encode("a-kata"), "a-kata"), Ok(part));
        }
    }

    #[test]
    fn a_string_that_can_not_be_used_says_which_of_three_things_is_wrong() {
        let good = Schedule(vec![Op::Wait { ticks: 300 }]).encode("a-kata");
        assert_eq!(Schedule::decode(&good, "b-kata"), Err(BadReplay::OtherKata("a-kata".into())));
        assert!(matches!(Schedule::decode(&good[..good.len() - 2], "a-kata"), Err(BadReplay::Damaged(_))));
        assert!(matches!(Schedule::decode("a b", "a-kata"), Err(BadReplay::Damaged(_))));
        assert!(matches!(Schedule::decode("", "a-kata"), Err(BadReplay::Damaged(_))));
        assert_eq!(Schedule::decode(&base64url(&[7, 0]), "a-kata"), Err(BadReplay::OtherVersion(7)));
        assert!(matches!(
            Schedule::decode(&base64url(&[REPLAY_VERSION, 1, b'a', 99]), "a"),
            Err(BadReplay::Damaged(_))
        ));
    }
}
