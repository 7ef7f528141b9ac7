//! The smallest load of a fractional routing of tiny problems, from a list of all paths. It uses no shortest paths.

use lockstep_schedule::{Problem, Routing, Switching};
use lockstep_topology::{ChannelId, NodeId};

/// Returns the largest load of the best fractional routing of all scatter messages; `None` if there are too many paths.
///
/// By duality, it is the largest sum of distances of all messages. No distance exceeds the lengths along any path, and
/// the sum of the lengths times their capacities is 1.
pub(crate) fn fractional_steps(problem: &Problem<'_>) -> Option<f64> {
    let (topology, messages) = (problem.topology(), problem.messages());
    let (resources, terminals) = (topology.resource_count(), topology.terminal_count());
    let has_ports = problem.model().switching == Switching::StoreAndForward;
    let ports = |channels: &[ChannelId]| problem.model().ports.of_degree(channels.len()) as f64;
    let capacities = (0..resources).map(|_| 1.0);
    let sends = topology.terminals().iter().map(|&terminal| ports(topology.out_channels(terminal)));
    let receptions = topology.terminals().iter().map(|&terminal| ports(topology.in_channels(terminal)));
    let capacities: Vec<f64> = capacities.chain(sends).chain(receptions).collect();
    let rank = |node| topology.terminal_rank(node).unwrap_or(0);

    let (first, columns) = (messages.len(), messages.len() + capacities.len());
    let mut rows = Vec::new();
    let mut all = vec![0.0; columns + 1];
    all[first..columns].copy_from_slice(&capacities);
    all[columns] = 1.0;
    rows.push(all);
    for message in messages.ids() {
        let (source, receiver) = (messages.source(message), messages.receivers_iter(message).next()?);
        for path in paths(problem, source, receiver) {
            let mut row = vec![0.0; columns + 1];
            row[message.index()] = 1.0;
            for channel in path {
                row[first + topology.resource(channel).index()] -= 1.0;
                if has_ports {
                    row[first + resources + rank(topology.tail(channel))] -= 1.0;
                    row[first + resources + terminals + rank(topology.head(channel))] -= 1.0;
                }
            }
            rows.push(row);
        }
    }
    let gain: Vec<f64> = (0..columns).map(|column| f64::from(u8::from(column < first))).collect();
    (rows.len() <= 200).then(|| maximum(rows, gain))
}

/// Returns all paths of messages from one terminal to another, also over other terminals if these relay messages.
fn paths(problem: &Problem<'_>, source: NodeId, receiver: NodeId) -> Vec<Vec<ChannelId>> {
    let (topology, model) = (problem.topology(), problem.model());
    let (forward, relays) = (model.switching == Switching::StoreAndForward, !model.is_direct());
    let passes = |node: NodeId| !forward && topology.routes(node) || relays && topology.is_terminal(node);
    let is_open = |node: NodeId| topology.is_terminal(node) || !forward;
    let (mut found, mut open) = (Vec::new(), vec![(source, Vec::new(), vec![source])]);
    while let Some((node, path, visited)) = open.pop() {
        if node == receiver {
            found.push(path);
        } else if node == source || passes(node) {
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if !visited.contains(&head) && is_open(head) {
                    let longer = path.iter().copied().chain([channel]).collect();
                    open.push((head, longer, visited.iter().copied().chain([head]).collect()));
                }
            }
        }
    }
    if model.is_direct() && model.routing == Routing::Minimal {
        let shortest = found.iter().map(Vec::len).min();
        found.retain(|path| Some(path.len()) == shortest);
    }
    found
}

/// Returns the maximum of `gain * x` with `x >= 0`, where `row * x` is at most the last entry of each row, which is not
/// negative.
///
/// This is the simplex method with the rule of Bland, which does not cycle.
fn maximum(mut rows: Vec<Vec<f64>>, mut gain: Vec<f64>) -> f64 {
    const TINY: f64 = 1e-9;
    let columns = gain.len();
    // Each row has a slack variable, which is basic at first.
    let mut in_row: Vec<usize> = (columns..columns + rows.len()).collect();
    let mut in_column: Vec<usize> = (0..columns).collect();
    gain.push(0.0);
    loop {
        let entering = (0..columns).filter(|&column| gain[column] > TINY).min_by_key(|&column| in_column[column]);
        let Some(column) = entering else { return -gain[columns] };
        let leaving = (0..rows.len()).filter(|&row| rows[row][column] > TINY).min_by(|&a, &b| {
            let ratio = |row: usize| rows[row][columns] / rows[row][column];
            if (ratio(a) - ratio(b)).abs() <= TINY { in_row[a].cmp(&in_row[b]) } else { ratio(a).total_cmp(&ratio(b)) }
        });
        let row = leaving.expect("distances are at most lengths, and these are bounded");
        std::mem::swap(&mut in_row[row], &mut in_column[column]);
        let pivot = rows[row][column];
        rows[row][column] = 1.0;
        rows[row].iter_mut().for_each(|entry| *entry /= pivot);
        let by = rows[row].clone();
        let others = rows.iter_mut().enumerate().filter(|(place, _)| *place != row).map(|(_, other)| other);
        for other in others.chain([&mut gain]) {
            let times = std::mem::take(&mut other[column]);
            other.iter_mut().zip(&by).for_each(|(entry, by)| *entry -= times * by);
        }
    }
}
