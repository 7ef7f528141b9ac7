//! Broadcasts on square tori, judged round by round without being written down.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep::CayleyGraph;
use lockstep::CommunicationModel;
use lockstep::analytic::{Chain, Diagonals, StreamedBroadcast};
use lockstep::schedule::BroadcastVerifier;

/// A broadcast that the judge accepted.
pub(super) struct Broadcast {
    pub(super) side: u32,
    pub(super) rounds: u32,
    /// Nodes multiply by 5 a round at most.
    pub(super) bound: u32,
    pub(super) transmissions: u64,
    pub(super) time: Duration,
}

impl Broadcast {
    /// Whether every node got the message once, in at most so many rounds above the bound.
    pub(super) fn holds(&self, above: u32) -> bool {
        let others = u64::from(self.side) * u64::from(self.side) - 1;
        self.transmissions == others && (self.bound..=self.bound + above).contains(&self.rounds)
    }
}

/// The recursive tiling of the torus of side `5^exponent`.
pub(super) fn tiling(exponent: u32) -> Result<Broadcast> {
    let side = 5u32.pow(exponent);
    judged(side, &Chain::torus(2, side).context("5^k has a chain")?)
}

/// The subgroup chain of the torus of this side, if it has one.
pub(super) fn chain(side: u32) -> Result<Option<Broadcast>> {
    Chain::torus(2, side).map(|chain| judged(side, &chain)).transpose()
}

/// The dilated diagonals of the torus of this side.
pub(super) fn diagonals(side: u32) -> Result<Broadcast> {
    judged(side, &Diagonals::new(side).context("every side from 3 on has diagonals")?)
}

/// Every transfer of the broadcast from a node that is not 0, told to the judge.
fn judged(side: u32, broadcast: &impl StreamedBroadcast) -> Result<Broadcast> {
    let begin = Instant::now();
    let graph: CayleyGraph = format!("torus:{side}x{side}").parse()?;
    let root = u64::from(side) + 2;
    let mut judge = BroadcastVerifier::new(&graph, root, CommunicationModel::wormhole())?;
    broadcast.replay(root, &mut judge);
    let counts = judge.finish()?;
    let nodes = u128::from(side) * u128::from(side);
    let bound = (0..54).find(|&rounds| 5u128.pow(rounds) >= nodes).context("a side has 32 bits")?;
    let broadcast =
        Broadcast { side, rounds: counts.rounds as u32, bound, transmissions: counts.transfers, time: begin.elapsed() };
    let Broadcast { rounds, transmissions, time, .. } = broadcast;
    eprintln!("torus {side}x{side}: {rounds} rounds, bound {bound}, {transmissions} transmissions, {time:?}");
    Ok(broadcast)
}
