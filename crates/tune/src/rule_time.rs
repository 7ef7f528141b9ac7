//! The times of the rules of a table.

use crate::cost::AlgorithmCost;
use crate::curve::Curve;
use crate::library::{LibraryCollective, NcclMachine};
use crate::network::Network;
use crate::reader::Rule;
use crate::tuning::TuneOptions;

/// Returns the time of a rule of a table. `None` if the rule leaves the decision to the library, or the model does not know its
/// algorithm on this network.
pub fn rule_time(network: &Network<'_>, options: &TuneOptions, of: &LibraryCollective, rule: &Rule) -> Option<Curve> {
    let name = rule.algorithm.as_deref()?;
    if options.library.is_nccl() {
        let protocol = rule.protocol.as_deref()?;
        let mut curves = NcclMachine::of(network).curves(of.collective).into_iter();
        return curves.find(|known| (known.0, known.1) == (name, protocol)).map(|(_, _, time)| time);
    }
    let algorithm = of.algorithms.iter().find(|algorithm| algorithm.name == name)?;
    let own = *algorithm.fans.first()?;
    let fan = if algorithm.fans.len() > 1 { rule.fan_out.unwrap_or(1).clamp(1, network.ranks() - 1) } else { own };
    let phases = (algorithm.algorithm.phases)(network.ranks(), fan)?;
    let root = if of.collective.has_root() { options.root } else { 0 };
    let cost = AlgorithmCost::new(network, root, &phases).ok()?;
    Some(cost.curve(rule.segment_bytes.filter(|_| algorithm.has_segments)))
}
