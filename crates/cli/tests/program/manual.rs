//! The first words of the program, its manual pages, and scripts for shells.

#[cfg(unix)]
use std::path::Path;
use std::process::{Command, Stdio};

use super::{lockstep, names, stdout_of};

/// Returns the commands that `lockstep --help` lists.
fn commands() -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let help = String::from_utf8(stdout_of(directory.path(), "--help", b"")).unwrap();
    let list = help.split_once("Commands:\n").unwrap().1.split_once("\n\n").unwrap().0;
    let names = list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next()).filter(|&name| name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn the_commands_shown_without_arguments_work() {
    let directory = tempfile::tempdir().unwrap();
    let output = lockstep(directory.path()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("lockstep --help"), "{text}");
    let examples: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  lockstep ")).collect();
    assert_eq!(examples.len(), 4, "{text}");
    for example in examples {
        let arguments = example.split("  ").next().unwrap();
        assert!(!stdout_of(directory.path(), arguments, b"").is_empty(), "{arguments}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let directory = tempfile::tempdir().unwrap();
    let commands = commands();
    assert!(commands.iter().any(|name| name == "plan") && commands.len() > 10, "{commands:?}");
    let page = String::from_utf8(stdout_of(directory.path(), "man", b"")).unwrap();
    stdout_of(directory.path(), "man -o pages", b"");
    let files = names(&directory.path().join("pages"));
    assert!(files.contains(&"lockstep.1".to_owned()));
    for command in commands {
        assert!(page.contains(&format!("lockstep\\-{command}(1)")), "{command}");
        assert!(files.contains(&format!("lockstep-{command}.1")), "{command}: {files:?}");
    }
    for file in files {
        let page = std::fs::read_to_string(directory.path().join("pages").join(&file)).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{file}");
    }
}

#[test]
fn every_shell_gets_a_script_that_knows_all_commands() {
    let directory = tempfile::tempdir().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout_of(directory.path(), &format!("completions {shell}"), b"");
        let script = String::from_utf8(script).unwrap();
        // The scripts of the other shells ask the program.
        if script.contains("complete -- ") {
            continue;
        }
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
}

#[cfg(unix)]
#[test]
fn bash_reads_its_script_and_completes_a_command() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("lockstep.bash");
    std::fs::write(&script, stdout_of(directory.path(), "completions bash", b"")).unwrap();
    let mut check = Command::new("bash");
    let check = check.arg("-n").arg(&script).stderr(Stdio::piped()).output().unwrap();
    assert!(check.status.success() && check.stderr.is_empty(), "{}", String::from_utf8_lossy(&check.stderr));
    for (line, replies) in [
        ("lockstep pl", "plan"),
        ("lockstep plan ring:8 -c all-g", "all-gather"),
        ("lockstep plan dgx-a1", "dgx-a100:"),
        ("lockstep plan dgx-a100:2 --fail-link g1_4-", "g1_4-V1 g1_4-R4"),
        ("lockstep plan ring:3 --root=", "0 1 2"),
        ("lockstep verify lock", "lockstep.bash"),
        ("lockstep plan ring:8 -c lock", ""),
    ] {
        assert_eq!(bash_completes(&script, line), replies, "{line}");
    }
}

/// Returns the words that bash offers at the end of a line, in the folder of the script.
#[cfg(unix)]
fn bash_completes(script: &Path, line: &str) -> String {
    // Bash splits a line at blanks, colons and equals signs.
    let ask = r#"source "$0"; COMP_LINE=$1 COMP_POINT=${#1}; COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
        spaced=${1//:/ : }; spaced=${spaced//=/ = }; read -ra COMP_WORDS <<<"$spaced"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _lockstep "$2"; echo "${COMPREPLY[@]}""#;
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", ask]).arg(script).arg(line).arg(env!("CARGO_BIN_EXE_lockstep"));
    let reply = bash.current_dir(script.parent().unwrap()).output().unwrap();
    String::from_utf8_lossy(&reply.stdout).trim().to_owned()
}
