//! The time of an algorithm as a function of the size.

use lockstep_topology::NodeId;

use crate::curve::{Curve, MAX_BYTES, TICKS, ticks_of};
use crate::network::{Network, RoundCost, Router};
use crate::rounds::{Phase, Segments};

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// What the time of a part of an algorithm depends on, besides size and segments.
#[derive(Clone, Debug)]
struct PhaseCost {
    segments: Segments,
    /// Number of blocks of the collective.
    blocks: u32,
    /// The largest message in blocks.
    largest: u32,
    /// The sum over all rounds: the time of the first segment.
    first: Line,
    /// The time of every further segment.
    further: Line,
}

/// A time in ticks, and a time in ticks per byte of the collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Line {
    fixed: u128,
    per_byte: u128,
}

/// The cost of an algorithm on a network, for all segment sizes.
#[derive(Clone, Debug)]
pub(crate) struct AlgorithmCost {
    phases: Vec<PhaseCost>,
}

impl AlgorithmCost {
    /// Computes the cost of the parts of an algorithm, whose rank 0 is the rank `root`.
    ///
    /// # Errors
    ///
    /// The terminals of a message without a path.
    pub(crate) fn new(network: &Network<'_>, root: u32, phases: &[Phase]) -> Result<Self, [NodeId; 2]> {
        let mut router = Router::new(network, root);
        let phases = phases.iter().map(|phase| PhaseCost::new(network, &mut router, phase));
        Ok(Self { phases: phases.collect::<Result<_, _>>()? })
    }

    /// Returns true if segments change the time.
    pub(crate) fn has_segments(&self) -> bool {
        self.phases.iter().any(|phase| phase.segments != Segments::Whole)
    }

    /// Returns the time for messages in segments of this number of bytes, or for whole messages.
    pub(crate) fn curve(&self, segment_bytes: Option<u64>) -> Curve {
        let curves = self.phases.iter().map(|phase| phase.curve(segment_bytes));
        curves.fold(Curve::line(0, 0), |sum, curve| sum.plus(&curve))
    }
}

impl PhaseCost {
    fn new(network: &Network<'_>, router: &mut Router<'_>, phase: &Phase) -> Result<Self, [NodeId; 2]> {
        let rounds = &phase.rounds;
        let (mut latency, mut load) = (0_u128, 0_u128);
        for round in rounds.iter() {
            let cost = router.cost(round.messages)?;
            latency += u128::from(cost.latency_ps) * u128::from(round.times);
            load += u128::from(cost.load) * u128::from(round.times);
        }
        let line = |latency: u128, load: u128| {
            // A block is `1 / blocks` of the size.
            let parts = u128::from(rounds.blocks()) * u128::from(network.scale());
            let parts = parts * u128::from(network.unit_bytes_per_second().get());
            let per_byte = ticks_of(load.saturating_mul(PICOSECONDS_PER_SECOND), parts);
            Line { fixed: latency << TICKS, per_byte }
        };
        let first = line(latency, load);
        let further = match phase.segments {
            Segments::Pipelined => {
                // When the pipeline is full, all messages are sent at the same time.
                let RoundCost { latency_ps, load } = router.cost(rounds.messages())?;
                line(latency_ps.into(), load.into())
            }
            Segments::Whole | Segments::InTurn => first,
        };
        let largest = rounds.messages().iter().map(|message| message.blocks.count).max().unwrap_or(1);
        Ok(Self { segments: phase.segments, blocks: rounds.blocks(), largest, first, further })
    }

    /// Returns the time as a function of the size.
    ///
    /// With `s` segments, it is that of the first segment and `s - 1` times that of a further one. `s` is the size of the
    /// largest message over that of a segment; it is not rounded up, because the last segment is shorter than the others.
    fn curve(&self, segment_bytes: Option<u64>) -> Curve {
        let whole = Curve::line(self.first.fixed, self.first.per_byte);
        let Some(segment) = segment_bytes.filter(|_| self.segments != Segments::Whole) else { return whole };
        // The size of a collective whose largest message is one segment.
        let bytes = u128::from(segment.max(1)) * u128::from(self.blocks) / u128::from(self.largest.max(1));
        let Ok(bytes @ 1..MAX_BYTES) = u64::try_from(bytes) else { return whole };
        let of_segment = |line: Line| line.fixed + line.per_byte * u128::from(bytes);
        let fixed = of_segment(self.first).saturating_sub(of_segment(self.further));
        whole.then(bytes, fixed, self.further.fixed.div_ceil(bytes.into()) + self.further.per_byte)
    }
}
