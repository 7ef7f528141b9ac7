//! Where cabinets stand, and how long cables are.

/// Width of a cabinet, in centimetres.
const WIDTH: u64 = 60;
/// Depth of a cabinet and the aisle behind it, in centimetres.
const DEPTH: u64 = 210;
/// Length of a cable within a cabinet, and what one between cabinets needs at either end, in centimetres.
const INSIDE: u64 = 200;

/// Cabinets in rows on the floor of a machine room, as square a grid as their number allows.
///
/// **Source**: the floor plan and its measures are those of Koibuchi, Matsutani, Amano, Hsu, Casanova, *A case for random
/// shortcut topologies for HPC interconnects*, ISCA 2012: cabinets 0.6 m wide and 2.1 m deep with their aisle, cables along rows and
/// aisles, 2 m of cable within a cabinet and at either end of a cable between two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    routers_a_cabinet: u32,
    cabinets_a_row: u32,
}

impl Placement {
    /// So many cabinets with so many routers each, in their order.
    pub(crate) fn new(cabinets: u32, routers_a_cabinet: u32) -> Self {
        // As many rows as fit a square, rounded up.
        let rows = cabinets.isqrt() + u32::from(cabinets.isqrt().pow(2) < cabinets);
        Self { routers_a_cabinet, cabinets_a_row: cabinets.div_ceil(rows) }
    }

    /// Whether a cable between these routers leaves its cabinet.
    pub fn is_external(&self, [from, to]: [u32; 2]) -> bool {
        from / self.routers_a_cabinet != to / self.routers_a_cabinet
    }

    /// The length of a cable between two routers, in centimetres.
    pub fn centimetres(&self, cable: [u32; 2]) -> u64 {
        if !self.is_external(cable) {
            return INSIDE;
        }
        let [from, to] = cable.map(|router| router / self.routers_a_cabinet);
        let columns = (from % self.cabinets_a_row).abs_diff(to % self.cabinets_a_row);
        let rows = (from / self.cabinets_a_row).abs_diff(to / self.cabinets_a_row);
        2 * INSIDE + WIDTH * u64::from(columns) + DEPTH * u64::from(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cables_go_along_rows_and_aisles() {
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
            assert_eq!(Placement::new(cabinets, 1).cabinets_a_row, columns, "{cabinets} cabinets");
        }
    }
}
