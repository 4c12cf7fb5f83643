//! Noise for tests.

/// Numbers below a bound, the same for the same seed: Knuth's linear congruence, good enough for noise.
pub fn below(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    }
}
