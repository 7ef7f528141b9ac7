//! An unfinished command line: its command, its values, and what its last word is.

use clap::{Arg, ArgAction, Command};

/// What stands at the end of a command line.
#[derive(Debug)]
pub(super) enum Place<'a> {
    /// The name of an option.
    Option,
    /// The value of an option.
    Value(&'a Arg),
    /// A subcommand or a positional argument.
    Word,
}

/// An unfinished command line.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// The command of the last word.
    pub(super) command: &'a Command,
    /// The values before the last word, with their arguments.
    pub(super) values: Vec<(&'a Arg, String)>,
    /// The number of positional arguments of the command before the last word.
    pub(super) position: usize,
    pub(super) place: Place<'a>,
    /// The part of the last word that stays, such as `--root=`.
    pub(super) prefix: String,
    /// The rest of the last word, which is completed.
    pub(super) current: String,
}

impl<'a> Line<'a> {
    /// Reads the words of a command line. The first one is the program.
    pub(super) fn read(program: &'a Command, words: &[String]) -> Self {
        let (current, before) =
            words.get(1..).and_then(<[String]>::split_last).map_or(("", &[][..]), |(last, before)| (last, before));
        let mut line = Self {
            command: program,
            values: Vec::new(),
            position: 0,
            place: Place::Word,
            prefix: String::new(),
            current: current.to_owned(),
        };
        let (mut waiting, mut only_positionals) = (None, false);
        for word in before {
            if let Some(argument) = waiting.take() {
                line.values.push((argument, word.clone()));
            } else if !only_positionals && word == "--" {
                only_positionals = true;
            } else if !only_positionals && word.len() > 1 && word.starts_with('-') {
                waiting = match line.option(word) {
                    Some((argument, start)) if start < word.len() => {
                        line.values.push((argument, word[start..].to_owned()));
                        None
                    }
                    option => option.map(|(argument, _)| argument),
                };
            } else {
                line.word(word, only_positionals);
            }
        }
        if let Some(argument) = waiting {
            line.place = Place::Value(argument);
        } else if !only_positionals && current.starts_with('-') {
            line.place = match line.option(current) {
                Some((argument, start)) if start < current.len() || current.ends_with('=') => {
                    current[..start].clone_into(&mut line.prefix);
                    current[start..].clone_into(&mut line.current);
                    Place::Value(argument)
                }
                _ => Place::Option,
            };
        }
        line
    }

    /// Returns the value of the last argument before the last word for which a condition holds.
    pub(super) fn value(&self, is_wanted: impl Fn(&Arg) -> bool) -> Option<&str> {
        self.values.iter().rev().find(|(argument, _)| is_wanted(argument)).map(|(_, value)| &**value)
    }

    /// Reads a subcommand or a positional argument.
    fn word(&mut self, word: &str, is_positional: bool) {
        let subcommand = if is_positional { None } else { self.command.find_subcommand(word) };
        if let Some(subcommand) = subcommand {
            (self.command, self.position) = (subcommand, 0);
            return;
        }
        if let Some(argument) = self.command.get_positionals().nth(self.position) {
            self.values.push((argument, word.to_owned()));
        }
        self.position += 1;
    }

    /// Returns the option in a word that has a value, and where the value starts in the word; the end if it is the next word.
    fn option(&self, word: &str) -> Option<(&'a Arg, usize)> {
        let with_value = |argument: &&'a Arg| matches!(argument.get_action(), ArgAction::Set | ArgAction::Append);
        if let Some(long) = word.strip_prefix("--") {
            let name = long.split_once('=').map_or(long, |(name, _)| name);
            let is_named = |argument: &&'a Arg| {
                let aliases = argument.get_all_aliases().unwrap_or_default();
                argument.get_long() == Some(name) || aliases.contains(&name)
            };
            let argument = self.command.get_arguments().find(is_named).filter(with_value)?;
            return Some((argument, (2 + name.len() + 1).min(word.len())));
        }
        for (place, letter) in word.char_indices().skip(1) {
            let argument = self.command.get_arguments().find(|argument| argument.get_short() == Some(letter))?;
            if with_value(&argument) {
                let end = place + letter.len_utf8();
                return Some((argument, end + usize::from(word[end..].starts_with('='))));
            }
        }
        None
    }
}
