//! The example tables of the lecture.

use anyhow::{Context, Result};
use lockstep::analytic::hypercube::{Numbering, all_gather_program, all_to_all_program};
use lockstep::schedule::Ports;
use lockstep_report::Table;

use super::figures::Figures;

/// The node of the 4-cube whose routing table is shown.
const NODE: u64 = 0b0110;

/// The example tables, computed by our constructions.
pub(super) struct LectureTables {
    /// The space 0..31: classes with their nodes, numbers and links.
    pub(super) division: Table,
    /// `m(t)` on the 4-cube: the figures of the lecture and ours.
    pub(super) links: Table,
    pub(super) links_agree: bool,
    /// One row per round, one column per link.
    pub(super) routing: Table,
    /// By dimension: the packets that node 0 sends and forwards in the all-to-all.
    pub(super) exchange: Vec<(u32, Table)>,
}

impl LectureTables {
    pub(super) fn new(figures: &Figures) -> Result<Self> {
        let (links, links_agree) = links(figures)?;
        Ok(Self {
            division: division(5)?,
            links,
            links_agree,
            routing: routing()?,
            exchange: [3, 4]
                .into_iter()
                .map(|dimension| Ok((dimension, exchange(dimension)?)))
                .collect::<Result<_>>()?,
        })
    }
}

fn numbering(dimension: u32) -> Result<Numbering> {
    Numbering::new(dimension).with_context(|| format!("no numbering of dimension {dimension}"))
}

fn division(dimension: u32) -> Result<Table> {
    let numbering = numbering(dimension)?;
    let mut table = Table::new(["class", "nodes t", "n(t)", "m(t)"]);
    let mut number = 0;
    table.push(["{0}".to_owned(), binary(0, dimension), "0".to_owned(), String::new()]);
    for class in numbering.classes() {
        let numbers: Vec<u32> = (0..class.nodes.len() as u32).map(|place| number + 1 + place).collect();
        number += class.nodes.len() as u32;
        table.push([
            format!("R({},{})", class.ones, class.place),
            joined(class.nodes.iter().map(|&node| binary(node.into(), dimension))),
            joined(numbers.iter().map(u32::to_string)),
            joined(numbers.iter().map(|&number| (numbering.link(number) + 1).to_string())),
        ]);
    }
    Ok(table)
}

fn links(figures: &Figures) -> Result<(Table, bool)> {
    let numbering = numbering(4)?;
    let mut table = Table::new(["t", "n(t)", "m(t)", "lecture"]);
    let mut agree = numbering.nodes().len() == figures.links_of_the_4_cube.len() + 1;
    for (number, &node) in (1..).zip(&numbering.nodes()[1..]) {
        let (name, link) = (binary(node.into(), 4), numbering.link(number) + 1);
        let printed = figures.links_of_the_4_cube.get(&name).copied();
        agree &= printed == Some(link);
        let printed = printed.map_or_else(String::new, |printed| printed.to_string());
        table.push([name, number.to_string(), link.to_string(), printed]);
    }
    Ok((table, agree))
}

fn routing() -> Result<Table> {
    let program = all_gather_program(4, Ports::All, NODE).context("no routing table")?;
    let links = (1..=4).map(|link| format!("link {link}"));
    let mut table = Table::new(["round".to_owned()].into_iter().chain(links));
    for round in 0..program.round_count() {
        let mut cells = vec![String::new(); 4];
        for send in program.round(round) {
            cells[usize::from(send.path[0])] = binary(send.source, 4);
        }
        table.push([(round + 1).to_string()].into_iter().chain(cells));
    }
    Ok(table)
}

fn exchange(dimension: u32) -> Result<Table> {
    let program = all_to_all_program(dimension, Ports::All, 0).context("no all-to-all program")?;
    let links = (1..=dimension).map(|link| format!("link {link}"));
    let mut table = Table::new(["round".to_owned()].into_iter().chain(links));
    for round in 0..program.round_count() {
        let mut cells = vec![String::new(); dimension as usize];
        for send in program.round(round) {
            let receiver = binary(send.receiver.unwrap_or_default(), dimension);
            let is_forwarded = send.source != program.node();
            let source = if is_forwarded { format!(" of {}", binary(send.source, dimension)) } else { String::new() };
            cells[usize::from(send.path[0])] = receiver + &source;
        }
        table.push([(round + 1).to_string()].into_iter().chain(cells));
    }
    Ok(table)
}

fn binary(node: u64, dimension: u32) -> String {
    format!("{node:0width$b}", width = dimension as usize)
}

fn joined(words: impl Iterator<Item = String>) -> String {
    words.collect::<Vec<_>>().join(" ")
}
