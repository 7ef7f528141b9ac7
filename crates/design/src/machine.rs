//! The machine whose cables are designed.

use lockstep_metrics::Sources;
use serde::{Deserialize, Serialize};

/// Largest number of cable slots of a machine.
pub const MAX_SLOTS: u64 = 1 << 20;
/// Largest number of cable slots per router.
pub const MAX_ROUTER_SLOTS: u32 = 256;

/// Cabinets of chassis with two routers each. Cables connect the slots of routers of different chassis.
///
/// The shape `(R, N, M)` of the ExaNeSt document: `R` slots per router, `N` chassis per cabinet, `M` cabinets. Chassis
/// `c` has the routers `2c` and `2c + 1`. Cabinet `m` has the chassis `mN` to `mN + N - 1`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "MachineRecord", into = "MachineRecord")]
pub struct Machine {
    slots: u32,
    chassis: u32,
    cabinets: u32,
}

/// The form of a machine in files. Conversion to [`Machine`] verifies it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct MachineRecord {
    /// Cable slots per router.
    slots: u32,
    /// Chassis per cabinet.
    chassis: u32,
    /// Number of cabinets.
    cabinets: u32,
}

/// Why a machine is invalid.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// A number is 0.
    #[error("a machine needs at least 1 of its {field}, not 0")]
    Nothing {
        /// The number that is 0.
        field: &'static str,
    },
    /// Routers have too many slots.
    #[error("{slots} cable slots per router are too many; give at most {MAX_ROUTER_SLOTS}")]
    RouterSlots {
        /// Number of slots per router.
        slots: u32,
    },
    /// There is only one chassis, so no cable is possible.
    #[error("a machine of one chassis has no cables; give at least 2 chassis or 2 cabinets")]
    Alone,
    /// There are more slots than [`MAX_SLOTS`].
    #[error("2 x {slots} x {chassis} x {cabinets} cable slots are too many; give at most {MAX_SLOTS}")]
    TooLarge {
        /// Number of slots per router.
        slots: u32,
        /// Number of chassis per cabinet.
        chassis: u32,
        /// Number of cabinets.
        cabinets: u32,
    },
}

impl Machine {
    /// Creates a machine with `slots` per router, `chassis` per cabinet, and `cabinets`.
    ///
    /// ```
    /// use lockstep_design::Machine;
    ///
    /// assert_eq!(Machine::new(8, 16, 4)?.router_count(), 128);
    /// # Ok::<(), lockstep_design::MachineError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns a [`MachineError`] if the machine is too small for cables, or too large.
    pub fn new(slots: u32, chassis: u32, cabinets: u32) -> Result<Self, MachineError> {
        for (field, number) in [("slots", slots), ("chassis", chassis), ("cabinets", cabinets)] {
            if number == 0 {
                return Err(MachineError::Nothing { field });
            }
        }
        if slots > MAX_ROUTER_SLOTS {
            return Err(MachineError::RouterSlots { slots });
        }
        if chassis == 1 && cabinets == 1 {
            return Err(MachineError::Alone);
        }
        let routers = u64::from(chassis).saturating_mul(cabinets.into()).saturating_mul(2);
        if routers.saturating_mul(slots.into()) > MAX_SLOTS {
            return Err(MachineError::TooLarge { slots, chassis, cabinets });
        }
        Ok(Self { slots, chassis, cabinets })
    }

    /// Returns the number of cable slots per router, `R`.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Returns the number of chassis per cabinet, `N`.
    pub fn chassis(&self) -> u32 {
        self.chassis
    }

    /// Returns the number of cabinets, `M`.
    pub fn cabinets(&self) -> u32 {
        self.cabinets
    }

    /// Returns the number of cable slots per chassis, `2R`: the length of a [`CablingCode`](crate::CablingCode).
    pub fn chassis_slots(&self) -> u32 {
        2 * self.slots
    }

    /// Returns the number of cable slots per cabinet, `L = 2RN`.
    pub fn cabinet_slots(&self) -> u32 {
        self.chassis_slots() * self.chassis
    }

    /// Returns the number of cable slots of the machine, `ML`.
    pub fn slot_count(&self) -> u32 {
        self.cabinet_slots() * self.cabinets
    }

    /// Returns the number of chassis of the machine, `NM`.
    pub fn chassis_count(&self) -> u32 {
        self.chassis * self.cabinets
    }

    /// Returns the number of routers of the machine, `2NM`.
    pub fn router_count(&self) -> u32 {
        2 * self.chassis_count()
    }

    /// Returns the cabinet of a router.
    pub fn cabinet(&self, router: u32) -> u32 {
        router / (2 * self.chassis)
    }

    /// Sets `sources` to the routers of the first `chassis` chassis. Each represents its orbit under shifts by
    /// `chassis`.
    pub(crate) fn set_sources(&self, chassis: u32, sources: &mut Sources) {
        sources.nodes.clear();
        sources.nodes.extend(0..2 * chassis);
        sources.orbit_sizes.clear();
        sources.orbit_sizes.resize(2 * chassis as usize, self.chassis_count() / chassis);
    }
}

impl TryFrom<MachineRecord> for Machine {
    type Error = MachineError;

    fn try_from(MachineRecord { slots, chassis, cabinets }: MachineRecord) -> Result<Self, MachineError> {
        Self::new(slots, chassis, cabinets)
    }
}

impl From<Machine> for MachineRecord {
    fn from(Machine { slots, chassis, cabinets }: Machine) -> Self {
        Self { slots, chassis, cabinets }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_from_the_shape() {
        let machine = Machine::new(8, 16, 4).unwrap();
        assert_eq!((machine.chassis_slots(), machine.cabinet_slots(), machine.slot_count()), (16, 256, 1024));
        assert_eq!((machine.router_count(), machine.cabinet(31), machine.cabinet(32)), (128, 0, 1));
    }

    #[test]
    fn machines_without_cables_or_too_large_are_refused() {
        assert_eq!(Machine::new(0, 16, 1), Err(MachineError::Nothing { field: "slots" }));
        assert_eq!(Machine::new(8, 0, 1), Err(MachineError::Nothing { field: "chassis" }));
        assert_eq!(Machine::new(8, 16, 0), Err(MachineError::Nothing { field: "cabinets" }));
        assert_eq!(Machine::new(8, 1, 1), Err(MachineError::Alone));
        assert_eq!(Machine::new(257, 2, 1), Err(MachineError::RouterSlots { slots: 257 }));
        let [slots, chassis, cabinets] = [1, u32::MAX, u32::MAX];
        assert_eq!(Machine::new(slots, chassis, cabinets), Err(MachineError::TooLarge { slots, chassis, cabinets }));
        assert!(Machine::new(1, 2, 1 << 18).is_ok() && Machine::new(1, 2, (1 << 18) + 1).is_err());
    }
}
