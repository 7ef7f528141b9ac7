//! Cablings of a machine of one cabinet, up to isomorphism by names.

use crate::cabling_code::CablingCode;
use crate::machine::Machine;

/// The cables of a machine of one cabinet, as distances between the chassis that they connect.
///
/// The chassis form a circle, and all chassis have the same cables. Each list is an ascending multiset. The network
/// does not change if the circle is rotated or mirrored, if distances are multiplied by a unit, if the two routers swap
/// names, or if second routers are counted from another chassis.
///
/// # Source
///
/// Bicirculant graphs. The canonical form is the minimum over the units modulo the number of chassis, the swap of the
/// two routers, and the shift of one router against the other.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Cabling {
    /// Distances between first routers. A distance equals its opposite.
    pub(crate) first: Vec<u32>,
    /// Distances between second routers. A distance equals its opposite.
    pub(crate) second: Vec<u32>,
    /// Distances from first to second routers.
    pub(crate) across: Vec<u32>,
}

impl Cabling {
    /// Returns the canonical form: the lexicographically least cabling of the same network up to names.
    ///
    /// `units` are the numbers coprime to `chassis`. O(units · cables²).
    pub(crate) fn canonical(&self, chassis: u32, units: &[u32]) -> Self {
        let times = |unit: u32, distance: u32| (u64::from(unit) * u64::from(distance) % u64::from(chassis)) as u32;
        let either_way = |unit: u32, distances: &[u32]| {
            let shorter = |&distance: &u32| times(unit, distance).min(chassis - times(unit, distance));
            sorted(distances.iter().map(shorter))
        };
        let mut least: Option<Self> = None;
        for &unit in units {
            for swaps in [false, true] {
                let (first, second) = if swaps { (&self.second, &self.first) } else { (&self.first, &self.second) };
                let [first, second] = [first, second].map(|distances| either_way(unit, distances));
                // If the routers swap names, the opposite unit reverses the distances.
                let multiplied: Vec<u32> = self.across.iter().map(|&distance| times(unit, distance)).collect();
                // The least cabling starts with distance 0, unless `across` is empty.
                let shifts = if multiplied.is_empty() { &[0][..] } else { &multiplied };
                for shift in shifts {
                    let across = sorted(multiplied.iter().map(|distance| (distance + chassis - shift) % chassis));
                    let across = if swaps {
                        sorted(across.iter().map(|distance| (chassis - distance) % chassis))
                    } else {
                        across
                    };
                    let candidate = Self { first: first.clone(), second: second.clone(), across };
                    if least.as_ref().is_none_or(|least| candidate < *least) {
                        least = Some(candidate);
                    }
                }
            }
        }
        least.expect("1 is a unit")
    }

    /// Returns a code of the network. `None` if first and second routers are connected at every distance, because then
    /// one of these cables would stay within its chassis.
    pub(crate) fn code(&self, machine: &Machine) -> Option<CablingCode> {
        let (chassis, slots) = (machine.chassis(), machine.slots());
        let shift = (0..chassis).find(|shift| self.across.iter().all(|distance| (distance + shift) % chassis != 0))?;
        let across = self.across.iter().map(|distance| (distance + shift) % chassis);
        let own = (self.first.len() + self.second.len() + self.across.len()) / 2;
        let forth = own - self.first.len();
        let genes = [
            self.first
                .iter()
                .map(|&distance| (0, distance))
                .chain(across.clone().take(forth).map(|far| (1, far)))
                .collect(),
            across.skip(forth).map(|far| (0, chassis - far)).chain(self.second.iter().map(|&near| (1, near))).collect(),
        ];
        let mut offsets = vec![0; machine.chassis_slots() as usize];
        for (router, genes) in (0..).zip::<[Vec<(u32, u32)>; 2]>(genes) {
            for (slot, (to, distance)) in (router * slots..).zip(genes) {
                offsets[slot as usize] = distance * machine.chassis_slots() + to * slots - slot;
            }
        }
        Some(CablingCode(offsets.into()))
    }
}

/// Returns the numbers in ascending order.
fn sorted(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

/// Returns true if the greatest common divisor of `a` and `b` is 1.
pub(crate) fn are_coprime(mut a: u32, mut b: u32) -> bool {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}
