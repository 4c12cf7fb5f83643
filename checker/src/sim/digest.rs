//! A 128-bit digest of a state, for telling whether two runs have come to the same one.

use std::hash::Hasher;

/// Two independent streams of multiply-and-rotate; no secret, the same everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Digest(u64, u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0x243F_6A88_85A3_08D3, 0x1319_8A2E_0370_7344)
    }
}

impl Digest {
    /// The value.
    pub fn value(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }

    fn word(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ (self.0 >> 31);
        self.1 = (self.1.rotate_left(23) ^ word).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ (self.1 >> 27);
    }
}

impl Hasher for Digest {
    fn finish(&self) -> u64 {
        self.0 ^ self.1
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    fn write_u64(&mut self, n: u64) {
        self.word(n);
    }

    // Lengths are hashed as `usize`: as wide in a browser as natively.
    fn write_usize(&mut self, n: usize) {
        self.word(n as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hash::Hash as _;

    fn of(parts: &[&str]) -> u128 {
        let mut digest = Digest::default();
        parts.iter().for_each(|p| p.hash(&mut digest));
        digest.value()
    }

    #[test]
    fn equal_states_have_equal_digests_and_others_differ() {
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        let all = [of(&[]), of(&["a", "b"]), of(&["b", "a"]), of(&["ab"]), of(&["ab", ""]), of(&["a"])];
        let mut distinct = all.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());
    }
}
