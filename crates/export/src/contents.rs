//! The contents of the buffers before and after a collective.

use lockstep_schedule::Problem;

use crate::error::LowerError;
use crate::layout::Layout;
use crate::program::{Placement, Slot};

/// A chunk of a buffer of a rank, and the value in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// The rank.
    pub rank: u32,
    /// The place of the chunk.
    pub slot: Slot,
    /// The number of the value. Chunks of the same number belong together: in a reduction they are contributions to a sum
    /// or the sum itself, otherwise copies of the same data.
    pub value: u32,
}

/// The contents of the buffers before and after a collective: what a test fills in, and what it finds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// Number of values: the messages, and then the blocks that ranks keep for themselves.
    pub values: u32,
    /// The chunks before the collective, by rank.
    pub inputs: Vec<Place>,
    /// The chunks after the collective, by rank.
    pub results: Vec<Place>,
}

/// Returns the contents of the buffers of all ranks. A result of a reduction is the sum of all inputs with the same value.
///
/// # Errors
///
/// Returns a [`LowerError`] if the collective has no layout.
pub fn contents(problem: &Problem<'_>, placement: Placement) -> Result<Contents, LowerError> {
    let layout = Layout::new(problem, placement)?;
    let messages = problem.messages();
    let mut found = Contents { values: messages.len() as u32, inputs: Vec::new(), results: Vec::new() };
    for message in messages.ids() {
        let value = message.number();
        for rank in layout.origins(message) {
            let slot = layout.initial(message, rank);
            found.inputs.push(Place { rank, slot, value });
            found.results.extend(layout.kept(message, rank).map(|slot| Place { rank, slot, value }));
        }
        for rank in layout.goals(message) {
            found.results.push(Place { rank, slot: layout.goal(message, rank), value });
        }
    }
    for (rank, own) in
        (0..problem.topology().terminal_count() as u32).filter_map(|rank| Some((rank, layout.own_block(rank)?)))
    {
        for chunk in 0..own.count {
            let [from, to] = [own.from, own.to].map(|first| Slot { offset: first.offset + chunk, ..first });
            let value = found.values;
            found.inputs.push(Place { rank, slot: from, value });
            found.results.push(Place { rank, slot: to, value });
            found.values += 1;
        }
    }
    found.inputs.sort_unstable();
    found.results.sort_unstable();
    Ok(found)
}
