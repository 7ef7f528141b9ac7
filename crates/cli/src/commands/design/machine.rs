//! Descriptions of machines.

use lockstep::design::Machine;

use crate::text::counted;

/// Describes a machine in one line.
pub(super) fn describe(machine: &Machine) -> String {
    let [cabinets, chassis] = [machine.cabinets(), machine.chassis()].map(|count| count as usize);
    format!(
        "{} of {} chassis of 2 routers of {}: {} routers",
        counted(cabinets, "cabinet"),
        chassis,
        counted(machine.slots() as usize, "cable slot"),
        machine.router_count()
    )
}
