//! The diameter of a network after faults.

use lockstep_schedule::Transport;
use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::multi_source_bfs::{MAX_SOURCES, MultiSourceBfs, SearchDirection, mask};
use crate::{FaultError, Faults};

/// The fault diameter: the largest distance between two terminals after any of several fault sets.
///
/// ```
/// use lockstep_faults::{FaultDiameter, FaultKind, FaultSpace};
/// use lockstep_schedule::Transport;
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:8".parse()?;
/// let links = FaultSpace::new(&ring, FaultKind::Link, 1);
/// let diameter = FaultDiameter::over(&ring, Transport::Direct, links.iter())?;
/// assert_eq!(diameter.farthest.map(|pair| pair.distance), Some(7)); // 4 without faults
///
/// let two = FaultSpace::new(&ring, FaultKind::Link, 2);
/// let diameter = FaultDiameter::over(&ring, Transport::Direct, two.iter())?;
/// assert_eq!((diameter.sets, diameter.disconnecting), (28, 28));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FaultDiameter {
    /// Number of fault sets examined.
    pub sets: u64,
    /// Number of fault sets that leave some terminal without a path to another one.
    pub disconnecting: u64,
    /// The first of these fault sets.
    pub first_disconnecting: Option<Faults>,
    /// The pair of terminals with the largest distance, over fault sets that leave all terminals connected. `None` if
    /// there is no such fault set with two terminals.
    pub farthest: Option<Farthest>,
}

/// The most distant pair of terminals and the faults that separate them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Farthest {
    /// Number of channels of a shortest legal path from the first terminal to the second.
    pub distance: u32,
    /// The terminals.
    pub pair: [NodeId; 2],
    /// The first fault set with this distance.
    pub faults: Faults,
}

impl FaultDiameter {
    /// Computes the fault diameter over these fault sets: [all sets](crate::FaultSpace::iter) of a space, a
    /// [sample](crate::FaultSpace::sample), or the representatives of [classes](crate::FaultClasses).
    ///
    /// Takes `O(M * D * P / 64)` time per set, for `M` channels, distance `D` and `P` terminals. To stop early, end the
    /// iterator.
    ///
    /// # Errors
    ///
    /// [`FaultError::ForeignNode`], [`FaultError::ForeignChannel`] or [`FaultError::ForeignLink`] for faults of another
    /// network.
    pub fn over(
        topology: &Topology,
        transport: Transport,
        sets: impl IntoIterator<Item = Faults>,
    ) -> Result<Self, FaultError> {
        let mut result = Self::default();
        for faults in sets {
            let broken = faults.injected(topology)?;
            result.sets += 1;
            match diameter(&broken, transport) {
                TerminalDiameter::Disconnected => {
                    result.disconnecting += 1;
                    result.first_disconnecting.get_or_insert(faults);
                }
                TerminalDiameter::NoPair => {}
                TerminalDiameter::Of { distance, pair } => {
                    if result.farthest.as_ref().is_none_or(|farthest| farthest.distance < distance) {
                        result.farthest = Some(Farthest { distance, pair, faults });
                    }
                }
            }
        }
        Ok(result)
    }
}

/// The diameter of one network.
enum TerminalDiameter {
    Disconnected,
    NoPair,
    Of { distance: u32, pair: [NodeId; 2] },
}

fn diameter(topology: &Topology, transport: Transport) -> TerminalDiameter {
    let terminals = topology.terminals();
    let mut search = MultiSourceBfs::new(topology, transport, SearchDirection::Forward);
    let mut diameter = TerminalDiameter::NoPair;
    for batch in terminals.chunks(MAX_SOURCES) {
        let last = search.run(batch);
        let all = mask(batch.len());
        if terminals.iter().any(|&terminal| search.reached_from(terminal) != all) {
            return TerminalDiameter::Disconnected;
        }
        let Some(last) = last else { continue };
        if !matches!(diameter, TerminalDiameter::Of { distance, .. } if distance >= last.distance) {
            diameter = TerminalDiameter::Of { distance: last.distance, pair: [batch[last.source], last.terminal] };
        }
    }
    diameter
}
