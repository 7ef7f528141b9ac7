//! The messages of one flow.

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use crate::demand::Demand;

/// The messages of one flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MessageGroup {
    /// All messages of this source.
    From(NodeId),
    /// All messages for this receiver.
    To(NodeId),
}

impl MessageGroup {
    /// Returns the groups whose flows prove bounds, or `None` if there are none.
    pub(super) fn all(problem: &Problem<'_>, demand: &Demand<'_>) -> Option<Vec<Self>> {
        let (sources, receivers) = (demand.sources(), demand.receivers());
        match sources.as_slice() {
            &[source] if problem.messages().is_scatter() => Some(vec![Self::From(source)]),
            _ if receivers.len() > 1 && problem.messages().is_scatter() => None,
            _ => Some(receivers.into_iter().map(Self::To).collect()),
        }
    }

    /// Returns, for each terminal, the units that enter and leave there.
    pub(super) fn units(self, problem: &Problem<'_>, demand: &Demand<'_>) -> impl Iterator<Item = [u32; 2]> {
        let chunks = problem.messages().chunks();
        let terminals = problem.topology().terminals();
        let mut units = vec![[0; 2]; terminals.len()];
        let rank = |node: NodeId| problem.topology().terminal_rank(node).expect("a problem's ends are terminals");
        let mut total = 0;
        match self {
            Self::From(source) => {
                for receiver in demand.receivers() {
                    units[rank(receiver)][1] = demand.count_to(receiver) * chunks;
                    total += units[rank(receiver)][1];
                }
                units[rank(source)][0] = total;
            }
            Self::To(receiver) => {
                for source in demand.to(receiver) {
                    units[rank(source)][0] += chunks;
                    total += chunks;
                }
                units[rank(receiver)][1] = total;
            }
        }
        units.into_iter()
    }
}
