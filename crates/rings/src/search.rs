//! The search for the best ring set.

use lockstep_topology::{NodeId, Topology};

use crate::bound::{RefutationProof, RingBound, RingRefutation};
use crate::chains::{chains_of, repeated};
use crate::check::check_cubic_parity;
use crate::error::RingError;
use crate::exact::{ExactAnswer, decide, shorten};
use crate::hops::Hops;
use crate::length_program::program_lengths;
use crate::lengths::{better, cut_lengths, of_cut, simple_lengths};
use crate::merging::merged;
use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::request::{RingAnswer, RingRequest};
use crate::ring_count::RingCount;
use crate::ring_set::{MAX_RINGS, RingKind, RingSet};
use crate::servers::{Division, divisions, server_rings};
use crate::traversal::traversal_sets;
use crate::verify::{RingLoad, verify};
use crate::work::Work;

/// Visits of table entries per unit of work.
const VISITS: u64 = 256;

/// Visits that take the time of an assignment of the solver.
const VISITS_PER_ASSIGNMENT: u64 = 32;

/// Cells of a linear program that take the time of a visit.
const CELLS_PER_VISIT: u64 = 4;

/// Visits of the first attempt to merge cycles.
const QUICK: u64 = 1 << 23;

/// Maximum number of hops of sets whose rings have the order of a traversal.
const MAX_ROUTED: u64 = 1 << 16;

/// The rounds of decisions. Each has a part of the work, as a power of two, and a factor from one value of `rho` to the next one that is
/// tried without a proof.
const ROUNDS: [(u32, [u128; 2]); 3] = [(10, [8, 7]), (7, [32, 31]), (4, [1, 1])];

/// The part of the work for one of the first constructions, as a power of two, and the number of values of `rho` that are tried.
const FIRST_PART: u32 = 5;
const FIRST_STEPS: usize = 3;

/// The least work of a decision.
const LEAST_SHARE: u64 = 1 << 20;

/// Visits of the search for shorter hops.
const SHORTENING: u64 = 1 << 25;

/// Attempts to merge cycles in each round, with different random streams.
const ATTEMPTS: u64 = 4;

/// Larger formulas are left to the merging of cycles: the number of rings times that of hops.
const MAX_VARIABLES: usize = 1 << 14;

/// Networks with more terminals are left to the merging of cycles.
const MAX_STOPS: usize = 64;

/// Values of `rho` above the bound that are tried without a proof.
const MAX_STEPS: usize = 24;

/// Searches for the ring set with the greatest bandwidth, and for a bound.
///
/// The set is verified, and [`check_bound`](crate::check_bound) accepts the bound. With the same request, the result is the same, unless
/// `is_stopped` returns true.
///
/// ```
/// use lockstep_rings::{RingCount, RingKind, RingRequest, RingVerdict, search};
/// use lockstep_topology::Topology;
///
/// let cube: Topology = "hypercube:3".parse()?;
/// let request = RingRequest {
///     terminals: None,
///     kind: RingKind::Ring,
///     channels: RingCount::AtMost(6),
///     relay: 0,
///     gateway: None,
///     seed: 1,
///     work: 10_000_000,
///     is_stopped: &|| false,
/// };
/// let answer = search(&cube, &request)?;
/// let (set, load) = answer.set.as_ref().ok_or("no set")?;
/// assert_eq!((set.len(), load.rho().to_string(), load.bandwidth().to_string()), (6, "2".into(), "3".into()));
/// assert_eq!(answer.verdict(), RingVerdict::Optimal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`RingError`] if the terminals or the number of rings are invalid.
pub fn search(topology: &Topology, request: &RingRequest<'_>) -> Result<RingAnswer, RingError> {
    let problem = request.problem(topology)?;
    let (RingCount::Exactly(found) | RingCount::AtMost(found)) = request.channels;
    if !(1..=MAX_RINGS as u32).contains(&found) {
        return Err(RingError::Count { found });
    }
    let work = Work { left: request.work.saturating_mul(VISITS).max(1), is_stopped: request.is_stopped };
    let total = work.left;
    let mut search = Search {
        bound: RingBound { lengths: simple_lengths(&problem), refutations: Vec::new() },
        divisions: divisions(&problem),
        hop_count: (problem.stops() <= MAX_STOPS).then(|| Hops::new(&problem).len()),
        problem,
        count: request.channels,
        seed: request.seed,
        work,
        share: total / 8,
        best: None,
        is_shortest: false,
    };
    search.run();
    search.shorten();
    let limit = search.bound.bandwidth(&search.problem, request.channels);
    Ok(RingAnswer { set: search.best, bound: search.bound, limit, is_shortest: search.is_shortest })
}

impl RingRequest<'_> {
    /// Returns the problem of the request on a network, for [`check_bound`](crate::check_bound).
    ///
    /// # Errors
    ///
    /// [`RingError`] if the terminals are invalid.
    pub fn problem<'t>(&self, topology: &'t Topology) -> Result<RingProblem<'t>, RingError> {
        let problem = RingProblem::new(topology, self.kind, self.terminals, self.relay)?;
        match self.gateway {
            Some(gateway) => problem.with_gateway(gateway),
            None => Ok(problem),
        }
    }
}

struct Search<'a> {
    problem: RingProblem<'a>,
    count: RingCount,
    seed: u64,
    work: Work<'a>,
    /// The work of one decision.
    share: u64,
    bound: RingBound,
    best: Option<(RingSet, RingLoad)>,
    divisions: Vec<Division>,
    is_shortest: bool,
    /// The number of paths that hops can take; `None` if the network is too large for the solver.
    hop_count: Option<usize>,
}

/// The result of an attempt at a number of rings and a value of `rho`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    Found,
    Refuted,
    Undecided,
}

impl Search<'_> {
    fn run(&mut self) {
        self.cut_servers();
        // A construction that meets the bound saves the search for a better one.
        let least = *self.count.range().start();
        self.traverse(least);
        self.cut_rings_open();
        self.construct_first();
        if !self.raise_bound() {
            return;
        }
        // More work for a decision is spent only after less work for all numbers of rings.
        let total = 8 * self.share;
        for (round, (part, factor)) in ROUNDS.into_iter().enumerate() {
            self.share = (total >> part).max(LEAST_SHARE);
            let mut is_closed = vec![false; MAX_RINGS + 1];
            while let Some((rings, rho)) = self.next(&is_closed) {
                if self.attempt(rings, rho, round as u64) == Attempt::Undecided {
                    is_closed[rings as usize] = true;
                    self.climb((rings, rho), factor, round as u64);
                }
                if !self.work.spend(1) {
                    return;
                }
            }
        }
    }

    /// Offers chains over several servers: the best rings, and copies of them, each cut open where the others have most load.
    fn cut_rings_open(&mut self) {
        let (problem, range) = (&self.problem, self.count.range());
        if problem.kind() != RingKind::Chain || problem.relay() > 0 || problem.gateway().is_some() {
            return;
        }
        let (topology, most) = (problem.topology(), *range.end());
        let Ok(rings) = RingProblem::new(topology, RingKind::Ring, Some(problem.terminals()), 0) else { return };
        if divisions(&rings).is_empty() {
            return;
        }
        let seed = self.seed;
        let found = self.work.lend(self.share / 8, |work| {
            let request = RingRequest {
                terminals: Some(rings.terminals()),
                kind: RingKind::Ring,
                channels: RingCount::AtMost(most),
                relay: 0,
                gateway: None,
                seed,
                work: work.left / VISITS,
                is_stopped: work.is_stopped,
            };
            work.left = 0;
            search(topology, &request).ok().and_then(|answer| answer.set)
        });
        let Some((rings, _)) = found else { return };
        let counts = range.filter(|&count| count == most || (count as usize).is_multiple_of(rings.len()));
        for count in counts {
            if !self.work.spend(rings.length() as u64 * u64::from(count)) {
                return;
            }
            self.offer(chains_of(topology, &repeated(&rings, count as usize)));
        }
    }

    /// Constructs sets of the number of rings with the greatest limit, of half as many, and so on, at the least `rho` and some larger values.
    /// Ends if a set meets the limit.
    fn construct_first(&mut self) {
        let Some((most, _)) = self.next(&[]) else { return };
        let total = 8 * self.share;
        self.share = (total >> FIRST_PART).max(LEAST_SHARE);
        let counts = std::iter::successors(Some(most), |&rings| (rings > 1).then_some(rings / 2));
        let range = self.count.range();
        for rings in counts.take_while(|rings| range.contains(rings)) {
            let Some((_, mut rho)) = self.limit(rings) else { break };
            for _ in 0..FIRST_STEPS {
                let limit = rho.reciprocal().and_then(|inverse| inverse.checked_scale(rings.into(), 1));
                if limit.is_none_or(|limit| limit <= self.bandwidth()) || self.construct(rings, rho, 0..1, QUICK) {
                    break;
                }
                rho = self.larger(rho, ROUNDS[0].1);
            }
            if !self.is_useful(most) || !self.work.spend(1) {
                break;
            }
        }
        self.share = total / 8;
    }

    /// Returns the least candidate above a value that is also larger by a factor.
    fn larger(&self, rho: Rational, factor: [u128; 2]) -> Rational {
        let larger = rho.checked_scale(factor[0], factor[1]).unwrap_or(rho);
        let candidates = self.problem.candidates();
        candidates.after(rho).max(candidates.from(larger))
    }

    /// Raises the bound by the cuts of servers.
    fn cut_servers(&mut self) {
        for division in &self.divisions {
            for is_inside in division.insides() {
                if let Some(lengths) = of_cut(&self.problem, &is_inside) {
                    self.bound.lengths = better(std::mem::take(&mut self.bound.lengths), lengths);
                }
                if !self.work.spend(self.problem.topology().channel_count() as u64) {
                    return;
                }
            }
        }
    }

    /// Returns the greatest bandwidth that the bound allows for a number of rings.
    fn limit(&self, rings: u32) -> Option<(Rational, Rational)> {
        let rho = self.bound.least_rho(&self.problem, rings)?;
        Some((rho.reciprocal()?.checked_scale(rings.into(), 1)?, rho))
    }

    fn bandwidth(&self) -> Rational {
        self.best.as_ref().map_or(Rational::ZERO, |(_, load)| load.bandwidth())
    }

    /// Returns true if a set of this number of rings may be better than the best one.
    fn is_useful(&self, rings: u32) -> bool {
        let rings_of_best = self.best.as_ref().map_or(u32::MAX, |(set, _)| set.len() as u32);
        self.limit(rings)
            .is_some_and(|(limit, _)| limit > self.bandwidth() || limit == self.bandwidth() && rings < rings_of_best)
    }

    /// Returns the number of rings whose limit is greatest, with the least `rho`; of several, the smallest number.
    fn next(&self, is_closed: &[bool]) -> Option<(u32, Rational)> {
        let open = self.count.range().filter(|&rings| {
            !is_closed.get(rings as usize).is_some_and(|&is_closed| is_closed) && self.is_useful(rings)
        });
        let limits =
            open.filter_map(|rings| self.limit(rings).map(|(limit, rho)| (limit, std::cmp::Reverse(rings), rho)));
        limits.max_by_key(|&(limit, rings, _)| (limit, rings)).map(|(_, rings, rho)| (rings.0, rho))
    }

    /// Raises the bound by minimum cuts, a linear program, and the proof that there is no ring, if that can be of use. Returns false if there
    /// is no ring.
    fn raise_bound(&mut self) -> bool {
        for is_program in [false, true] {
            if !self.count.range().any(|rings| self.is_useful(rings)) {
                break;
            }
            let problem = &self.problem;
            let lengths = self.work.lend(self.share, |work| {
                let price = if is_program { CELLS_PER_VISIT } else { 1 };
                let mut left = work.left * price;
                let find = if is_program { program_lengths } else { cut_lengths };
                let lengths = find(problem, &mut left);
                work.left = left / price;
                lengths
            });
            if let Some(lengths) = lengths {
                self.bound.lengths = better(std::mem::take(&mut self.bound.lengths), lengths);
            }
        }
        let may_exist = self.count.range().any(|rings| self.limit(rings).is_some());
        if may_exist && self.best.is_none() && self.suits_solver(1) {
            return self.solve(1, None) != Attempt::Refuted;
        }
        may_exist
    }

    fn suits_solver(&self, rings: u32) -> bool {
        self.hop_count.is_some_and(|hops| hops.saturating_mul(rings as usize) <= MAX_VARIABLES)
    }

    /// Runs the solver, and keeps what it finds.
    fn solve(&mut self, rings: u32, rho: Option<Rational>) -> Attempt {
        let problem = &self.problem;
        let answer = self.work.lend(self.share, |work| {
            let mut assignments = work.left / VISITS_PER_ASSIGNMENT;
            let answer = decide(problem, rings, rho, &mut assignments, work.is_stopped);
            work.left = assignments * VISITS_PER_ASSIGNMENT;
            answer
        });
        match answer {
            ExactAnswer::Undecided => Attempt::Undecided,
            ExactAnswer::Refuted(refutation) => {
                self.bound.refutations.push(refutation);
                Attempt::Refuted
            }
            ExactAnswer::Set(set) => {
                self.offer(set);
                Attempt::Found
            }
        }
    }

    /// Decides whether a number of rings has a set with this `rho`, the least that the bound allows.
    fn attempt(&mut self, rings: u32, rho: Rational, round: u64) -> Attempt {
        if check_cubic_parity(&self.problem, rings, Some(rho)).is_ok() {
            self.bound.refutations.push(RingRefutation { rings, rho: Some(rho), proof: RefutationProof::CubicParity });
            return Attempt::Refuted;
        }
        // A short attempt, the solver, and longer attempts.
        let first = 1 + round * ATTEMPTS;
        if self.construct(rings, rho, first..first + 1, self.share / 8) {
            return Attempt::Found;
        }
        if self.suits_solver(rings) {
            let answer = self.solve(rings, Some(rho));
            if answer != Attempt::Undecided {
                return answer;
            }
        }
        let effort = self.share / ATTEMPTS;
        if self.construct(rings, rho, first + 1..first + ATTEMPTS, effort) {
            Attempt::Found
        } else {
            Attempt::Undecided
        }
    }

    /// Tries larger values of `rho`, until the best set has more bandwidth.
    fn climb(&mut self, (rings, mut rho): (u32, Rational), factor: [u128; 2], round: u64) {
        for _ in 0..MAX_STEPS {
            rho = self.larger(rho, factor);
            let limit = rho.reciprocal().and_then(|inverse| inverse.checked_scale(rings.into(), 1));
            if limit.is_none_or(|limit| limit <= self.bandwidth()) || !self.work.spend(1) {
                return;
            }
            let first = 1 + round * ATTEMPTS;
            let is_found = self.construct(rings, rho, first..first + 2, self.share / 4)
                || self.suits_solver(rings) && self.solve(rings, Some(rho)) == Attempt::Found;
            if is_found {
                return;
            }
        }
    }

    /// Offers sets whose rings have the order of a traversal.
    fn traverse(&mut self, rings: u32) {
        let hops = self.problem.terminals().len() as u64 * u64::from(rings);
        if hops <= MAX_ROUTED && self.work.spend(hops * VISITS) {
            for set in traversal_sets(&self.problem, rings) {
                self.offer(set);
            }
        }
    }

    /// Joins chains of servers, and merges cycles with some random streams. Returns true if a set with this `rho` is found.
    fn construct(&mut self, rings: u32, rho: Rational, attempts: std::ops::Range<u64>, effort: u64) -> bool {
        if attempts.start <= 1 {
            self.traverse(rings);
            if self.best.as_ref().is_some_and(|(set, load)| set.len() as u32 == rings && load.rho() <= rho) {
                return true;
            }
        }
        if self.problem.relay() > 0 || self.problem.gateway().is_some() || self.problem.terminals().len() < 3 {
            return false;
        }
        // Servers have no random choices, so one attempt suffices.
        let divisions = if attempts.start <= 1 { self.divisions.len() } else { 0 };
        for division in 0..divisions {
            let (problem, division) = (&self.problem, &self.divisions[division]);
            let set = self.work.lend(self.share, |work| server_rings(problem, division, rings, rho, work));
            if set.is_some_and(|set| self.offer_within(set, rho)) {
                return true;
            }
        }
        for attempt in attempts {
            let (problem, seed) = (&self.problem, self.seed);
            let set = self.work.lend(effort, |work| merged(problem, rings, rho, [seed, attempt], work));
            if set.is_some_and(|set| self.offer_within(set, rho)) {
                return true;
            }
            if !self.work.spend(1) {
                return false;
            }
        }
        false
    }

    /// Offers a set, and returns true if its `rho` is small enough.
    fn offer_within(&mut self, set: RingSet, rho: Rational) -> bool {
        let is_enough = verify(self.problem.topology(), &set).is_ok_and(|load| load.rho() <= rho);
        self.offer(set);
        is_enough
    }

    /// Replaces the best set by one with shorter hops, if the solver finds one.
    fn shorten(&mut self) {
        let Some((set, load)) = &self.best else { return };
        let hops = set.len() * self.problem.kind().hop_count(self.problem.terminals().len());
        if set.length() == hops {
            self.is_shortest = true;
            return;
        }
        if !self.suits_solver(set.len() as u32) {
            return;
        }
        let problem = &self.problem;
        let (shorter, is_shortest) = self.work.lend(self.share.min(SHORTENING), |work| {
            let mut assignments = work.left / VISITS_PER_ASSIGNMENT;
            let result = shorten(problem, set, load.rho(), &mut assignments, work.is_stopped);
            work.left = assignments * VISITS_PER_ASSIGNMENT;
            result
        });
        self.is_shortest = is_shortest;
        if let Some(set) = shorter {
            self.offer(set);
        }
    }

    /// Keeps a set if it is valid and better than the best one: more bandwidth, then fewer rings, then shorter hops.
    fn offer(&mut self, set: RingSet) {
        let Ok(load) = verify(self.problem.topology(), &set) else { return };
        let is_requested = self.count.range().contains(&(set.len() as u32)) && self.keeps_gateway(&set);
        let rank = |set: &RingSet, load: &RingLoad| (load.bandwidth(), std::cmp::Reverse((set.len(), set.length())));
        let is_better = self.best.as_ref().is_none_or(|(best, best_load)| rank(&set, &load) > rank(best, best_load));
        if is_requested && is_better {
            self.best = Some((set, load));
        }
    }

    /// Returns true if each ring enters the gateway from the node to which it leaves it.
    fn keeps_gateway(&self, set: &RingSet) -> bool {
        let Some(gateway) = self.problem.gateway() else { return true };
        let topology = self.problem.topology();
        (0..set.len()).all(|ring| {
            let place = set.order(ring).iter().position(|&node| node == gateway);
            let hops: Vec<_> = set.hops(ring).collect();
            let neighbours = |place: usize| -> Option<[NodeId; 2]> {
                let (out, into) = (hops[place].first()?, hops[(place + hops.len() - 1) % hops.len()].last()?);
                Some([topology.head(*out), topology.tail(*into)])
            };
            let is_kept = |place| neighbours(place).is_some_and(|[next, before]| next == before);
            set.kind() == RingKind::Ring && place.is_some_and(is_kept)
        })
    }
}
