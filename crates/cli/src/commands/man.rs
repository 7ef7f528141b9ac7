//! `lockstep man`: pages for the manual of the system.

use std::fs;
use std::io::{self, Write};

use anyhow::Context;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::{Args, ManArgs};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::output;
use crate::text::path_name;

pub(crate) fn run(args: &ManArgs) -> anyhow::Result<ExitStatus> {
    let mut program = Args::command().disable_help_subcommand(true);
    program.build();
    let Some(directory) = args.output.as_deref() else {
        output::print_bytes(&page(&program)?)?;
        return Ok(ExitStatus::Success);
    };
    let mut pages = Vec::new();
    add_pages(&program, &mut pages)?;
    fs::create_dir_all(directory).with_context(|| format!("{}: cannot create the directory", path_name(directory)))?;
    let mut files = CommandFiles::new();
    for (name, page) in pages {
        let file = files.write("--output", &directory.join(format!("{name}.1")))?;
        file.write_bytes(&page, || String::from_utf8_lossy(&page).into_owned())?;
    }
    Ok(ExitStatus::Success)
}

/// Adds the page of a command and those of its subcommands.
fn add_pages(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    pages.push((name.to_owned(), page(command)?));
    for subcommand in command.get_subcommands() {
        add_pages(subcommand, pages)?;
    }
    Ok(())
}

/// Returns the page of a command.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(help) = command.get_after_long_help().or(command.get_after_help()) {
        // Without filling: the examples are columns of text.
        writeln!(page, ".SH EXAMPLES\n.nf\n{}\n.fi", unfilled(&help.to_string()))?;
    }
    if command.get_version().is_some() {
        man.render_version_section(&mut page)?;
    }
    Ok(page)
}

/// Returns lines of text in roff: no character of it is a request or an escape.
fn unfilled(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    let lines = text.lines().filter(|&line| line != "Examples:");
    let line = |line: &str| if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() };
    lines.map(line).collect::<Vec<_>>().join("\n")
}
