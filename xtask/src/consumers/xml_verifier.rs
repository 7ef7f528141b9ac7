//! MSCCL-XML-Verifier: threads execute MSCCL XML with waits of random length, and compare all outputs.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::{Case, Role};
use super::consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use crate::process;

/// Executions of a plan, each in a process of its own: in a second one, the verifier takes the steps of the first one for done, and does
/// not wait for dependencies.
const REPETITIONS: usize = 5;

struct XmlVerifier {
    collective: &'static str,
    program: &'static str,
}

/// Looks for the verifier of a collective.
pub(crate) fn find(collective: &'static str) -> Found {
    let program = if collective == "all-gather" { "allgather-verifier" } else { "alltoall-verifier" };
    if Command::new(program).output().is_ok() {
        Ok(Box::new(XmlVerifier { collective, program }))
    } else {
        let install = "build github.com/dromniscience/MSCCL-XML-Verifier, and add its programs to PATH";
        Err(Missing { name: program, install })
    }
}

impl Consumer for XmlVerifier {
    fn name(&self) -> &'static str {
        "MSCCL-XML-Verifier"
    }

    fn format(&self) -> &'static str {
        "msccl-xml"
    }

    fn options(&self, _: &Case) -> Vec<String> {
        vec!["--for".to_owned(), "msccl".to_owned()]
    }

    fn effort(&self) -> Effort {
        Effort::Small
    }

    fn supports(&self, case: &Case) -> bool {
        case.collective == self.collective && case.role != Role::Random
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Verdict> {
        if self.collective == "all-to-all" {
            // This verifier wants all-to-alls under the name of another collective.
            let text = fs::read_to_string(trial.file)?;
            fs::write(trial.file, text.replacen("coll=\"alltoall\"", "coll=\"allreduce\"", 1))?;
        }
        for _ in 0..REPETITIONS {
            let mut verifier = Command::new(self.program);
            let finished = process::run(verifier.arg(trial.file).arg("1"), trial.limit, trial.folder)?;
            if !finished.is_success || !finished.text.contains("All tests passed.") {
                return Ok(Verdict::Refused(finished.reason("what():")));
            }
        }
        Ok(Verdict::Accepted)
    }

    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool> {
        let text = fs::read_to_string(trial.file)?;
        let Some(spoiled) = spoiled(&text, fault, trial.case.ranks)? else { return Ok(false) };
        fs::write(trial.file, spoiled)?;
        Ok(true)
    }
}

/// Returns the value of an attribute in a line.
fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

/// Returns the line with another value of an attribute.
fn with_attribute(line: &str, name: &str, value: &str) -> String {
    let old = attribute(line, name).unwrap_or_default();
    line.replacen(&format!(" {name}=\"{old}\""), &format!(" {name}=\"{value}\""), 1)
}

fn spoiled(text: &str, fault: Fault, ranks: usize) -> Result<Option<String>> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    match fault {
        Fault::SwappedOffsets => {
            let is_receive = |line: &&mut String| attribute(line, "type") == Some("r");
            let mut receives = lines.iter_mut().filter(is_receive);
            let (Some(one), Some(other)) = (receives.next(), receives.next()) else { return Ok(None) };
            let offsets = [&*one, &*other].map(|line| attribute(line, "dstoff").unwrap_or_default().to_owned());
            *one = with_attribute(one, "dstoff", &offsets[1]);
            *other = with_attribute(other, "dstoff", &offsets[0]);
        }
        Fault::MissingDependency => {
            let mut count = 0;
            for line in lines.iter_mut().filter(|line| attribute(line, "depid").is_some_and(|value| value != "-1")) {
                *line = with_attribute(&with_attribute(line, "depid", "-1"), "deps", "-1");
                count += 1;
            }
            if count == 0 {
                return Ok(None);
            }
        }
        Fault::WrongPeer => {
            let is_sender = |line: &&mut String| attribute(line, "send").is_some_and(|peer| peer != "-1");
            let Some(line) = lines.iter_mut().find(is_sender) else { return Ok(None) };
            let peer: usize = attribute(line, "send").context("a thread block has a peer")?.parse()?;
            // GPU 0 is the first one of the file, and has no transfers to itself.
            *line = with_attribute(line, "send", &(peer % (ranks - 1) + 1).to_string());
        }
    }
    Ok(Some(lines.join("\n") + "\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<algo name=\"a\">\n  <tb id=\"0\" send=\"1\" recv=\"-1\">\n    <step type=\"r\" dstoff=\"1\" \
                        depid=\"-1\" deps=\"-1\"/>\n    <step type=\"r\" dstoff=\"2\" depid=\"3\" deps=\"4\"/>\n";

    #[test]
    fn each_fault_changes_its_attributes_only() {
        let swapped = spoiled(TEXT, Fault::SwappedOffsets, 4).unwrap().unwrap();
        assert_eq!(swapped, TEXT.replace("dstoff=\"1\"", "x").replace("\"2\"", "\"1\"").replace('x', "dstoff=\"2\""));
        let missing = spoiled(TEXT, Fault::MissingDependency, 4).unwrap().unwrap();
        assert_eq!(missing, TEXT.replace("depid=\"3\" deps=\"4\"", "depid=\"-1\" deps=\"-1\""));
        let wrong = spoiled(TEXT, Fault::WrongPeer, 4).unwrap().unwrap();
        assert_eq!(wrong, TEXT.replace("send=\"1\"", "send=\"2\""));
    }
}
