//! Broadcasts on square tori, verified as streams of transfers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep::CayleyGraph;
use lockstep::CommunicationModel;
use lockstep::analytic::{DiagonalBroadcast, StreamedBroadcast, SubgroupChainBroadcast};
use lockstep::schedule::BroadcastVerifier;

use crate::reproduce::tally::Tally;

/// A verified broadcast.
pub(super) struct TorusBroadcast {
    pub(super) side: u32,
    pub(super) rounds: u32,
    /// Lower bound on the rounds: the number of informed nodes grows at most fivefold per round.
    pub(super) bound: u32,
    pub(super) transmissions: u64,
    pub(super) time: Duration,
}

impl TorusBroadcast {
    /// Returns true if each node received the message once, within `above` rounds of the bound.
    pub(super) fn holds(&self, above: u32) -> bool {
        let others = u64::from(self.side) * u64::from(self.side) - 1;
        self.transmissions == others && (self.bound..=self.bound + above).contains(&self.rounds)
    }
}

/// Verifies the recursive tiling of the torus of side `5^exponent`.
pub(super) fn tiling(exponent: u32, tally: &mut Tally) -> Result<TorusBroadcast> {
    let side = 5u32.pow(exponent);
    verified(side, &SubgroupChainBroadcast::torus(2, side).context("5^k has a chain")?, tally)
}

/// Verifies the subgroup chain of the torus of this side, if it has one.
pub(super) fn chain(side: u32, tally: &mut Tally) -> Result<Option<TorusBroadcast>> {
    let Some(chain) = SubgroupChainBroadcast::torus(2, side) else {
        tally.skip(1);
        return Ok(None);
    };
    verified(side, &chain, tally).map(Some)
}

/// Verifies the dilated diagonals of the torus of this side.
pub(super) fn diagonals(side: u32, tally: &mut Tally) -> Result<TorusBroadcast> {
    verified(side, &DiagonalBroadcast::new(side).context("every side from 3 on has diagonals")?, tally)
}

/// Verifies the broadcast from a node other than node 0.
fn verified(side: u32, broadcast: &impl StreamedBroadcast, tally: &mut Tally) -> Result<TorusBroadcast> {
    let begin = Instant::now();
    let graph: CayleyGraph = format!("torus:{side}x{side}").parse()?;
    let root = u64::from(side) + 2;
    let mut verifier = BroadcastVerifier::new(&graph, root, CommunicationModel::wormhole())?;
    broadcast.replay(root, &mut verifier);
    let counts = verifier.finish()?;
    let nodes = u128::from(side) * u128::from(side);
    let bound = (0..54).find(|&rounds| 5u128.pow(rounds) >= nodes).context("a side has 32 bits")?;
    let broadcast = TorusBroadcast {
        side,
        rounds: counts.rounds as u32,
        bound,
        transmissions: counts.transfers,
        time: begin.elapsed(),
    };
    tally.done_steps(bound.into(), broadcast.rounds.into(), &format!("torus {side}x{side}"));
    Ok(broadcast)
}
