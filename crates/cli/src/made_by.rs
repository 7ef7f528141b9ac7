//! The command that made a plan, without options that do not change the plan.

use std::env;
use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory};
use lockstep::MadeBy;
use lockstep::schedule::CollectiveName;

use crate::args::Args;

/// Headings of options that change what is printed and written, but not the plan.
const NOT_OF_THE_PLAN: [&str; 2] = ["Output", "Cost"];

/// Returns the version and the command of this process; `None` if the process is not the program `lockstep`, or one with
/// the same arguments.
pub(crate) fn made_by() -> Option<MadeBy> {
    let command = command(env::args_os())?;
    Some(MadeBy { version: env!("CARGO_PKG_VERSION").to_owned(), command })
}

/// Returns the command with the arguments that decide the plan, in the order of the help.
fn command(arguments: impl IntoIterator<Item = OsString>) -> Option<String> {
    let mut program = Args::command();
    program.build();
    let matches = program.try_get_matches_from_mut(arguments).ok()?;
    let mut words = vec![program.get_name().to_owned()];
    let (mut command, mut matches) = (&program, &matches);
    while let Some((name, of_subcommand)) = matches.subcommand() {
        (command, matches) = (command.find_subcommand(name)?, of_subcommand);
        words.push(name.to_owned());
        words.extend(of_command(command, matches));
    }
    Some(words.join(" "))
}

/// Returns the arguments of a command that decide the plan.
fn of_command(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let decides = |argument: &&Arg| {
        let is_given = matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine);
        let heading = argument.get_help_heading().unwrap_or_default();
        is_given && !argument.is_global_set() && !NOT_OF_THE_PLAN.contains(&heading)
    };
    command.get_arguments().filter(decides).flat_map(|argument| words(argument, matches)).collect()
}

/// Returns the words of an argument on the command line.
fn words(argument: &Arg, matches: &ArgMatches) -> Vec<String> {
    let option = argument.get_long().map(|long| format!("--{long}"));
    if !matches!(argument.get_action(), ArgAction::Set | ArgAction::Append) {
        return option.into_iter().collect();
    }
    let delimiter = argument.get_value_delimiter().unwrap_or(' ').to_string();
    let mut words = Vec::new();
    for occurrence in matches.get_raw_occurrences(argument.get_id().as_str()).into_iter().flatten() {
        let values: Vec<_> = occurrence.map(|value| value.to_string_lossy().into_owned()).collect();
        let value = canonical(argument, values.join(&delimiter));
        words.push(match &option {
            Some(option) if value.starts_with('-') => format!("{option}={}", quoted(&value)),
            Some(option) => format!("{option} {}", quoted(&value)),
            None => quoted(&value),
        });
    }
    words
}

/// Returns the value of an argument; of a collective, its name, of which users can type other forms.
fn canonical(argument: &Arg, value: String) -> String {
    if argument.get_id() != "collective" {
        return value;
    }
    value.parse().map_or(value, |name: CollectiveName| name.word().to_owned())
}

/// Returns a word of a shell, in single quotes if it has characters that a shell changes.
fn quoted(word: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./:=,%@+".contains(character);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made_by(words: &[&str]) -> Option<String> {
        command(words.iter().map(OsString::from))
    }

    #[test]
    fn the_command_has_all_that_decides_the_plan_and_nothing_else() {
        for words in [
            "lockstep plan ring:8 -c all-gather",
            "lockstep plan -o plan.json -qc all-gather ring:8 --max-memory 2GiB",
            "lockstep -v plan --collective=all-gather ring:8 --json --timing",
            "lockstep plan ring:8 -c ag",
            "lockstep plan ring:8 -c ALL_GATHER",
            "/usr/bin/lockstep plan ring:8 -call-gather --output=x.lsb --format binary --checkpoint c",
        ] {
            let words: Vec<&str> = words.split(' ').collect();
            assert_eq!(made_by(&words).as_deref(), Some("lockstep plan ring:8 --collective all-gather"), "{words:?}");
        }
    }

    #[test]
    fn values_are_quoted_for_a_shell_and_repeated_options_stay() {
        let words =
            ["lockstep", "plan", "a b.edges", "-c", "all-gather", "--fail-channel", "0->1", "--fail-node", "it's"];
        let made = "lockstep plan 'a b.edges' --collective all-gather --fail-channel '0->1' --fail-node 'it'\\''s'";
        assert_eq!(made_by(&words).as_deref(), Some(made));
        let words =
            ["lockstep", "plan", "ring:8", "--group", "0-3", "-c", "all-gather", "--group", "4-7", "--half-duplex"];
        let made = "lockstep plan ring:8 --collective all-gather --group 0-3 --group 4-7 --half-duplex";
        assert_eq!(made_by(&words).as_deref(), Some(made));
    }

    #[test]
    fn the_command_of_a_nested_command_and_of_other_programs() {
        let words = ["lockstep", "faults", "lookup", "b.lsb", "--fail-link", "0-1", "-o", "plan.json"];
        assert_eq!(made_by(&words).as_deref(), Some("lockstep faults lookup b.lsb --fail-link 0-1"));
        assert_eq!(made_by(&["test", "--exact", "name"]), None);
    }
}
