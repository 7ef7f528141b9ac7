//! Files with lines such as `NCCL_RINGS="0 1 2 3|3 2 1 0"`: environments of RCCL.

use super::error::FormatError;
use super::order::{Order, Tree};
use super::{nccl_rings, rccl_trees};

/// The variables that are read.
const VARIABLES: [&str; 3] = ["NCCL_RINGS", "NCCL_RINGS_REMAP", "RCCL_TREES"];

/// The rings and trees of an environment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RcclEnvironment {
    /// The rings of `NCCL_RINGS`, otherwise of `NCCL_RINGS_REMAP`; empty if both are absent.
    pub rings: Vec<Order>,
    /// The trees of `RCCL_TREES`; empty if it is absent.
    pub trees: Vec<Tree>,
}

/// Returns true if the text names a variable of RCCL.
pub(super) fn looks_like(text: &str) -> bool {
    VARIABLES.iter().any(|name| text.contains(name))
}

/// Reads the assignments of a script or of a list of variables, and returns the rings and trees with notes on what RCCL does.
///
/// The last assignment of a variable counts, as in a shell. Comments begin with `#`.
///
/// # Errors
///
/// If there is no assignment, or the reader of its value refuses it.
pub fn read(text: &str) -> Result<(RcclEnvironment, Vec<String>), FormatError> {
    let mut notes = Vec::new();
    let mut values: [Option<(usize, &str)>; VARIABLES.len()] = [None; VARIABLES.len()];
    for (line, content) in (1..).zip(text.lines()) {
        for (name, value) in assignments(content, line)? {
            let place = &mut values[name];
            if place.is_some() {
                notes.push(format!(
                    "{} is set several times; the value of line {line} replaces the earlier one",
                    VARIABLES[name]
                ));
            }
            *place = Some((line, value));
        }
    }
    let rings_of = |place: Option<(usize, &str)>| place.map(|(line, value)| nccl_rings::read(value, line)).transpose();
    let rings = rings_of(values[0])?;
    let remapped = rings_of(values[1])?;
    let trees = values[2].map(|(line, value)| rccl_trees::read(value, line)).transpose()?;
    if trees.is_some() && rings.is_some() {
        notes.push("RCCL ignores NCCL_RINGS if RCCL_TREES is set: it searches rings".to_owned());
    }
    match (&rings, &remapped) {
        (Some(_), Some(_)) => notes.push("NCCL_RINGS_REMAP was not read, because NCCL_RINGS is set".to_owned()),
        (None, Some(_)) => {
            notes.push(
                "the numbers of NCCL_RINGS_REMAP are those of a model of RCCL, which may not be those of devices"
                    .to_owned(),
            );
        }
        _ => {}
    }
    if rings.is_none() && remapped.is_none() && trees.is_none() {
        let expected =
            format!("a line such as NCCL_RINGS=\"0 1 2 3|3 2 1 0\"; the variables are {}", VARIABLES.join(", "));
        return Err(FormatError::unexpected(1, "", expected));
    }
    Ok((RcclEnvironment { rings: rings.or(remapped).unwrap_or_default(), trees: trees.unwrap_or_default() }, notes))
}

/// Returns the assignments of a line: the place of each variable in [`VARIABLES`], and its value without quotes.
fn assignments(content: &str, line: usize) -> Result<Vec<(usize, &str)>, FormatError> {
    let mut found = Vec::new();
    let mut rest = content.trim_start();
    while !rest.is_empty() && !rest.starts_with('#') {
        let end = rest.find([' ', '\t', '=']).unwrap_or(rest.len());
        let name = VARIABLES.iter().position(|&variable| variable == &rest[..end]);
        let Some(after) = rest[end..].strip_prefix('=') else {
            if name.is_some() {
                let expected = "'=' directly after the name of the variable";
                return Err(FormatError::unexpected(line, rest, expected));
            }
            rest = rest[end..].trim_start();
            continue;
        };
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let (value, next) = match quote {
            Some(quote) => after[1..].split_once(quote).ok_or_else(|| {
                FormatError::unexpected(line, after, format!("{quote} at the end of the value, in the same line"))
            })?,
            None => after.split_at(after.find([' ', '\t']).unwrap_or(after.len())),
        };
        if let Some(name) = name {
            found.push((name, value));
        }
        rest = next.trim_start();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_variable_counts() {
        let text = "# rings\nNCCL_RINGS=\"0 1|1 0\"\nexport NCCL_RINGS='N0 0 1 N0' # new\nmpirun -x RCCL_TREES=(0(1)) A=\"b c\" x\n";
        let (environment, notes) = read(text).unwrap();
        assert_eq!(environment.rings, [Order { gpus: vec![0, 1], nics: Some([0, 0]) }]);
        assert_eq!(environment.trees, [Tree { root: 0, edges: vec![[0, 1]] }]);
        assert_eq!(
            notes,
            [
                "NCCL_RINGS is set several times; the value of line 3 replaces the earlier one",
                "RCCL ignores NCCL_RINGS if RCCL_TREES is set: it searches rings",
            ]
        );
    }

    #[test]
    fn rings_of_a_model_are_read_with_a_note() {
        let (environment, notes) = read("NCCL_RINGS_REMAP=\"0 1 2\"").unwrap();
        assert_eq!(environment.rings.len(), 1);
        assert!(notes[0].contains("of a model"), "{notes:?}");
        let (_, notes) = read("NCCL_RINGS=\"0 1\"\nNCCL_RINGS_REMAP=\"1 0\"").unwrap();
        assert_eq!(notes, ["NCCL_RINGS_REMAP was not read, because NCCL_RINGS is set"]);
    }

    #[test]
    fn wrong_lines_are_refused_with_their_number() {
        for (text, part) in [
            ("", "found nothing, expected a line such as NCCL_RINGS="),
            ("# NCCL_RINGS=\"0 1\"", "found nothing"),
            ("MY_NCCL_RINGS=\"0 1\"", "found nothing"),
            ("\nNCCL_RINGS=\"0 1", "line 2: found '\"0 1', expected \" at the end"),
            ("\nNCCL_RINGS = \"0 1\"", "line 2: found 'NCCL_RINGS = \"0 1\"', expected '='"),
            ("\nNCCL_RINGS=0 1", "line 2: found '0', expected a ring of at least two devices"),
            ("\n\nRCCL_TREES=\"(0(0))\"", "line 3: tree 0 has GPU 0 twice"),
        ] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
