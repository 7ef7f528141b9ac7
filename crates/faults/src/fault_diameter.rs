//! How far terminals are from each other, at worst.

use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::multi_source_bfs::{Direction, WIDTH, Waves, mask};
use crate::{FaultError, Faults, Transport};

/// The largest distance of two terminals, over many sets of faults.
///
/// ```
/// use lockstep_faults::{FaultDiameter, FaultKind, FaultSpace, Transport};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:8".parse()?;
/// let links = FaultSpace::new(&ring, FaultKind::Link, 1);
/// let diameter = FaultDiameter::over(&ring, Transport::Direct, links.iter())?;
/// assert_eq!(diameter.farthest.map(|pair| pair.distance), Some(7)); // 4 without a fault
///
/// let two = FaultSpace::new(&ring, FaultKind::Link, 2);
/// let diameter = FaultDiameter::over(&ring, Transport::Direct, two.iter())?;
/// assert_eq!((diameter.sets, diameter.disconnecting), (28, 28));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FaultDiameter {
    /// Number of sets of faults that were looked at.
    pub sets: u64,
    /// How many of them leave some terminal without a path to another one.
    pub disconnecting: u64,
    /// The first of those.
    pub first_disconnecting: Option<Faults>,
    /// The terminals farthest from each other, after faults that leave all connected; `None` if no faults leave two
    /// terminals connected.
    pub farthest: Option<Farthest>,
}

/// Two terminals and what drives them apart.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Farthest {
    /// Channels of a shortest legal path from the first to the second one.
    pub distance: u32,
    /// The terminals.
    pub pair: [NodeId; 2],
    /// The first set of faults after which two are as far apart.
    pub faults: Faults,
}

impl FaultDiameter {
    /// The largest distance over these sets of faults of a network, all [of a space](crate::FaultSpace::iter), a
    /// [sample](crate::FaultSpace::sample) or the representatives of [classes](crate::FaultClasses).
    ///
    /// Takes time in proportion to channels, distance, and terminals by 64, for each set. To stop early, end the sets.
    ///
    /// # Errors
    ///
    /// A [`FaultError`] if some of them are faults of another network.
    pub fn over(
        topology: &Topology,
        transport: Transport,
        sets: impl IntoIterator<Item = Faults>,
    ) -> Result<Self, FaultError> {
        let mut found = Self::default();
        for faults in sets {
            let broken = faults.injected(topology)?;
            found.sets += 1;
            match diameter(&broken, transport) {
                Diameter::Disconnected => {
                    found.disconnecting += 1;
                    found.first_disconnecting.get_or_insert(faults);
                }
                Diameter::NoPair => {}
                Diameter::Of { distance, pair } => {
                    if found.farthest.as_ref().is_none_or(|farthest| farthest.distance < distance) {
                        found.farthest = Some(Farthest { distance, pair, faults });
                    }
                }
            }
        }
        Ok(found)
    }
}

enum Diameter {
    Disconnected,
    NoPair,
    Of { distance: u32, pair: [NodeId; 2] },
}

fn diameter(topology: &Topology, transport: Transport) -> Diameter {
    let terminals = topology.terminals();
    let mut waves = Waves::new(topology, transport, Direction::Forwards);
    let mut found = Diameter::NoPair;
    for batch in terminals.chunks(WIDTH) {
        let last = waves.run(batch);
        let all = mask(batch.len());
        if terminals.iter().any(|&terminal| waves.seen(terminal) != all) {
            return Diameter::Disconnected;
        }
        let Some(last) = last else { continue };
        if !matches!(found, Diameter::Of { distance, .. } if distance >= last.distance) {
            found = Diameter::Of { distance: last.distance, pair: [batch[last.source], last.terminal] };
        }
    }
    found
}
