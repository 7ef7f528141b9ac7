//! Choices beside measured times: how far each chosen algorithm is from the best measured one.

use lockstep_files::is_same_name;
use lockstep_schedule::CollectiveName;

use crate::tuning::{Choice, Tuning};

/// The measured times of a collective for one size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeasuredCell {
    /// The collective.
    pub collective: CollectiveName,
    /// The size, as nccl-tests counts it.
    pub bytes: u64,
    /// The times in picoseconds of the algorithms of the library, by their names in the measurement. `None` is the choice of the
    /// library itself. Of several times of one algorithm, the least counts.
    pub times: Vec<(Option<String>, u64)>,
}

/// A choice beside measured times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ComparedCell {
    /// The name of the collective in the library.
    pub name: &'static str,
    /// The size, as nccl-tests counts it.
    pub bytes: u64,
    /// The algorithm of the least predicted time among the measured ones.
    pub chosen: &'static str,
    /// Its predicted time in picoseconds.
    pub predicted_ps: u128,
    /// Its measured time in picoseconds.
    pub chosen_ps: u64,
    /// The algorithm of the least measured time. `None` is the choice of the library itself.
    pub best: Option<String>,
    /// The least measured time in picoseconds.
    pub best_ps: u64,
    /// The least measured time of an algorithm that the table can choose, in picoseconds.
    pub attainable_ps: u64,
    /// The measured time of the choice of the library itself, in picoseconds.
    pub default_ps: Option<u64>,
}

impl ComparedCell {
    /// Returns the time over the least one, minus one, in thousandths, rounded up. A time within 5 % of the least has at most 50.
    pub fn excess(&self, picoseconds: u64) -> u64 {
        let least = u128::from(self.best_ps.max(1));
        let excess = u128::from(picoseconds.saturating_sub(self.best_ps)) * 1000;
        u64::try_from(excess.div_ceil(least)).unwrap_or(u64::MAX)
    }
}

/// Names of algorithms in measurements, for those of the libraries.
const OTHER_NAMES: &[(&str, &[&str])] = &[
    ("binary", &["binary_tree"]),
    ("brucks", &["bruck"]),
    ("in-order_binary", &["in_order"]),
    ("linear", &["basic_linear"]),
    ("reduce_scatter_allgather", &["rabenseifner"]),
    ("reduce_scatter_gather", &["rabenseifner"]),
    ("segmented_ring", &["ring_segmented"]),
    ("split_binary", &["split_binary_tree"]),
];

/// Returns true if a measurement names an algorithm of a library. MPICH's `MPIR_Bcast_intra_binomial` is `binomial`.
fn is_named(algorithm: &str, measured: &str) -> bool {
    let name = algorithm.rsplit_once("_intra_").map_or(algorithm, |(_, name)| name);
    let others = OTHER_NAMES.iter().filter(|(known, _)| *known == name).flat_map(|(_, others)| *others);
    is_same_name(name, measured) || others.into_iter().any(|other| is_same_name(other, measured))
}

/// Compares the choice of a size with measured times. The candidates are the measured algorithms of the library, with whole messages
/// and its own fan-outs: measurements do not say more.
///
/// Returns `None` if there are fewer than two, or no choices for the collective.
pub fn compare(tuning: &Tuning, cell: &MeasuredCell) -> Option<ComparedCell> {
    let table = tuning.tables.iter().find(|table| table.of.collective == cell.collective)?;
    let measured = |choice: &Choice| {
        if choice.segment_bytes.is_some() || choice.fan_out.is_some() {
            return None;
        }
        let is_choice = |name: &Option<String>| name.as_ref().is_some_and(|name| is_named(choice.algorithm, name));
        cell.times.iter().filter(|(name, _)| is_choice(name)).map(|&(_, time)| time).min()
    };
    let candidates: Vec<(&Choice, u64)> =
        table.choices.iter().filter_map(|choice| Some((choice, measured(choice)?))).collect();
    let (first, _) = candidates.first()?;
    if candidates.iter().all(|(choice, _)| choice.algorithm == first.algorithm) {
        return None;
    }
    let attainable_ps = candidates.iter().map(|&(_, time)| time).min()?;
    let (chosen, chosen_ps) = candidates.into_iter().min_by_key(|(choice, _)| choice.time.picoseconds(cell.bytes))?;
    let (best, best_ps) = cell.times.iter().min_by_key(|(_, time)| *time)?;
    let default = cell.times.iter().filter(|(name, _)| name.is_none());
    Some(ComparedCell {
        name: table.of.name,
        bytes: cell.bytes,
        chosen: chosen.algorithm,
        predicted_ps: chosen.time.picoseconds(cell.bytes),
        chosen_ps,
        best: best.clone(),
        best_ps: *best_ps,
        attainable_ps,
        default_ps: default.map(|&(_, time)| time).min(),
    })
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::Ports;
    use lockstep_topology::Topology;

    use super::*;
    use crate::{Library, Network, RoundCosts, TuneOptions, tune};

    fn tuned(library: Library) -> Tuning {
        let topology: Topology = "ring:8".parse().unwrap();
        let topology = topology.with_times(10_000_000_000, 1_000_000).unwrap();
        let costs = RoundCosts { start_up_ps: 500_000, ports: Ports::All };
        let network = Network::new(&topology, topology.terminals(), costs).unwrap();
        let options =
            TuneOptions { library, collectives: Vec::new(), sizes: [1 << 10, 1 << 30], root: 0, channels: 16 };
        tune(&network, &options).unwrap()
    }

    fn cell(bytes: u64, times: &[(&str, u64)]) -> MeasuredCell {
        let time = |&(name, time): &(&str, u64)| ((!name.is_empty()).then(|| name.to_owned()), time);
        MeasuredCell { collective: CollectiveName::AllReduce, bytes, times: times.iter().map(time).collect() }
    }

    #[test]
    fn the_choice_is_the_best_prediction_among_measured_algorithms() {
        let tuning = tuned(Library::OpenMpi);
        let times = [("", 90), ("ring", 100), ("recursive_doubling", 130), ("ring_segmented", 80), ("two_proc", 70)];
        let small = compare(&tuning, &cell(64, &times)).unwrap();
        assert_eq!((small.chosen, small.chosen_ps, small.default_ps), ("recursive_doubling", 130, Some(90)));
        assert_eq!((small.best.as_deref(), small.best_ps), (Some("two_proc"), 70));
        assert_eq!((small.attainable_ps, small.excess(130)), (80, 858));
        assert_eq!(small.excess(70), 0);
        let large = compare(&tuning, &cell(1 << 30, &times[..3])).unwrap();
        assert_eq!((large.chosen, large.best), ("ring", None));
    }

    #[test]
    fn one_algorithm_is_no_choice() {
        let tuning = tuned(Library::OpenMpi);
        assert_eq!(compare(&tuning, &cell(64, &[("", 1), ("ring", 2)])), None);
        assert_eq!(compare(&tuning, &cell(64, &[("segmented_ring", 1), ("ring_segmented", 2)])), None);
        assert_eq!(compare(&tuning, &cell(64, &[])), None);
        assert!(compare(&tuning, &cell(64, &[("linear", 1), ("ring", 2)])).is_some());
    }

    #[test]
    fn names_of_measurements_are_known() {
        let mpich = tuned(Library::Mpich);
        let compared = compare(&mpich, &cell(1 << 30, &[("rabenseifner", 5), ("recursive_doubling", 9)])).unwrap();
        assert_eq!((compared.chosen, compared.chosen_ps), ("MPIR_Allreduce_intra_reduce_scatter_allgather", 5));
        assert!(is_named("in-order_binary", "in_order") && is_named("in-order_binary", "in_order_binary"));
        assert!(!is_named("ring", "segmented_ring") && !is_named("linear", "linear_sync"));
        let nccl = tuned(Library::Nccl);
        assert_eq!(compare(&nccl, &cell(64, &[("ring", 5), ("tree", 9)])).unwrap().best.as_deref(), Some("ring"));
    }
}
