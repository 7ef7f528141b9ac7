//! Layered networks: all channels lead from one stage of switches to the next.

use lockstep_topology::{NodeId, Topology};

/// Returns the switches of each stage, or `None` if the network is not layered.
///
/// In a layered network, every terminal has one channel into the first stage and one out of the last. Every other
/// channel leads from a switch of one stage to a switch of the next, so all paths between terminals have the same
/// length. Each channel must be a resource of its own. Takes `O(N + M)` time.
pub(crate) fn stages(topology: &Topology) -> Option<Vec<Vec<NodeId>>> {
    const NONE: u32 = u32::MAX;
    let mut stage_of = vec![NONE; topology.node_count()];
    let mut front = Vec::new();
    for &terminal in topology.terminals() {
        let ([injection], [_]) = (topology.out_channels(terminal), topology.in_channels(terminal)) else { return None };
        let first = topology.head(*injection);
        if stage_of[first.index()] == NONE {
            stage_of[first.index()] = 0;
            front.push(first);
        }
    }
    let mut stages = Vec::new();
    let mut switch_count = 0;
    while !front.is_empty() {
        let next_stage = stages.len() as u32 + 1;
        let (mut next, mut ejections) = (Vec::new(), 0);
        for &switch in &front {
            if topology.is_terminal(switch) || !topology.routes(switch) || topology.out_channels(switch).is_empty() {
                return None;
            }
            for &channel in topology.out_channels(switch) {
                let head = topology.head(channel);
                if topology.is_terminal(head) {
                    ejections += 1;
                } else if stage_of[head.index()] == NONE {
                    stage_of[head.index()] = next_stage;
                    next.push(head);
                } else if stage_of[head.index()] != next_stage {
                    return None;
                }
            }
        }
        // Only the last stage has channels to terminals, and it has one to each terminal.
        if ejections != 0 && (ejections != topology.terminal_count() || !next.is_empty()) {
            return None;
        }
        switch_count += front.len();
        stages.push(std::mem::replace(&mut front, next));
    }
    let all_reached = switch_count == topology.switch_count();
    let no_sharing = topology.resource_count() == topology.channel_count();
    (all_reached && no_sharing && !stages.is_empty()).then_some(stages)
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;

    use super::*;

    fn sizes(spec: &str) -> Option<Vec<usize>> {
        Some(stages(&spec.parse().unwrap())?.iter().map(Vec::len).collect())
    }

    #[test]
    fn stages_are_counted_from_the_terminals() {
        assert_eq!(sizes("omega:16"), Some(vec![8; 4]));
        assert_eq!(sizes("butterfly:8"), Some(vec![4; 3]));
        assert_eq!(sizes("clos:3,2,5"), Some(vec![5, 2, 5]));
        assert_eq!(sizes("fat-tree:4,1"), Some(vec![1]), "a crossbar");
    }

    #[test]
    fn other_networks_have_no_stages() {
        for spec in ["hypercube:3", "mesh:3x3", "b-tree:8", "fat-tree:2,3", "full-b-tree:7", "kautz:2,3"] {
            assert_eq!(sizes(spec), None, "{spec}");
        }
        let omega: Topology = "omega:8".parse().unwrap();
        assert_eq!(
            stages(&omega.half_duplex()).map(|stages| stages.len()),
            Some(3),
            "no channels in opposite directions"
        );
        let star: Topology = "fat-tree:3,1".parse().unwrap();
        assert_eq!(stages(&star.half_duplex()), None);
    }

    #[test]
    fn a_path_that_skips_a_stage_is_refused() {
        let mut network = TopologyBuilder::new("short cut");
        let terminals = ["a", "b"].map(|name| network.terminal(name));
        let switches = ["s", "t", "u"].map(|name| network.switch(name));
        network.channel(terminals[0], switches[0]);
        network.channel(terminals[1], switches[0]);
        for (tail, head) in [(0, 1), (1, 2), (0, 2)] {
            network.channel(switches[tail], switches[head]);
        }
        network.channel(switches[2], terminals[0]);
        network.channel(switches[2], terminals[1]);
        assert_eq!(stages(&network.build().unwrap()), None);
    }
}
