//! Our plans for each fault, under all rules of routing and scatter.

use anyhow::Result;
use lockstep::faults::FaultSpace;
use lockstep::schedule::{Routing, ScatterRule};
use lockstep::{
    Budget, Collective, CollectiveName, CommunicationModel, Plan, PlanOptions, Planner, Problem, Topology, load,
};

use super::figures::Table;

/// Evaluations per plan.
const EVALUATIONS: u64 = 1 << 20;

/// The collectives in the order of the paper.
pub(super) const COLLECTIVES: [CollectiveName; 4] =
    [CollectiveName::Broadcast, CollectiveName::AllGather, CollectiveName::Scatter, CollectiveName::AllToAll];

/// The rules of a cell, those of the paper first.
pub(super) const RULES: [(Routing, ScatterRule); 4] = [
    (Routing::Minimal, ScatterRule::Direct),
    (Routing::Any, ScatterRule::Direct),
    (Routing::Minimal, ScatterRule::Relay),
    (Routing::Any, ScatterRule::Relay),
];

/// All rows of a table.
pub(super) struct ReproducedTable<'a> {
    pub(super) table: &'a Table,
    pub(super) rows: Vec<FaultRow>,
}

/// The cells of one fault.
pub(super) struct FaultRow {
    /// The name of the fault; `none` for the network without faults.
    pub(super) fault: String,
    /// By collective and root.
    pub(super) cells: Vec<Cell>,
}

/// One collective from one root.
pub(super) struct Cell {
    pub(super) collective: CollectiveName,
    /// Name of the root of a rooted collective.
    pub(super) root: Option<String>,
    /// The published figure; `None` if the root has failed.
    pub(super) published: Option<u32>,
    /// By rules, without those that make no difference; empty if the root has failed.
    pub(super) figures: Vec<Figure>,
}

/// A verified plan.
pub(super) struct Figure {
    pub(super) steps: u32,
    pub(super) bound: u32,
    pub(super) rule: String,
    /// The certificate of the bound, in words.
    pub(super) why: String,
    pub(super) finder: String,
}

impl Figure {
    fn new(plan: &Plan) -> Self {
        let bound = plan.lower_bound();
        Self {
            steps: plan.step_count(),
            bound: bound.steps,
            rule: bound.rule.to_string(),
            why: bound.certificate.explain(plan.topology()).to_string(),
            finder: plan.engine().to_owned(),
        }
    }

    pub(super) fn is_optimal(&self) -> bool {
        self.steps == self.bound
    }
}

/// Comparison of a published figure with our figure and its bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// The optimum.
    Right,
    /// More steps than a verified schedule.
    Beaten,
    /// Fewer steps than the lower bound.
    Impossible,
}

impl Cell {
    /// Returns the verdict under the rules of the paper.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        let (published, figure) = (self.published?, self.figures.first()?);
        Some(match published {
            _ if published > figure.steps => Verdict::Beaten,
            _ if published < figure.bound => Verdict::Impossible,
            _ => Verdict::Right,
        })
    }
}

/// Reproduces all rows of a table, first that without faults; with `quick` only the faults that the paper names.
pub(super) fn reproduce(table: &Table, seed: u64, quick: bool) -> Result<ReproducedTable<'_>> {
    let whole = load(&table.spec)?;
    let mut rows = vec![row(table, &whole, &whole, "none".to_owned(), seed)?];
    if let Some(kind) = table.kind() {
        for faults in FaultSpace::new(&whole, kind, 1).iter() {
            let name = faults.name(&whole);
            if !quick || table.names(&name) {
                rows.push(row(table, &whole, &faults.apply_to(&whole)?, name, seed)?);
            }
        }
    }
    Ok(ReproducedTable { table, rows })
}

fn row(table: &Table, whole: &Topology, network: &Topology, fault: String, seed: u64) -> Result<FaultRow> {
    let mut cells = Vec::new();
    for collective in COLLECTIVES {
        let roots = if collective.has_root() { &table.roots[..] } else { &table.roots[..1] };
        for (place, root) in roots.iter().enumerate() {
            let root = if collective.has_root() { Some(root) } else { None };
            let node = root.and_then(|root| whole.node_named(root));
            let has_failed = node.is_some_and(|node| network.has_failed(node));
            let figures = if has_failed { Vec::new() } else { figures(network, &collective.with_root(node)?, seed)? };
            let published = table.steps(&fault, collective.abbreviation(), place).filter(|_| !has_failed);
            cells.push(Cell { collective, root: root.cloned(), published, figures });
        }
    }
    Ok(FaultRow { fault, cells })
}

/// Returns the plans under each rule. For a broadcast, scatter rules make no difference.
fn figures(network: &Topology, collective: &Collective, seed: u64) -> Result<Vec<Figure>> {
    let of = |(routing, scatter)| {
        let model = CommunicationModel { routing, scatter, ..CommunicationModel::wormhole() };
        let problem = Problem::new(network, collective, model)?;
        let plan = Planner::new(problem, PlanOptions::auto(seed)).run(&Budget::evaluations(EVALUATIONS), |_| {})?;
        Ok(Figure::new(&plan))
    };
    let is_scatter = matches!(collective.name(), Some(CollectiveName::Scatter | CollectiveName::AllToAll));
    let rules = if is_scatter { &RULES[..] } else { &RULES[..2] };
    rules.iter().copied().map(of).collect()
}
