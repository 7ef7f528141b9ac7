//! What a collective should take on a machine, beside what it takes: shares and verdicts.

use std::fmt;

/// The largest difference that counts for nothing, in percent: repeated runs and rounded inputs differ by it.
pub const TOLERANCE_PERCENT: u32 = 3;

/// A predicted time of a collective of one size, in picoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Prediction {
    /// The part that does not depend on the size.
    pub latency_ps: u128,
    /// The part of the data.
    pub transmission_ps: u128,
    /// The whole time: at most both parts together.
    pub time_ps: u128,
}

impl Prediction {
    /// Returns the prediction of a schedule whose data follows the latency.
    pub fn of_schedule(latency_ps: u128, transmission_ps: u128) -> Self {
        Self { latency_ps, transmission_ps, time_ps: latency_ps.saturating_add(transmission_ps) }
    }

    /// Returns the prediction of a lower bound, whose data may arrive while other data is sent.
    pub fn of_bound(latency_ps: u128, transmission_ps: u128) -> Self {
        Self { latency_ps, transmission_ps, time_ps: latency_ps.max(transmission_ps) }
    }

    /// Returns true if the latency is more than the time of the data.
    pub fn is_latency_dominated(&self) -> bool {
        self.latency_ps > self.transmission_ps
    }
}

/// How good a measured time is. A shorter time never has a lesser verdict.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Below the bound, and below the limit of the algorithm if one is given.
    Below,
    /// Below the bound, and at the limit of the algorithm.
    AtAlgorithm,
    /// Below the bound, and above the limit of the algorithm.
    AboveAlgorithm,
    /// At the bound.
    AtBound,
    /// Above the bound.
    AboveBound,
}

impl Verdict {
    /// Returns the name for programs, such as `at-bound`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Below => "below",
            Self::AtAlgorithm => "at-algorithm",
            Self::AboveAlgorithm => "above-algorithm",
            Self::AtBound => "at-bound",
            Self::AboveBound => "above-bound",
        }
    }

    /// Returns the verdict of a measured time. All times are in picoseconds.
    ///
    /// The bound comes first: a time of the bound is at the bound, whatever the algorithm. A time is at the limit of the algorithm if it
    /// exceeds it by at most twice the [tolerance](TOLERANCE_PERCENT).
    pub fn of(observed_ps: u128, bound_ps: u128, algorithm_ps: Option<u128>) -> Self {
        // Shares of a predicted time in the measured one, compared without division.
        let reaches = |predicted: u128, percent: u32| {
            predicted.saturating_mul(100) >= observed_ps.max(1).saturating_mul(percent.into())
        };
        let exceeds = |predicted: u128| reaches(predicted, 100 + TOLERANCE_PERCENT);
        let is_at = |predicted: u128| reaches(predicted, 100 - TOLERANCE_PERCENT);
        match algorithm_ps {
            _ if exceeds(bound_ps) => Self::AboveBound,
            _ if is_at(bound_ps) => Self::AtBound,
            Some(algorithm) if exceeds(algorithm) => Self::AboveAlgorithm,
            Some(algorithm) if reaches(algorithm, 100 - 2 * TOLERANCE_PERCENT) => Self::AtAlgorithm,
            _ => Self::Below,
        }
    }
}

/// A measured time beside its predictions. Shares are those of bandwidths: 1 is as fast as predicted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// The part of the bandwidth of the bound.
    pub of_bound: f64,
    /// The part of the bandwidth of the algorithm.
    pub of_algorithm: Option<f64>,
    /// The part of the bandwidth of the bound that the algorithm can reach.
    pub algorithm_of_bound: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
}

impl Comparison {
    /// Compares a measured time with a bound and an algorithm. All times are in picoseconds.
    ///
    /// ```
    /// use lockstep_measure::Comparison;
    ///
    /// let comparison = Comparison::new(200, 100, Some(190));
    /// assert_eq!(comparison.to_string(), "50 % below the bound, of which 47 % is the algorithm; at the limit of its algorithm");
    /// ```
    pub fn new(observed_ps: u128, bound_ps: u128, algorithm_ps: Option<u128>) -> Self {
        Self {
            of_bound: quotient(bound_ps, observed_ps),
            of_algorithm: algorithm_ps.map(|algorithm| quotient(algorithm, observed_ps)),
            algorithm_of_bound: algorithm_ps.map(|algorithm| quotient(bound_ps, algorithm)),
            verdict: Verdict::of(observed_ps, bound_ps, algorithm_ps),
        }
    }

    /// Returns the part of the bandwidth of the algorithm, or that of the bound if no algorithm is given.
    pub fn share(&self) -> f64 {
        self.of_algorithm.unwrap_or(self.of_bound)
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.verdict {
            Verdict::AboveBound => {
                return f.write_str("above the bound: the switch reduces (NVLS, SHARP), or the network lacks links");
            }
            Verdict::AtBound => return f.write_str("at the bound"),
            _ => {}
        }
        write!(f, "{} below the bound", percent(1.0 - self.of_bound))?;
        let least = 1.0 - f64::from(TOLERANCE_PERCENT) / 100.0;
        match self.algorithm_of_bound.filter(|&share| share < least) {
            Some(_) if self.verdict == Verdict::AboveAlgorithm => {}
            Some(share) => write!(f, ", of which {} is the algorithm", percent(1.0 - share))?,
            None => {}
        }
        f.write_str(match self.verdict {
            Verdict::AboveAlgorithm => "; above the limit of this algorithm: the library uses another one",
            Verdict::AtAlgorithm => "; at the limit of its algorithm",
            _ => "",
        })
    }
}

/// One size of a measured sweep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SweepPoint {
    /// The size as nccl-tests counts it.
    pub bytes: u64,
    /// The lower bound.
    pub bound: Prediction,
    /// The algorithm of the library, if it is known.
    pub algorithm: Option<Prediction>,
    /// The measured time in picoseconds.
    pub observed_ps: u128,
}

impl SweepPoint {
    /// Compares the measured time with its predictions.
    pub fn comparison(&self) -> Comparison {
        Comparison::new(self.observed_ps, self.bound.time_ps, self.algorithm.map(|algorithm| algorithm.time_ps))
    }

    /// Returns the prediction with which the size is compared: that of the algorithm, or the bound.
    fn reference(&self) -> Prediction {
        self.algorithm.unwrap_or(self.bound)
    }

    /// Returns the measured latency over that of the links: what remains without the time of the data. `None` if the network has no
    /// latencies, or nothing remains.
    pub fn latency_factor(&self) -> Option<f64> {
        let reference = self.reference();
        let rest = self.observed_ps.checked_sub(reference.transmission_ps)?;
        (reference.latency_ps > 0).then(|| quotient(rest, reference.latency_ps))
    }
}

/// The verdict of a sweep: the part of the bound for large sizes, and how latency is for small ones.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SweepVerdict {
    /// The largest measured size.
    pub largest: u64,
    /// The comparison at the largest measured size.
    pub comparison: Comparison,
    /// The smallest size from which on all shares of the bound are within the [tolerance](TOLERANCE_PERCENT) of that of the largest
    /// size, or above it.
    pub from_bytes: u64,
    /// The largest measured size that latency dominates.
    pub latency_until: Option<u64>,
    /// The smallest measured size, if latency dominates it.
    pub small: Option<SmallSize>,
}

/// A size that latency dominates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SmallSize {
    /// The size.
    pub bytes: u64,
    /// The part of the bandwidth of the bound.
    pub of_bound: f64,
    /// The measured latency over that of the links; `None` if the network has no latencies.
    pub latency_factor: Option<f64>,
}

impl SweepVerdict {
    /// Returns true if latency dominates a size.
    pub fn is_latency_dominated(&self, bytes: u64) -> bool {
        self.latency_until.is_some_and(|until| bytes <= until)
    }

    /// Returns the verdict of a sweep by ascending sizes; `None` without sizes.
    ///
    /// Latency dominates a size if the predicted latency is more than the time of the data, or if the measured times grow by less than
    /// the root of the size: then more than half of the time does not depend on the size. Only measured sizes count: nothing is
    /// extrapolated.
    pub fn of(points: &[SweepPoint]) -> Option<Self> {
        let (first, last) = (points.first()?, points.last()?);
        let comparison = last.comparison();
        let threshold = comparison.of_bound - f64::from(TOLERANCE_PERCENT) / 100.0;
        let from = points.iter().rev().take_while(|point| point.comparison().of_bound >= threshold).last();
        let small = |point: &SweepPoint| SmallSize {
            bytes: point.bytes,
            of_bound: point.comparison().of_bound,
            latency_factor: point.latency_factor(),
        };
        let dominated = latency_dominated(points);
        Some(Self {
            largest: last.bytes,
            comparison,
            from_bytes: from.unwrap_or(last).bytes,
            latency_until: dominated.checked_sub(1).map(|place| points[place].bytes),
            small: (dominated > 0).then(|| small(first)),
        })
    }
}

/// Returns the number of sizes, from the smallest one on, that latency dominates.
fn latency_dominated(points: &[SweepPoint]) -> usize {
    let is_flat = |place: usize| {
        let point = &points[place];
        let larger = points[place..].iter().find(|other| other.bytes / 2 >= point.bytes);
        larger.is_some_and(|larger| {
            let times = quotient(larger.observed_ps, point.observed_ps);
            times * times < quotient(larger.bytes.into(), point.bytes.into())
        })
    };
    let dominates = |&place: &usize| points[place].reference().is_latency_dominated() || is_flat(place);
    (0..points.len()).take_while(dominates).count()
}

impl fmt::Display for SweepVerdict {
    /// The sizes are in bytes, with binary units.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = |bytes| lockstep_topology::Quantity::Size.format(bytes);
        if self.is_latency_dominated(self.largest) {
            f.write_str("latency dominates all measured sizes")?;
        } else {
            let share = percent(self.comparison.of_bound);
            write!(f, "at {share} of the bound from {} on ({})", size(self.from_bytes), self.comparison)?;
        }
        let Some(small) = self.small else { return Ok(()) };
        write!(f, "; {} at {}: ", percent(small.of_bound), size(small.bytes))?;
        match small.latency_factor {
            Some(factor) => write!(f, "latency is {factor:.1} times that of the links"),
            None => f.write_str("latency dominates, and the network has none to compare"),
        }
    }
}

/// Returns a quotient; a divisor of 0 counts as 1.
fn quotient(numerator: u128, denominator: u128) -> f64 {
    numerator as f64 / denominator.max(1) as f64
}

/// Returns a part in percent.
fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

#[cfg(test)]
#[expect(clippy::cast_sign_loss, reason = "no time is negative")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Times for bandwidths: a bandwidth of 370 takes a time of 1e6 / 370.
    fn comparison(observed: f64, bound: f64, algorithm: f64) -> Comparison {
        let [observed, bound, algorithm] = [observed, bound, algorithm].map(|busbw| (1e15 / busbw) as u128);
        Comparison::new(observed, bound, Some(algorithm))
    }

    #[test]
    fn verdicts_have_their_words() {
        for (observed, bound, algorithm, expected) in [
            (370.0, 371.0, 371.0, "at the bound"),
            (480.0, 371.0, 371.0, "above the bound: the switch reduces (NVLS, SHARP), or the network lacks links"),
            (95.0, 190.0, 100.0, "50 % below the bound, of which 47 % is the algorithm; at the limit of its algorithm"),
            (230.77, 240.0, 240.0, "4 % below the bound; at the limit of its algorithm"),
            (208.0, 240.0, 240.0, "13 % below the bound"),
            (57.2, 93.75, 93.75, "39 % below the bound"),
            (75.0, 187.5, 100.0, "60 % below the bound, of which 47 % is the algorithm"),
            (
                120.0,
                187.5,
                100.0,
                "36 % below the bound; above the limit of this algorithm: the library uses another one",
            ),
        ] {
            assert_eq!(comparison(observed, bound, algorithm).to_string(), expected);
        }
        assert_eq!(Comparison::new(200, 100, None).to_string(), "50 % below the bound");
    }

    /// A sweep on links of 100 GB/s with a latency of `latency_ps`, measured at this part of the bandwidth and with this latency.
    fn sweep(latency_ps: u128, observed_latency_ps: u128, part: f64) -> Vec<SweepPoint> {
        let point = |power: u32| {
            let transmission_ps = 10 * (1_u128 << power);
            let bound = Prediction::of_bound(latency_ps, transmission_ps);
            let observed_ps = observed_latency_ps + (transmission_ps as f64 / part) as u128;
            SweepPoint { bytes: 1 << power, bound, algorithm: None, observed_ps }
        };
        (10..=30).map(point).collect()
    }

    #[test]
    fn a_sweep_has_one_line() {
        let line = |latency, observed, part| SweepVerdict::of(&sweep(latency, observed, part)).unwrap().to_string();
        assert_eq!(
            line(10_000_000, 23_000_000, 0.94),
            "at 94 % of the bound from 64MiB on (6 % below the bound); 43 % at 1KiB: latency is 2.3 times that of the links"
        );
        assert_eq!(
            line(0, 23_000_000, 1.0),
            "at 100 % of the bound from 128MiB on (at the bound); 0 % at 1KiB: latency dominates, and the network has none \
             to compare"
        );
        assert_eq!(line(0, 0, 0.5), "at 50 % of the bound from 1KiB on (50 % below the bound)");
        let small: Vec<SweepPoint> = sweep(10_000_000, 20_000_000, 1.0).into_iter().take(3).collect();
        assert_eq!(
            SweepVerdict::of(&small).unwrap().to_string(),
            "latency dominates all measured sizes; 50 % at 1KiB: latency is 2.0 times that of the links"
        );
        assert_eq!(SweepVerdict::of(&[]), None);
    }

    fn time() -> impl Strategy<Value = u128> {
        prop_oneof![0..1000_u128, any::<u64>().prop_map(u128::from), any::<u128>()]
    }

    proptest! {
        #[test]
        fn a_shorter_time_never_has_a_lesser_verdict(
            [one, other] in [time(), time()], bound in time(), algorithm in prop::option::of(time()),
        ) {
            let [fast, slow] = [one.min(other), one.max(other)].map(|time| Verdict::of(time, bound, algorithm));
            prop_assert!(fast >= slow, "{fast:?} {slow:?}");
        }

        #[test]
        fn the_order_of_verdicts_is_that_of_the_shares(
            observed in 1..1_000_000_u128, bound in 1..1_000_000_u128, slower in 1..10_u128,
        ) {
            let comparison = Comparison::new(observed, bound, Some(bound * slower));
            let [of_bound, of_algorithm] = [comparison.of_bound, comparison.share()];
            let expected = if of_bound >= 1.03 - 1e-9 {
                vec![Verdict::AboveBound, Verdict::AtBound]
            } else if of_bound >= 0.97 - 1e-9 {
                vec![Verdict::AtBound, Verdict::AboveAlgorithm, Verdict::AtAlgorithm]
            } else if of_algorithm >= 1.03 - 1e-9 {
                vec![Verdict::AboveAlgorithm, Verdict::AtAlgorithm]
            } else if of_algorithm >= 0.94 - 1e-9 {
                vec![Verdict::AtAlgorithm, Verdict::Below]
            } else {
                vec![Verdict::Below]
            };
            prop_assert!(expected.contains(&comparison.verdict), "{comparison:?}");
        }

        #[test]
        fn any_sweep_has_a_line(
            points in prop::collection::vec((1..u64::MAX, time(), time(), time(), any::<bool>()), 1..20),
        ) {
            let mut points: Vec<SweepPoint> = points
                .into_iter()
                .map(|(bytes, latency, transmission, observed_ps, has_algorithm)| SweepPoint {
                    bytes,
                    bound: Prediction::of_bound(latency, transmission),
                    algorithm: has_algorithm.then(|| Prediction::of_schedule(latency, transmission)),
                    observed_ps,
                })
                .collect();
            points.sort_by_key(|point| point.bytes);
            let verdict = SweepVerdict::of(&points).unwrap();
            prop_assert!(points[0].bytes <= verdict.from_bytes && verdict.from_bytes <= verdict.largest);
            prop_assert!(!verdict.to_string().contains('\n'));
        }
    }
}
