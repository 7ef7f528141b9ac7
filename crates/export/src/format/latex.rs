//! LaTeX: a table of the steps, with the transfers of each one by sender.
//!
//! A transfer is the name of its message, an arrow and the terminals and switches of its path.

use lockstep_schedule::{Transfer, verify};
use lockstep_topology::Topology;

use super::text::Text;
use crate::error::{ExportError, LowerError};
use crate::export::{Export, ExportFile, Format};

pub(super) const FORMAT: Format = Format {
    name: "latex",
    about: "table of the steps for documents, with the packages booktabs and longtable",
    extension: "tex",
    limits: "",
    write,
};

const HEAD: &str = "\\begin{longtable}{r l p{0.75\\linewidth}}
\\toprule
step & width & transfers (message: path) \\\\
\\midrule
\\endhead
\\bottomrule
\\endlastfoot
";

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let (problem, schedule) = (&export.problem, export.schedule);
    verify(problem, schedule).map_err(|violation| LowerError::Invalid(Box::new(violation)))?;
    let mut text = Text::default();
    text.line(format_args!("% {}. Needs \\usepackage{{booktabs,longtable}}.", export.title()));
    text.push(HEAD);
    for (number, step) in schedule.steps() {
        let transfers: Vec<String> = step.iter().map(|transfer| words(problem.topology(), transfer)).collect();
        let (number, width, transfers) = (number + 1, step.width(), transfers.join(", \\allowbreak "));
        text.line(format_args!("{number} & {width} & \\raggedright {transfers} \\tabularnewline"));
    }
    text.push("\\end{longtable}\n");
    Ok(ExportFile::only(text.into_string()))
}

fn words(topology: &Topology, transfer: Transfer<'_>) -> String {
    let Some(&first) = transfer.path.first() else { return String::new() };
    let heads = transfer.path.iter().map(|&channel| topology.head(channel));
    let nodes = std::iter::once(topology.tail(first)).chain(heads);
    let names: Vec<String> = nodes.map(|node| escaped(topology.node_name(node))).collect();
    format!("{}: {}", transfer.message.number(), names.join("$\\to$"))
}

/// Returns a name in which no character is a command.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for character in name.chars() {
        match character {
            '\\' => escaped += "\\textbackslash{}",
            '~' => escaped += "\\textasciitilde{}",
            '^' => escaped += "\\textasciicircum{}",
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => escaped.extend(['\\', character]),
            character if character.is_control() => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_of_a_name_is_a_command() {
        assert_eq!(escaped("a_b\\{%}\n~^"), "a\\_b\\textbackslash{}\\{\\%\\} \\textasciitilde{}\\textasciicircum{}");
    }
}
