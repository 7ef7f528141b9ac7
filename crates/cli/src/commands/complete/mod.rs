//! `lockstep complete`: the words that can stand at the end of an unfinished command line, for the scripts of shells.
//!
//! Each line of the output is a word, or a word, a tab and its description. The line `:files` stands for file names.

mod candidate;
mod line;
mod values;

use clap::{Arg, ArgAction, Command, CommandFactory};
use lockstep::files::one_line;

use self::candidate::{Candidate, FILES, about};
use self::line::{Line, Place};
use crate::args::{Args, CompleteArgs};
use crate::exit_status::ExitStatus;
use crate::output;

/// The maximum number of words. Shells ask before they show more than about 100.
const MAX_WORDS: usize = 1000;

pub(crate) fn run(args: &CompleteArgs) -> anyhow::Result<ExitStatus> {
    let mut text = String::new();
    for Candidate { word, about } in candidates(&args.words) {
        text += &one_line(&word);
        if !about.is_empty() {
            text.push('\t');
            text += &one_line(&about);
        }
        text.push('\n');
    }
    output::print(&text)?;
    Ok(ExitStatus::Success)
}

/// Returns what can replace the last of the words. The first word is the program.
fn candidates(words: &[String]) -> Vec<Candidate> {
    let mut program = Args::command();
    program.build();
    let line = Line::read(&program, words);
    let found = match &line.place {
        Place::Option => options(line.command),
        Place::Value(argument) => values::of_argument(argument, &line),
        Place::Word => {
            let mut found = subcommands(line.command);
            let position = line.position;
            let positional = line.command.get_positionals().nth(position).or_else(|| {
                line.command.get_positionals().last().filter(|last| matches!(last.get_action(), ArgAction::Append))
            });
            found.extend(positional.into_iter().flat_map(|argument| values::of_argument(argument, &line)));
            found
        }
    };
    let fits = |candidate: &Candidate| candidate.word == FILES || candidate.word.starts_with(&line.current);
    let whole = |candidate: Candidate| {
        if candidate.word == FILES {
            return candidate;
        }
        Candidate { word: format!("{}{}", line.prefix, candidate.word), ..candidate }
    };
    found.into_iter().filter(fits).take(MAX_WORDS).map(whole).collect()
}

fn subcommands(command: &Command) -> Vec<Candidate> {
    let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
    visible.map(|command| Candidate::new(command.get_name(), about(command.get_about()))).collect()
}

fn options(command: &Command) -> Vec<Candidate> {
    let visible = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let option = |argument: &Arg| {
        let long = argument.get_long()?;
        Some(Candidate::new(format!("--{long}"), about(argument.get_help())))
    };
    visible.filter_map(option).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the words that complete a command line. Its last word ends at the end of the text.
    fn words(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        candidates(&words).into_iter().map(|candidate| candidate.word).collect()
    }

    #[test]
    fn commands_and_options_are_completed() {
        assert_eq!(words("lockstep pl"), ["plan"]);
        assert_eq!(words("lockstep faults loo"), ["lookup", FILES]);
        assert!(!words("lockstep ").contains(&"complete".to_owned()), "a hidden command");
        assert_eq!(words("lockstep plan ring:8 --fail-n"), ["--fail-node", "--fail-nic"]);
        assert_eq!(words("lockstep plan --max-m"), ["--max-memory"]);
    }

    #[test]
    fn values_have_the_words_of_their_kind_and_no_file_names() {
        assert_eq!(words("lockstep plan ring:8 -c all-"), ["all-gather", "all-to-all", "all-reduce"]);
        assert_eq!(words("lockstep plan ring:8 --collective=reduce-"), ["--collective=reduce-scatter"]);
        assert_eq!(words("lockstep plan ring:8 -qcscat"), ["-qcscatter"]);
        assert_eq!(words("lockstep plan ring:8 --engine c"), ["construct"]);
        assert_eq!(words("lockstep plan ring:8 --switching w"), ["wormhole"]);
        assert_eq!(words("lockstep plan x.xml --from nccl"), ["nccl-topo"]);
        assert_eq!(words("lockstep export p.json --to perf"), ["perfetto"]);
        assert_eq!(words("lockstep simulate ring:8 --workload phased"), ["phased", "phased:"]);
        assert_eq!(words("lockstep simulate ring:8 --routing sp"), ["sp-tree", "sp-random"]);
        assert_eq!(words("lockstep plan ring:8 --seed "), Vec::<String>::new());
    }

    #[test]
    fn networks_are_families_or_files() {
        assert_eq!(words("lockstep plan folded-h"), ["folded-hypercube:", FILES]);
        assert_eq!(words("lockstep judge p.xml --network nvl"), ["nvl72", FILES]);
        assert_eq!(words("lockstep plan ring:8 -o "), [FILES]);
        assert_eq!(words("lockstep verify "), [FILES]);
    }

    #[test]
    fn nodes_are_those_of_the_network_that_stands_before() {
        assert_eq!(words("lockstep plan ring:4 -c broadcast --root "), ["0", "1", "2", "3"]);
        assert_eq!(words("lockstep plan -c broadcast dgx-a100:2 --fail-nic g1_7"), ["g1_7"]);
        assert_eq!(words("lockstep plan dgx-a100:2 --fail-link g0_3"), ["g0_3-V0", "g0_3-R3"]);
        assert_eq!(words("lockstep plan dgx-a100:2 --fail-link R3-g0"), ["R3-g0_3"]);
        assert_eq!(words("lockstep plan ring:3 --fail-channel=2-"), ["--fail-channel=2->0", "--fail-channel=2->1"]);
        assert_eq!(words("lockstep plan ring:3 --degrade-link 0-1"), ["0-1="]);
        assert_eq!(words("lockstep plan ring:4 -c all-gather --group 0,"), ["0,0", "0,1", "0,2", "0,3"]);
        assert_eq!(words("lockstep judge p.xml --network ring:3 --fail-node "), ["0", "1", "2"]);
        let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/render.in/broadcast.json");
        assert_eq!(words(&format!("lockstep simulate --schedule {plan} --fail-link a")), ["a-b"]);
        for no_network in ["lockstep plan no-such-network --root ", "lockstep plan --root ", "lockstep plan - --root "]
        {
            assert_eq!(words(no_network), Vec::<String>::new());
        }
    }
}
