//! Simulated annealing among graphs that rotations keep.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::bound::node_bound;
use super::{DistanceSum, Polycirculant};

/// Switches for every jump before a walk begins: enough to forget the circulant graph.
const SHUFFLES_PER_JUMP: usize = 10;

/// A connected graph of this order and degree with a small sum of distances, the best that `looks` entries of neighbour
/// tables (a nanosecond each, or less) let this seed find; `None` if there is no graph of this order and degree.
///
/// The best graphs known are mostly symmetric, and a graph that `k` rotations keep is known from a `k`-th of its links
/// and judged from a `k`-th of its nodes. So there is one walk for each number of rotations, from all to none, each with
/// an equal share; equal sums go to the graph of more rotations. Ends at once where the bound is reached. Every walk
/// measures one graph at least, whatever `looks` is: `order^2 * degree / 64` looks for each unit of its diameter.
///
/// **Source**: simulated annealing by the exchange of the ends of two links among graphs with rotations, as in Nakao,
/// Murai, Sato, *A method for order/degree problem based on graph symmetry and simulated annealing with MPI/OpenMP
/// parallelization*, HPC Asia (2019). There the number of rotations is given.
pub(crate) fn search(order: u32, degree: u32, seed: u64, looks: u64) -> Option<Polycirculant> {
    let periods: Vec<u32> = (1..=order).filter(|&period| order.is_multiple_of(period)).collect();
    let share = looks / periods.len().max(1) as u64;
    let least = node_bound(order.into(), degree.into())?;
    let mut best: Option<(u64, Polycirculant)> = None;
    for period in periods {
        let Some(start) = Polycirculant::circulant(order, degree, period) else { continue };
        let rotations = u64::from(start.rotations());
        // One stream for each walk.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(period.into());
        let (sum, graph) = walk(start, least * u64::from(period), share, &mut rng)?;
        if best.as_ref().is_none_or(|(least, _)| sum * rotations < *least) {
            best = Some((sum * rotations, graph));
        }
        if sum == least * u64::from(period) {
            break;
        }
    }
    best.map(|(_, graph)| graph)
}

/// The best graph of a walk that begins at random, and the sum of distances from one node of each class. Ends after so
/// many looks, or where the sum is `least`. `None` if the graph to start from is not connected.
fn walk(start: Polycirculant, least: u64, looks: u64, rng: &mut ChaCha8Rng) -> Option<(u64, Polycirculant)> {
    let (degree, period) = (start.degree(), start.period());
    let mut distances = DistanceSum::new(start.neighbours().len() / degree);
    let mut graph = start.clone();
    for _ in 0..SHUFFLES_PER_JUMP * degree * period {
        graph.switch(rng);
    }
    let mut current = distances.of(graph.neighbours(), degree, period, u64::MAX);
    if current.is_none() {
        current = distances.of(start.neighbours(), degree, period, u64::MAX);
        graph = start;
    }
    let mut current = current?;
    let mut best = (current, graph.clone());
    let mut refused = 0;
    while best.0 > least {
        // A switch that is refused costs a look at four rows, so that a graph without any switch ends the walk.
        let spent = distances.looks() + refused;
        if spent >= looks {
            break;
        }
        let Some(switched) = graph.switch(rng) else {
            refused += 4 * degree as u64;
            continue;
        };
        // At the start a sum may grow by 1 with probability one half, by 2 with one quarter, in the end not at all.
        let heat = (looks - spent) / (looks >> 16).max(1);
        let slack = (heat * halvings(rng.next_u64())) >> 32;
        match distances.of(graph.neighbours(), degree, period, current + slack) {
            Some(sum) => current = sum,
            None => graph.take_back(switched),
        }
        if current < best.0 {
            best = (current, graph.clone());
        }
    }
    Some(best)
}

/// How often 1 is halved until a fraction drawn at random, these bits, is left, in units of 2^-16: exponentially
/// distributed. Between powers of two the logarithm is taken as linear.
pub(super) fn halvings(bits: u64) -> u64 {
    let bits = bits | 1;
    let whole = bits.leading_zeros();
    let fraction = ((bits << whole) >> 47) & 0xffff;
    (u64::from(whole + 1) << 16) - fraction
}
