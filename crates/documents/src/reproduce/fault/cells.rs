//! Our plans for every fault, under every rule of routing and scatter.

use std::time::Instant;

use anyhow::Result;
use lockstep::faults::FaultSpace;
use lockstep::schedule::{Routing, ScatterRule};
use lockstep::{
    Budget, Collective, CollectiveName, CommunicationModel, Plan, PlanOptions, Planner, Problem, Topology, load,
};

use super::figures::Table;

/// Evaluations of one plan, should it have to search.
const EVALUATIONS: u64 = 1 << 20;

/// The collectives in the document's order.
pub(super) const COLLECTIVES: [CollectiveName; 4] =
    [CollectiveName::Broadcast, CollectiveName::AllGather, CollectiveName::Scatter, CollectiveName::AllToAll];

/// The rules of a cell; the document's first.
pub(super) const RULES: [(Routing, ScatterRule); 4] = [
    (Routing::Minimal, ScatterRule::Direct),
    (Routing::Any, ScatterRule::Direct),
    (Routing::Minimal, ScatterRule::Relay),
    (Routing::Any, ScatterRule::Relay),
];

/// All rows of a table.
pub(super) struct Reproduced<'a> {
    pub(super) table: &'a Table,
    pub(super) rows: Vec<Row>,
}

/// One fault.
pub(super) struct Row {
    /// Its name; `none` for the whole network.
    pub(super) fault: String,
    /// By collective and root.
    pub(super) cells: Vec<Cell>,
}

/// One collective from one root.
pub(super) struct Cell {
    pub(super) collective: CollectiveName,
    /// Name of the root, where there is one.
    pub(super) root: Option<String>,
    /// The document's figure; `None` where its root has failed.
    pub(super) document: Option<u32>,
    /// By rules, as many as make a difference; none where the root has failed.
    pub(super) figures: Vec<Figure>,
}

/// A verified plan.
pub(super) struct Figure {
    pub(super) steps: u32,
    pub(super) bound: u32,
    pub(super) rule: String,
    /// What proves the bound, in words.
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

/// How a figure of the document compares with what is proved and what is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// The very optimum.
    Right,
    /// More steps than a verified schedule has.
    Beaten,
    /// Fewer steps than any schedule can have.
    Impossible,
}

impl Cell {
    /// Under the document's rules.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        let (document, figure) = (self.document?, self.figures.first()?);
        Some(match document {
            _ if document > figure.steps => Verdict::Beaten,
            _ if document < figure.bound => Verdict::Impossible,
            _ => Verdict::Right,
        })
    }
}

/// All rows of a table, the whole network first; with `quick` only the faults that the document names.
pub(super) fn reproduce(table: &Table, seed: u64, quick: bool) -> Result<Reproduced<'_>> {
    let whole = load(&table.spec)?;
    let begin = Instant::now();
    let mut rows = vec![row(table, &whole, &whole, "none".to_owned(), seed)?];
    if let Some(kind) = table.kind() {
        for faults in FaultSpace::new(&whole, kind, 1).iter() {
            let name = faults.name(&whole);
            if !quick || table.names(&name) {
                rows.push(row(table, &whole, &faults.apply_to(&whole)?, name, seed)?);
            }
        }
    }
    eprintln!("Table {} {}: {} rows, {:?}", table.number, table.name, rows.len(), begin.elapsed());
    Ok(Reproduced { table, rows })
}

fn row(table: &Table, whole: &Topology, network: &Topology, fault: String, seed: u64) -> Result<Row> {
    let mut cells = Vec::new();
    for collective in COLLECTIVES {
        let roots = if collective.has_root() { &table.roots[..] } else { &table.roots[..1] };
        for (place, root) in roots.iter().enumerate() {
            let root = if collective.has_root() { Some(root) } else { None };
            let node = root.and_then(|root| whole.node_named(root));
            let has_failed = node.is_some_and(|node| network.has_failed(node));
            let figures = if has_failed { Vec::new() } else { figures(network, &collective.with_root(node)?, seed)? };
            let document = table.steps(&fault, collective.abbreviation(), place).filter(|_| !has_failed);
            cells.push(Cell { collective, root: root.cloned(), document, figures });
        }
    }
    Ok(Row { fault, cells })
}

/// A plan for each rule; for a broadcast, scatter rules make no difference.
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
