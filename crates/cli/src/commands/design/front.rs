//! Output of fronts: text, JSON file, picture.

use std::path::Path;

use lockstep::design::{Design, Front};
use lockstep_report::Table;

use super::plot;
use crate::args::{FrontArgs, Verbosity};
use crate::metrics;
use crate::output::{self, Output};
use crate::text::{Sheet, counted, scores};

/// Maximum number of designs in a printed list.
const MAX_LISTED: usize = 256;
/// Maximum length of a cabling code in a table.
const MAX_CODE: usize = 64;

/// The files that a front is written to.
pub(super) struct FrontOutputs {
    /// The front as JSON.
    pub(super) file: Option<Output>,
    /// Its picture.
    pub(super) plot: Option<Output>,
}

/// Returns an error if the extension of an output file is not that of a front.
pub(super) fn check(path: Option<&Path>) -> anyhow::Result<()> {
    output::check_extension(path, &["json"], "a front is written as JSON; name the file .json, or draw it with --plot")
}

/// Writes and prints a front, as the options say. `sheet` describes its search.
pub(super) fn deliver(
    front: &Front,
    sheet: Sheet,
    outputs: FrontOutputs,
    args: &FrontArgs,
    verbosity: Verbosity,
) -> anyhow::Result<()> {
    let FrontOutputs { file, plot } = outputs;
    let is_data = [&file, &plot].into_iter().flatten().any(Output::is_standard);
    if let Some(file) = file {
        file.write(&front.to_json())?;
    }
    if let Some(plot) = plot {
        let is_page = args.plot.as_deref().is_some_and(output::is_page);
        plot.write(&if is_page { plot::page(front) } else { plot::picture(front) })?;
    }
    match &args.output {
        _ if is_data => Ok(()),
        _ if args.json => output::print(&front.to_json()),
        Some(_) if verbosity.quiet => Ok(()),
        _ => output::print(&to_text(front, sheet, args)),
    }
}

fn to_text(front: &Front, mut sheet: Sheet, args: &FrontArgs) -> String {
    sheet.line("front", counted(front.designs().len(), "design"));
    for (what, file) in [("written to", &args.output), ("drawn to", &args.plot)] {
        if let Some(file) = file {
            sheet.line(what, file.display().to_string());
        }
    }
    let designs = &front.designs()[..front.designs().len().min(MAX_LISTED)];
    let more = match front.designs().len() - designs.len() {
        0 => String::new(),
        more => format!("and {more} more; use --json or --output for all\n"),
    };
    format!("{}\n{}{more}", sheet.to_text(), table(front, designs, args.output.is_none()))
}

/// Returns the scores of designs as a table, with their cabling codes if no file holds them.
fn table(front: &Front, designs: &[Design], with_codes: bool) -> String {
    let objectives = front.objectives().iter();
    let names = objectives.map(|objective| format!("{} ({})", objective.name, metrics::better(objective.sense)));
    let code = with_codes.then(|| "code".to_owned());
    let mut table = Table::new(std::iter::once("number".to_owned()).chain(names).chain(code));
    let column = |place: usize| scores(&designs.iter().map(|design| design.scores[place]).collect::<Vec<_>>());
    let columns: Vec<_> = (0..front.objectives().len()).map(column).collect();
    for (row, design) in designs.iter().enumerate() {
        let number = (row + 1).to_string();
        let code = with_codes.then(|| shortened(&design.code.to_string()));
        let cells = columns.iter().map(|column| column[row].clone());
        table.push(std::iter::once(number).chain(cells).chain(code));
    }
    table.to_text()
}

fn shortened(code: &str) -> String {
    let end = code.len().min(MAX_CODE);
    if end < code.len() { format!("{}...", &code[..end]) } else { code.to_owned() }
}
