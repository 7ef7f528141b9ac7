//! Broadcast of many blocks along a circulant graph.

use super::algorithm::{CombiningAlgorithm, Plan};
use super::pattern::Pipeline;

/// A pipelined broadcast from one root: `n - 1 + ceil(log2 p)` steps for `n` blocks and any number `p` of ranks, which is
/// the minimum for one port. A reduction runs backwards, and an all-reduce is one of each.
///
/// In round `t`, a rank receives from the rank `skip[t mod q]` places before it, for `q = ceil(log2 p)` skips: half of `p`
/// rounded up, half of that rounded up, and so on. In every `q` rounds, a rank receives `q` blocks that it lacks.
///
/// # Source
///
/// Träff, *Optimal broadcast schedules in logarithmic time with applications to broadcast, all-broadcast, reduction and
/// all-reduction* (2024), sections 2 and 3.
pub(super) const CIRCULANT: CombiningAlgorithm = CombiningAlgorithm {
    name: "circulant",
    about: "one root, n blocks: the rank p/2, p/4, … places ahead, rounded up, in turn: n - 1 + ceil(log2 p) steps",
    plan: Plan::FromRoot(pipeline),
};

fn pipeline(places: usize, blocks: usize) -> Pipeline {
    let skips = skips(places);
    let phase = skips.len() - 1;
    let receptions: Vec<Vec<usize>> = (1..places).map(|place| phase_of(place, &skips)).collect();
    let rounds = blocks - 1 + phase;
    // The last round must be the last of a phase, so the first phase may begin in the middle.
    let missing = (phase - rounds % phase) % phase;
    Pipeline::new(rounds, move |round, transfers| {
        let (phases, index) = ((round + missing) / phase, (round + missing) % phase);
        for (place, receptions) in (1..places).zip(&receptions) {
            if let Some(block) = (receptions[index] + phases * phase).checked_sub(missing + phase) {
                let sender = (place + places - skips[index]) % places;
                transfers.push(([sender as u32, place as u32], block.min(blocks - 1) as u32));
            }
        }
    })
}

/// Returns the skips, ascending, and the number of places after them.
fn skips(places: usize) -> Vec<usize> {
    let mut skips: Vec<usize> =
        std::iter::successors(Some(places), |&skip| (skip > 1).then(|| skip.div_ceil(2))).collect();
    skips.reverse();
    skips
}

/// Returns the index of the smallest skip in the greedy sum of skips that makes a place: the first block that it receives.
fn base_block(place: usize, skips: &[usize]) -> usize {
    let mut rest = place;
    let largest_first = (0..skips.len() - 1).rev();
    let mut terms = largest_first.filter(|&index| {
        let is_term = rest >= skips[index] && rest > 0;
        rest -= if is_term { skips[index] } else { 0 };
        is_term
    });
    terms.by_ref().last().unwrap_or(skips.len() - 1)
}

/// Returns the blocks that a place other than the root receives in the rounds of a phase of `q` rounds. The root sends the
/// blocks `q..2q` in it, and `0..q` in the phase before.
fn phase_of(place: usize, skips: &[usize]) -> Vec<usize> {
    let phase = skips.len() - 1;
    let base = base_block(place, skips);
    let mut search = PhaseSearch {
        skips,
        target: skips[phase] + place,
        is_free: (0..=phase).map(|index| index != base).collect(),
        last: 2 * skips[phase],
        found: Vec::with_capacity(phase),
    };
    search.extend(0, phase);
    search.found.into_iter().map(|index| if index == phase { phase + base } else { index }).collect()
}

/// The search for the blocks of a phase: those whose way from the root, as a greedy sum of skips, arrives in time.
struct PhaseSearch<'a> {
    skips: &'a [usize],
    /// The place, after one turn.
    target: usize,
    /// By skip: true if its block is not yet received.
    is_free: Vec<bool>,
    /// The end of the way of the block before.
    last: usize,
    found: Vec<usize>,
}

impl PhaseSearch<'_> {
    /// Extends a way that ends at `reached` by skips up to an index, largest first.
    fn extend(&mut self, reached: usize, index: usize) {
        let phase = self.skips.len() - 1;
        // The sender of the next block and of the one after it.
        let sender =
            |search: &Self, ahead: usize| search.target - search.skips[(search.found.len() + ahead).min(phase)];
        if reached > sender(self, 0) {
            return;
        }
        for index in (0..=index).rev() {
            let end = reached + self.skips[index];
            let fits = |search: &Self| search.is_free[index] && end <= sender(search, 0) && end < search.last;
            if !fits(self) {
                continue;
            }
            if end <= sender(self, 1) {
                self.extend(end, index);
            }
            if self.found.len() == phase || reached > sender(self, 1) {
                return;
            }
            if fits(self) {
                self.last = end;
                self.is_free[index] = false;
                self.found.push(index);
                if self.found.len() == phase {
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In every phase, a place receives the blocks of the phase before but the one that it already has, and its base block.
    /// What it sends was received earlier.
    #[test]
    fn every_place_receives_what_it_lacks_and_sends_what_it_has() {
        for places in (2..300).chain([511, 512, 513, 1000]) {
            let skips = skips(places);
            let phase = skips.len() - 1;
            assert_eq!(phase, places.next_power_of_two().ilog2() as usize);
            let receptions: Vec<Vec<usize>> = (1..places).map(|place| phase_of(place, &skips)).collect();
            for place in 1..places {
                let base = base_block(place, &skips);
                let mut blocks = receptions[place - 1].clone();
                for round in 0..phase {
                    let receiver = (place + skips[round]) % places;
                    if receiver != 0 {
                        let sent = receptions[receiver - 1][round];
                        assert!(sent == base || blocks[..round].contains(&sent), "{places}: {place} in {round}");
                    }
                }
                blocks.sort_unstable();
                let expected: Vec<usize> = (0..phase).filter(|&block| block != base).chain([phase + base]).collect();
                assert_eq!(blocks, expected, "{places}: {place}");
            }
        }
    }
}
