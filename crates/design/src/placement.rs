//! Positions of cabinets, and lengths of cables.

/// Width of a cabinet, in centimetres.
const WIDTH: u64 = 60;
/// Depth of a cabinet and the aisle behind it, in centimetres.
const DEPTH: u64 = 210;
/// Length of a cable within a cabinet, and the overhead at each end of a cable between cabinets, in centimetres.
const WITHIN_CABINET: u64 = 200;

/// Cabinets in rows on the floor of a machine room, as a grid that is as square as possible.
///
/// Cabinets are 0.6 m wide and, with their aisle, 2.1 m deep. Cables run along rows and aisles. A cable needs 2 m
/// within a cabinet, and 2 m at each end between cabinets.
///
/// ```
/// use lockstep_design::{Machine, Network};
///
/// let network = Network::of_code(&Machine::new(1, 1, 2)?, &"2,0".parse()?)?;
/// let placement = network.placement().expect("a machine has cabinets");
/// assert_eq!(placement.centimetres([0, 2]), 610);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Koibuchi, Matsutani, Amano, Hsu and Casanova, *A case for random shortcut topologies for HPC interconnects*, ISCA
/// 2012.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    routers_per_cabinet: u32,
    cabinets_per_row: u32,
}

impl Placement {
    /// Places `cabinets` with `routers_per_cabinet` each, in the order of their numbers.
    pub(crate) fn new(cabinets: u32, routers_per_cabinet: u32) -> Self {
        // The number of rows is the square root, rounded up.
        let rows = cabinets.isqrt() + u32::from(cabinets.isqrt().pow(2) < cabinets);
        Self { routers_per_cabinet, cabinets_per_row: cabinets.div_ceil(rows) }
    }

    /// Returns true if the two routers are in different cabinets.
    pub fn is_external(&self, [from, to]: [u32; 2]) -> bool {
        from / self.routers_per_cabinet != to / self.routers_per_cabinet
    }

    /// Returns the length of a cable between two routers, in centimetres.
    pub fn centimetres(&self, cable: [u32; 2]) -> u64 {
        if !self.is_external(cable) {
            return WITHIN_CABINET;
        }
        let [from, to] = cable.map(|router| router / self.routers_per_cabinet);
        let columns = (from % self.cabinets_per_row).abs_diff(to % self.cabinets_per_row);
        let rows = (from / self.cabinets_per_row).abs_diff(to / self.cabinets_per_row);
        2 * WITHIN_CABINET + WIDTH * u64::from(columns) + DEPTH * u64::from(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cables_run_along_rows_and_aisles() {
        // 0 1
        // 2 3
        // 4 5
        let placement = Placement::new(6, 10);
        assert_eq!(placement.centimetres([0, 9]), 200);
        assert_eq!(placement.centimetres([9, 10]), 460);
        assert_eq!(placement.centimetres([0, 59]), 400 + 60 + 2 * 210);
        assert_eq!(placement.centimetres([59, 0]), placement.centimetres([0, 59]));
        assert!(placement.is_external([9, 10]) && !placement.is_external([10, 19]));
    }

    #[test]
    fn grids_are_nearly_square() {
        for (cabinets, columns) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 2), (9, 3), (10, 3), (12, 3)] {
            assert_eq!(Placement::new(cabinets, 1).cabinets_per_row, columns, "{cabinets} cabinets");
        }
    }
}
