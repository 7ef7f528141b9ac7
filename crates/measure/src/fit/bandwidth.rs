//! The bandwidth of each class from the rates of transfers: a fit with minima in place of sums.
//!
//! A trial with `k` transfers of rate `y` on a wire of `m` lanes shows that a lane carries `k y / m`. If links limit the rate, then
//! `y` is the minimum of `b m / k` over the wires on its path, with the bandwidth `b` of a lane of the class of the wire. The
//! least solution of these equations is the greatest `k y / m` of each class. A class is *identified* if it alone limits
//! some trial; otherwise only a lower limit is known.
//!
//! Measurements have noise, and slow links only take rates away. So trials with equal shares form a group, whose level is at first the
//! median of the upper quarter, and then that of the trials that are not slow. The bandwidth of an identified class is the mean over the
//! trials that it limits, without a tenth at each end, or their upper quartile if some class has losses that are no noise.
//!
//! # Source
//!
//! Butkovic, *Max-linear Systems* (2010), section 3.1, for the principal solution.

use super::trials::{Share, Trials};

/// The least tolerance of an equality between rates: 3 %.
pub(super) const TOLERANCE: f64 = 0.03;

/// A trial is slow if it is more than this part below its expected rate, or more than four standard deviations: 5 %.
const SLOW: f64 = 0.05;

/// The greatest part below the expected rate that is not slow, however large the noise is: 12 %.
const MAX_SLOW: f64 = 0.12;

/// Rates count for the bandwidth of a class if they differ from it by less than this part, or than some standard deviations. Others may be
/// those of links that are a little slower.
const NEAR: f64 = 0.05;
const NEAR_DEVIATIONS: f64 = 2.5;

/// The greatest error of a mean.
const MEAN_ERROR: f64 = 0.02;

/// The most rates that are asked for.
const MAX_NEEDED: f64 = 32.0;

/// The rounds of the fit. The first one takes slow trials for normal ones.
const ROUNDS: usize = 3;

/// Rates of a limit with losses are more than this number of standard deviations below the upper quartile.
const LOSS_DEVIATIONS: f64 = 4.0;

/// Rates pile up if the upper quartile is this much nearer to the maximum than to the median.
const PILE_FACTOR: u64 = 10;

/// The factor from the median absolute deviation to the standard deviation of a normal distribution.
const DEVIATIONS_PER_MEDIAN: f64 = 1.4826;

/// The bandwidths that the trials of one kind show.
#[derive(Clone, Debug)]
pub(super) struct Bandwidths {
    /// By resource, see [`Share::resource`].
    pub(super) resources: Vec<Resource>,
    /// The standard deviation of a rate, as a part of it.
    pub(super) deviation: f64,
    /// True for each trial that is slower than its classes allow.
    pub(super) is_slow: Vec<bool>,
    /// The rate that each signature should have.
    pub(super) expected: Vec<u64>,
}

/// What the trials show of a class, or of both directions of its links.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Resource {
    /// Of a lane in bytes per second; a lower limit unless it is identified. 0 without trials.
    pub(super) bandwidth: u64,
    /// The most that a lane carried in a single trial.
    pub(super) carried: u64,
    /// True if the resource alone limits some trial.
    pub(super) is_identified: bool,
    /// The number of trials that it alone limits.
    pub(super) limited: u64,
    /// The number of trials that use it.
    pub(super) trials: u64,
}

impl Bandwidths {
    /// Returns the part of a rate by which measurements differ without a reason.
    pub(super) fn slow_part(&self) -> f64 {
        (4.0 * self.deviation).clamp(SLOW, MAX_SLOW)
    }

    /// Returns the number of rates whose mean is nearly always within 2 % of the bandwidth: three standard deviations.
    #[expect(clippy::cast_sign_loss, reason = "at least 1")]
    pub(super) fn needed_rates(&self) -> u64 {
        (3.0 * self.deviation / MEAN_ERROR).powi(2).ceil().clamp(1.0, MAX_NEEDED) as u64
    }

    /// Returns the tolerance of upper limits.
    pub(super) fn tolerance(&self) -> f64 {
        TOLERANCE.max(2.0 * self.deviation)
    }
}

/// Returns a bandwidth with a relative change.
#[expect(clippy::cast_sign_loss, reason = "factors are positive")]
pub(super) fn scaled(bandwidth: u64, factor: f64) -> u64 {
    (bandwidth as f64 * factor).round() as u64
}

/// Fits the bandwidths of all classes. Trials that slow wires limit say nothing about a class. Takes `O(T log T)` time for `T` trials.
pub(super) fn fit(trials: &Trials, classes: usize, is_limited: &[bool]) -> Bandwidths {
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); trials.signatures.len()];
    for (place, trial) in trials.list.iter().enumerate() {
        members[trial.signature as usize].push(place as u32);
    }
    let mut fit = Fit { trials, is_limited, members, classes, has_duplex: Vec::new() };
    fit.has_duplex = (0..classes).map(|class| fit.has_one_way_trials(class)).collect();
    let mut found = Bandwidths {
        resources: vec![Resource::default(); 2 * classes],
        deviation: 0.0,
        is_slow: vec![false; trials.list.len()],
        expected: Vec::new(),
    };
    for round in 0..ROUNDS {
        fit.update(&mut found, round == 0);
    }
    for (trial, signature) in trials.list.iter().map(|trial| (trial, &trials.signatures[trial.signature as usize])) {
        for share in &signature.shares {
            let resource = &mut found.resources[share.resource as usize];
            resource.carried = resource.carried.max(share.of_lane(trial.rate));
            resource.trials += 1;
        }
    }
    for (resource, &limit) in found.resources.iter_mut().zip(&trials.limits) {
        resource.carried = resource.carried.max(limit);
        if !resource.is_identified {
            resource.bandwidth = resource.bandwidth.max(limit);
        }
    }
    found
}

struct Fit<'a> {
    trials: &'a Trials,
    is_limited: &'a [bool],
    /// The trials of each signature.
    members: Vec<Vec<u32>>,
    classes: usize,
    /// True for each class with trials of one direction. Without them, both directions are taken for independent.
    has_duplex: Vec<bool>,
}

impl Fit<'_> {
    fn has_one_way_trials(&self, class: usize) -> bool {
        let has = |shares: &[Share], resource| shares.iter().any(|share| share.resource as usize == resource);
        let signatures = self.trials.signatures.iter().zip(&self.members);
        signatures
            .filter(|(_, members)| !members.is_empty())
            .any(|(signature, _)| has(&signature.shares, class) && !has(&signature.shares, self.classes + class))
    }

    /// Returns the shares of a signature that count.
    fn shares(&self, signature: usize) -> impl Iterator<Item = Share> + Clone {
        let counts = |share: &Share| {
            (share.resource as usize).checked_sub(self.classes).is_none_or(|class| self.has_duplex[class])
        };
        self.trials.signatures[signature].shares.iter().copied().filter(counts)
    }

    fn rate(&self, trial: u32) -> u64 {
        self.trials.list[trial as usize].rate
    }

    /// Returns the trials of a signature that the classes limit.
    fn normal(&self, signature: usize, found: &Bandwidths) -> impl Iterator<Item = u32> + Clone {
        let is_normal = |trial: &u32| !found.is_slow[*trial as usize] && !self.is_limited[*trial as usize];
        self.members[signature].iter().copied().filter(is_normal)
    }

    /// Returns the rate of a normal trial of a signature.
    fn level(&self, signature: usize, found: &Bandwidths, is_first: bool) -> u64 {
        let members = &self.members[signature];
        let mut rates: Vec<u64> = self.normal(signature, found).map(|trial| self.rate(trial)).collect();
        let is_upper = is_first || rates.is_empty();
        if rates.is_empty() {
            rates = members.iter().map(|&trial| self.rate(trial)).collect();
        }
        rates.sort_unstable();
        if is_upper { upper(&rates) } else { median(&rates) }.unwrap_or(0)
    }

    /// Computes everything again, with the slow trials of the round before.
    fn update(&self, found: &mut Bandwidths, is_first: bool) {
        let count = self.members.len();
        let levels: Vec<u64> = (0..count).map(|signature| self.level(signature, found, is_first)).collect();
        // The greatest rate of a lane, and the number of trials of its group.
        let mut bandwidth: Vec<(u64, usize)> = vec![(0, 0); 2 * self.classes];
        for (signature, &level) in levels.iter().enumerate() {
            for share in self.shares(signature) {
                let known = &mut bandwidth[share.resource as usize];
                *known = (*known).max((share.of_lane(level), self.normal(signature, found).count()));
            }
        }
        let mut pools: Vec<Vec<u64>> = vec![Vec::new(); 2 * self.classes];
        for (signature, &level) in levels.iter().enumerate() {
            let normal = self.normal(signature, found);
            let size = normal.clone().count();
            if !self.trials.signatures[signature].is_exact || size == 0 {
                continue;
            }
            let is_tight = |share: &Share| {
                let (most, of_most) = bandwidth[share.resource as usize];
                let variance = 1.0 / size as f64 + 1.0 / of_most.max(1) as f64;
                let tolerance = SLOW.max(4.0 * found.deviation * variance.sqrt());
                share.of_lane(level) as f64 >= most as f64 * (1.0 - tolerance)
            };
            let tight: Vec<Share> = self.shares(signature).filter(is_tight).collect();
            // A class that is full in one direction explains the trial without a limit of both directions.
            let is_implied = |share: &Share| {
                let class = (share.resource as usize).checked_sub(self.classes);
                class.is_some_and(|class| tight.iter().any(|other| other.resource as usize == class))
            };
            let limits: Vec<&Share> = tight.iter().filter(|share| !is_implied(share)).collect();
            if let [only] = limits[..] {
                pools[only.resource as usize].extend(normal.map(|trial| only.of_lane(self.rate(trial))));
            }
        }
        for pool in &mut pools {
            pool.sort_unstable();
        }
        let nearest: Vec<Vec<u64>> =
            (0..pools.len()).map(|resource| nearest(&pools[resource], found, resource)).collect();
        // Losses of a class show how a tool measures all classes.
        let has_losses = nearest.iter().any(|pool| has_losses(pool, found.deviation));
        for (resource, (pool, nearest)) in pools.iter().zip(nearest).enumerate() {
            found.resources[resource].is_identified = !pool.is_empty();
            found.resources[resource].limited = pool.len() as u64;
            // Slow trials are below the upper quarter, until they are known.
            let middle = match (is_first, has_losses) {
                (true, _) => upper(pool),
                (false, true) => upper_quartile(&nearest),
                (false, false) => trimmed_mean(&nearest),
            };
            found.resources[resource].bandwidth = middle.unwrap_or(bandwidth[resource].0);
        }
        found.expected = (0..count)
            .map(|signature| {
                let rates = self.shares(signature);
                rates
                    .map(|share| share.of_transfer(found.resources[share.resource as usize].bandwidth))
                    .min()
                    .unwrap_or(0)
            })
            .collect();
        self.find_slow(found);
    }

    /// Finds the deviation of the rates, and the trials that are too slow for it.
    fn find_slow(&self, found: &mut Bandwidths) {
        let ratio = |trial: usize| {
            let trial = &self.trials.list[trial];
            trial.rate as f64 / found.expected[trial.signature as usize].max(1) as f64
        };
        let is_exact = |trial: &usize| self.trials.signatures[self.trials.list[*trial].signature as usize].is_exact;
        // Slow links do not change the rates above the expected ones.
        let exact = (0..self.trials.list.len()).filter(is_exact);
        let mut above: Vec<f64> = exact.map(|trial| ratio(trial) - 1.0).filter(|&above| above > 0.0).collect();
        above.sort_unstable_by(f64::total_cmp);
        let middle = above.get(above.len() / 2).copied().unwrap_or(0.0);
        let deviation = middle * DEVIATIONS_PER_MEDIAN;
        let least = 1.0 - (4.0 * deviation).clamp(SLOW, MAX_SLOW);
        let is_slow = (0..self.trials.list.len()).map(|trial| is_exact(&trial) && ratio(trial) < least).collect();
        (found.deviation, found.is_slow) = (deviation, is_slow);
    }
}

/// Returns the median of the upper quarter of an ascending list.
fn upper(ascending: &[u64]) -> Option<u64> {
    median(&ascending[ascending.len() * 3 / 4..])
}

/// Returns the rates of an ascending list that are near the bandwidth of a resource, or all of them if there are none.
fn nearest(pool: &[u64], found: &Bandwidths, resource: usize) -> Vec<u64> {
    let near = NEAR.max(NEAR_DEVIATIONS * found.deviation);
    let known = found.resources[resource].bandwidth as f64;
    let is_near = |rate: &u64| (*rate as f64 - known).abs() <= near * known;
    let nearest: Vec<u64> = pool.iter().copied().filter(is_near).collect();
    if nearest.is_empty() { pool.to_vec() } else { nearest }
}

/// Returns true if the rates of an ascending list pile up below a maximum, and noise does not explain the distance of the median from it.
fn has_losses(ascending: &[u64], deviation: f64) -> bool {
    let half = &ascending[ascending.len() / 2..];
    let (Some(&least), Some(quartile), Some(&most)) = (half.first(), median(half), half.last()) else { return false };
    let is_piled_up = (most - quartile).saturating_mul(PILE_FACTOR) < quartile - least;
    is_piled_up && (quartile - least) as f64 > LOSS_DEVIATIONS * deviation * quartile as f64
}

/// Returns the upper quartile of an ascending list: the median of its upper half.
fn upper_quartile(ascending: &[u64]) -> Option<u64> {
    median(&ascending[ascending.len() / 2..])
}

/// Returns the mean of an ascending list without a tenth at each end.
fn trimmed_mean(ascending: &[u64]) -> Option<u64> {
    let end = ascending.len() / 10;
    let middle = &ascending[end..ascending.len() - end];
    let sum: u128 = middle.iter().map(|&rate| u128::from(rate)).sum();
    Some(sum.checked_div(middle.len() as u128)? as u64)
}

/// Returns the median of an ascending list, the lower one of two.
pub(super) fn median(ascending: &[u64]) -> Option<u64> {
    ascending.get(ascending.len().checked_sub(1)? / 2).copied()
}
