//! The problems that the search supports.

use lockstep_schedule::{NotFound, Phase, Problem, Switching};

/// Name of the engine in messages.
pub(crate) const ENGINE: &str = "umda";

/// The largest number of deliveries of a problem. The occupancy counts the users of a cell in 16 bits.
pub const MAX_DELIVERIES: u64 = i16::MAX as u64;

/// The largest number of cells of the occupancy: resources times steps.
const MAX_CELLS: u64 = 1 << 26;

pub(super) fn unsupported(why: String) -> NotFound {
    NotFound::Unsupported { engine: ENGINE, why }
}

/// Verifies that genes can express the problem.
pub(super) fn check_encoding(problem: &Problem) -> Result<(), NotFound> {
    if problem.collective().phases() != [Phase::Distribute] {
        let why = "a collecting phase has no encoding; plan the reversed collective on the reversed network";
        return Err(unsupported(why.to_owned()));
    }
    if problem.model().switching == Switching::StoreAndForward && problem.messages().is_scatter() {
        let why = "a scatter message makes one transfer, which store-and-forward cuts into hops";
        return Err(unsupported(why.to_owned()));
    }
    Ok(())
}

/// Verifies that the tables of the search stay within their limits.
pub(super) fn check_size(problem: &Problem, resources: usize, step_count: u32) -> Result<(), NotFound> {
    let (messages, terminals) = (problem.messages(), problem.topology().terminal_count());
    let deliveries = messages.delivery_count();
    if deliveries > MAX_DELIVERIES {
        return Err(unsupported(format!("{deliveries} deliveries are more than {MAX_DELIVERIES}")));
    }
    if !messages.is_scatter() && messages.len() as u64 * terminals as u64 > MAX_CELLS {
        let why = format!("{} messages among {terminals} terminals are too many", messages.len());
        return Err(unsupported(why));
    }
    let cells = resources.max(terminals) as u64 * u64::from(step_count);
    if cells > MAX_CELLS {
        let why = format!("{cells} cells of resource and step are more than {MAX_CELLS}; plan fewer steps");
        return Err(unsupported(why));
    }
    Ok(())
}
