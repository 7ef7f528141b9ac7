//! Verification of the published schedules: Tables 2 and 4.

use anyhow::{Context, Result, ensure};
use lockstep::paths::{PathId, PathTable, ShortestPaths};
use lockstep::schedule::{MessageId, Receivers};
use lockstep::{CollectiveName, CommunicationModel, NodeId, Problem, Schedule, Topology, load, verify};

use super::figures::DestinationTable;

/// A published schedule with its verdict.
pub(super) struct VerifiedSchedule {
    pub(super) spec: String,
    pub(super) collective: String,
    pub(super) steps: usize,
    pub(super) transfers: usize,
    /// The first violation, or `None` if the verifier accepts the schedule.
    pub(super) refusal: Option<String>,
    /// Number of swaps of two cells of a column.
    pub(super) swaps: usize,
    /// Swaps after which a terminal sends to itself, so that there is no path.
    pub(super) swaps_without_path: usize,
    /// Swaps after which the verifier refuses the schedule.
    pub(super) swaps_refused: usize,
}

impl VerifiedSchedule {
    /// Returns true if the schedule is accepted, and refused after each swap.
    pub(super) fn holds(&self) -> bool {
        self.refusal.is_none() && self.swaps_refused > 0 && self.swaps == self.swaps_without_path + self.swaps_refused
    }
}

/// Verifies a schedule, and each schedule that results from a swap of two cells of a column.
pub(super) fn verify_with_swaps(table: &DestinationTable) -> Result<VerifiedSchedule> {
    let topology = load(&table.spec)?;
    let collective = table.collective.parse::<CollectiveName>()?.with_root(None)?;
    let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole())?;
    let paths = PathTable::shortest(&ShortestPaths::all_pairs(&topology)?, usize::MAX, 0)?;
    let terminals = topology.terminal_count();
    let columns = table.rows.first().map_or(0, Vec::len);
    let whole = table.rows.len() == terminals && table.rows.iter().all(|row| row.len() == columns);
    ensure!(whole, "the table must have one row per terminal and one cell per step");

    let mut cells = table.rows.clone();
    let schedule = written(&problem, &paths, &cells)?.context("a terminal sends to itself")?;
    let refusal = verify(&problem, &schedule).err().map(|violation| violation.to_string());
    let (mut swaps, mut swaps_without_path, mut swaps_refused) = (0, 0, 0);
    for column in 0..columns {
        for first in 0..terminals {
            for second in first + 1..terminals {
                swap(&mut cells, column, first, second);
                swaps += 1;
                match written(&problem, &paths, &cells)? {
                    Some(schedule) => swaps_refused += usize::from(verify(&problem, &schedule).is_err()),
                    None => swaps_without_path += 1,
                }
                swap(&mut cells, column, first, second);
            }
        }
    }
    Ok(VerifiedSchedule {
        spec: table.spec.clone(),
        collective: table.collective.clone(),
        steps: columns,
        transfers: schedule.transfer_count(),
        refusal,
        swaps,
        swaps_without_path,
        swaps_refused,
    })
}

fn swap(cells: &mut [Vec<usize>], column: usize, first: usize, second: usize) {
    let cell = cells[first][column];
    cells[first][column] = cells[second][column];
    cells[second][column] = cell;
}

/// Returns the schedule that the cells describe, or `None` if a terminal sends to itself.
///
/// The paths of a step are shortest paths without conflicts, if there are such paths.
fn written(problem: &Problem, paths: &PathTable, cells: &[Vec<usize>]) -> Result<Option<Schedule>> {
    let topology = problem.topology();
    let terminals = topology.terminals();
    let mut schedule = Schedule::new();
    for column in 0..cells[0].len() {
        let mut pairs = Vec::new();
        for (source, row) in cells.iter().enumerate() {
            let destination = *terminals.get(row[column]).context("a destination is not a terminal")?;
            if destination == terminals[source] {
                return Ok(None);
            }
            pairs.push((terminals[source], destination));
        }
        let mut chosen = Vec::new();
        if !choose(topology, paths, &pairs, &mut vec![false; topology.resource_count()], &mut chosen) {
            chosen = pairs.iter().map(|&(source, target)| paths.between(source, target).start).collect();
        }
        schedule.begin_step();
        for (&(source, target), path) in pairs.iter().zip(chosen) {
            schedule.push(message(problem, source, target)?, paths.channels(PathId::new(path)));
        }
    }
    Ok(Some(schedule))
}

/// Chooses paths for the remaining pairs so that no resource is used twice; returns false if there is no choice.
fn choose(
    topology: &Topology,
    paths: &PathTable,
    pairs: &[(NodeId, NodeId)],
    busy: &mut [bool],
    chosen: &mut Vec<u32>,
) -> bool {
    let Some(&(source, target)) = pairs.get(chosen.len()) else { return true };
    for path in paths.between(source, target) {
        let resources = || paths.channels(PathId::new(path)).iter().map(|&channel| topology.resource(channel).index());
        if resources().any(|resource| busy[resource]) {
            continue;
        }
        resources().for_each(|resource| busy[resource] = true);
        chosen.push(path);
        if choose(topology, paths, pairs, busy, chosen) {
            return true;
        }
        chosen.pop();
        resources().for_each(|resource| busy[resource] = false);
    }
    false
}

/// Returns the message of `source` that `target` receives.
fn message(problem: &Problem, source: NodeId, target: NodeId) -> Result<MessageId> {
    let messages = problem.messages();
    let meant = |&message: &MessageId| {
        messages.source(message) == source
            && match messages.receivers(message) {
                Receivers::AllOthers => true,
                Receivers::One(receiver) => receiver == target,
                Receivers::List(receivers) => receivers.contains(&target),
            }
    };
    messages.ids().find(meant).context("the collective has no such message")
}
