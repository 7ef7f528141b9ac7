//! Broadcasts on square tori, verified as streams of transfers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep::CayleyGraph;
use lockstep::CommunicationModel;
use lockstep::analytic::{DiagonalBroadcast, StreamedBroadcast, SubgroupChainBroadcast};
use lockstep::schedule::BroadcastVerifier;

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
pub(super) fn tiling(exponent: u32) -> Result<TorusBroadcast> {
    let side = 5u32.pow(exponent);
    verified(side, &SubgroupChainBroadcast::torus(2, side).context("5^k has a chain")?)
}

/// Verifies the subgroup chain of the torus of this side, if it has one.
pub(super) fn chain(side: u32) -> Result<Option<TorusBroadcast>> {
    SubgroupChainBroadcast::torus(2, side).map(|chain| verified(side, &chain)).transpose()
}

/// Verifies the dilated diagonals of the torus of this side.
pub(super) fn diagonals(side: u32) -> Result<TorusBroadcast> {
    verified(side, &DiagonalBroadcast::new(side).context("every side from 3 on has diagonals")?)
}

/// Verifies the broadcast from a node other than node 0.
fn verified(side: u32, broadcast: &impl StreamedBroadcast) -> Result<TorusBroadcast> {
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
    let TorusBroadcast { rounds, transmissions, time, .. } = broadcast;
    eprintln!("torus {side}x{side}: {rounds} rounds, bound {bound}, {transmissions} transmissions, {time:?}");
    Ok(broadcast)
}
