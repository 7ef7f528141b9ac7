//! Cayley digraphs of metacyclic groups.

use super::definition::{Family, Parameter};
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const METACYCLIC: Family = Family {
    name: "metacyclic",
    aliases: &[],
    parameters: "ROWS,COLUMNS,MULTIPLIER,ELEMENT[,ELEMENT...]",
    example: "metacyclic:8,2,3,3,6",
    about: "Cayley digraph of a product of two cyclic groups, the second one acting on the first",
    cayley: None,
    generate: |parameters| {
        let (rows, rest) = parameters.first_and_rest()?;
        let [columns, multiplier, elements @ ..] = &rest[..] else {
            return Err(parameters.count_error("4 parameters or more".into(), 1 + rest.len()));
        };
        let elements: Vec<u32> = elements.iter().copied().map(Parameter::number).collect::<Result<_, _>>()?;
        Ok(metacyclic(rows.number()?, columns.number()?, multiplier.number()?, &elements)?)
    },
};

/// Generates the Cayley digraph of a split metacyclic group with these generators.
///
/// The elements of the group are the pairs `(a, i)` of a row and a column, and `(a, i) * (b, j)` is `(a + r^i * b, i + j)`
/// for the multiplier `r`, modulo the numbers of rows and columns. A channel leads from each element `v` to `v * g` for
/// each generator `g`. With multiplier 1, the group is abelian; in one column, the digraph is circulant.
///
/// - Nodes: `rows * columns` terminals, named by their numbers; `(a, i)` has number `columns * a + i`.
/// - Channels: one per node and generator, one-way, by tail, then by ascending generator.
/// - In-degree and out-degree: the number of generators. All nodes are alike (vertex-transitive). The digraph is strongly
///   connected if the generators generate the group. The diameter has no closed formula.
///
/// ```
/// let network = lockstep_topology::metacyclic(8, 2, 3, &[3, 6])?;
/// assert_eq!((network.node_count(), network.channel_count()), (16, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] for fewer than 2 elements, a multiplier outside `1..rows` or whose power `columns` is not 1
/// modulo `rows`, no generator, a generator that is no number of an element other than `(0, 0)`, or a repeated one;
/// [`FamilyError::Topology`] if the network is too large.
///
/// # Source
///
/// Comellas, Fiol, *Vertex-symmetric digraphs with small diameter*, Discrete Applied Mathematics 58 (1995), for Cayley
/// digraphs of such groups as networks.
pub fn metacyclic(rows: u32, columns: u32, multiplier: u32, generators: &[u32]) -> Result<Topology, FamilyError> {
    let spec = |rows: u32, columns: u32, multiplier: u32, generators: &[u32]| {
        let numbers = [rows, columns, multiplier].into_iter().chain(generators.iter().copied());
        format!("metacyclic:{}", numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(","))
    };
    let refused =
        |parameter, value: u64, needs: String, instead| Err(METACYCLIC.unsupported(parameter, value, needs, instead));
    for (parameter, value) in [("number of rows", rows), ("number of columns", columns)] {
        if value == 0 {
            return refused(parameter, 0, "1 or more".into(), spec(rows.max(2), columns.max(1), 1, &[1]));
        }
    }
    let order = u64::from(rows) * u64::from(columns);
    if order == 1 {
        return refused("number of rows", 1, "2 or more for 1 column".into(), spec(2, 1, 1, &[1]));
    }
    let mut sorted = generators.to_vec();
    sorted.sort_unstable();
    let name = spec(rows, columns, multiplier, &sorted);
    let mut network = TopologyBuilder::sized(name, order, order.saturating_mul(sorted.len() as u64))?;
    let powers = powers(rows, columns, multiplier);
    let Some(powers) = powers.filter(|_| multiplier >= 1 && multiplier < rows.max(2)) else {
        let needs = format!("a number below the {rows} rows whose power {columns} is 1 modulo {rows}");
        return refused("multiplier", multiplier.into(), needs, spec(rows, columns, 1, &[1]));
    };
    if sorted.is_empty() {
        return refused("number of generators", 0, "1 or more".into(), spec(rows, columns, multiplier, &[1]));
    }
    if let Some(&element) = sorted.iter().find(|&&element| element == 0 || u64::from(element) >= order) {
        let needs = format!("1 to {} for {order} nodes", order - 1);
        return refused("element", element.into(), needs, spec(rows, columns, multiplier, &[1]));
    }
    if let Some(&[element, _]) = sorted.array_windows().find(|[element, next]| element == next) {
        sorted.dedup();
        return refused(
            "repeated element",
            element.into(),
            "each once".into(),
            spec(rows, columns, multiplier, &sorted),
        );
    }
    numbered_terminals(&mut network, order as u32);
    for node in 0..order as u32 {
        let (row, column) = (node / columns, node % columns);
        let power = u64::from(powers[column as usize]);
        for &generator in &sorted {
            let (step, turn) = (u64::from(generator / columns), generator % columns);
            let head_row = (u64::from(row) + power * step) % u64::from(rows);
            let head_column = (u64::from(column) + u64::from(turn)) % u64::from(columns);
            let head = head_row * u64::from(columns) + head_column;
            network.channel(NodeId::new(node), NodeId::new(head as u32));
        }
    }
    network.positions(circle(order as u32));
    Ok(network.build()?)
}

/// Returns the powers 0 to `columns - 1` of the multiplier modulo `rows`, if the next one is 1 again.
fn powers(rows: u32, columns: u32, multiplier: u32) -> Option<Vec<u32>> {
    let rows = u64::from(rows);
    let next = |power: &u64| Some(power * u64::from(multiplier) % rows);
    let mut powers = std::iter::successors(Some(1 % rows), next);
    let first: Vec<u32> = powers.by_ref().take(columns as usize).map(|power| power as u32).collect();
    (powers.next() == Some(1 % rows)).then_some(first)
}
