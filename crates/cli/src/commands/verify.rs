//! `lockstep verify`: verification of schedules, bounds and plans.

use anyhow::{Context, ensure};
use lockstep::files::{message_line, to_json_line};
use lockstep::schedule::{Verification, violations};
use lockstep::{Plan, Verdict};
use lockstep_rings::RingFile;
use serde::Serialize;

use super::ring_file;
use super::times::{self, Time};
use crate::args::VerifyArgs;
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::input::{self, Saved};
use crate::output;
use crate::text::{self, Sheet, counted};

/// Maximum number of listed violations.
const MAX_VIOLATIONS: usize = 1000;

pub(crate) fn run(args: &VerifyArgs) -> anyhow::Result<ExitStatus> {
    args.cost.check_bytes()?;
    CommandFiles::new().read("the schedule", &args.file)?;
    let saved = input::saved(&args.file)?;
    if let Saved::Rings(file) = &saved {
        return verify_rings(args, file);
    }
    let mut sheet = Sheet::default();
    match (&saved, saved.schedule()) {
        (Saved::Symmetric(file), _) => text::add_times_of_base(&mut sheet, file.schedule.base(), &args.cost)?,
        (_, Some(file)) => {
            args.cost.check(file.topology()).with_context(|| input::name(&args.file))?;
            text::add_times(&mut sheet, file.collective(), file.schedule(), &args.cost)?;
        }
        (_, None) => {}
    }
    let timer = timer(args, &saved)?;
    let listed: Vec<String> = match saved.schedule().filter(|_| args.all) {
        Some(file) => {
            violations(&file.problem(), file.schedule(), MAX_VIOLATIONS).iter().map(ToString::to_string).collect()
        }
        // In a symmetric schedule, every translate has the first violation.
        None => Vec::new(),
    };
    let (answer, text) = match Valid::new(saved) {
        Ok(valid) if args.json => {
            (ExitStatus::Success, to_json_line(&VerifyResult::Valid(valid.counts(timer.map(|times| times())))))
        }
        Ok(valid) => {
            let table = timer.map(|times| format!("\n{}", times::table(&times()))).unwrap_or_default();
            (ExitStatus::Success, valid.to_text(sheet) + &table)
        }
        Err(first) => {
            let violations = if listed.is_empty() { vec![first] } else { listed };
            let text = if args.json {
                to_json_line(&VerifyResult::Invalid(Invalid { valid: false, violations }))
            } else {
                let lines = violations.iter().map(|violation| format!("invalid: {}\n", message_line(violation)));
                lines.collect::<Vec<_>>().concat()
            };
            (ExitStatus::Negative, text)
        }
    };
    output::print(&text)?;
    Ok(answer)
}

/// Verifies a ring set, and prints its figures.
fn verify_rings(args: &VerifyArgs, file: &RingFile) -> anyhow::Result<ExitStatus> {
    let has_options = args.all || args.cost.model().is_some() || args.size.is_some();
    ensure!(!has_options, "--all, --size and the costs concern schedules, and the file has rings; remove the options");
    let (answer, result, text) = match ring_file::verified(file) {
        Ok((rings, text)) => (ExitStatus::Success, VerifyResult::Rings(Box::new(rings)), text),
        Err(violation) => {
            let violation = violation.to_string();
            let text = format!("invalid: {}\n", message_line(&violation));
            (ExitStatus::Negative, VerifyResult::Invalid(Invalid { valid: false, violations: vec![violation] }), text)
        }
    };
    output::print(&if args.json { to_json_line(&result) } else { text })?;
    Ok(answer)
}

/// Returns a function that computes the times of `--size`. Only those of a valid schedule can be computed.
fn timer<'a>(args: &'a VerifyArgs, saved: &Saved) -> anyhow::Result<Option<impl FnOnce() -> Vec<Time> + use<'a>>> {
    let Some(sizes) = &args.size else { return Ok(None) };
    let file =
        saved.schedule().context("--size: a symmetric schedule has no table of times; remove the option")?.clone();
    let unit = times::unit(file.topology(), args.unit).with_context(|| input::name(&args.file))?;
    Ok(Some(move || times::of_sizes(&file.problem(), file.schedule(), unit, sizes)))
}

/// A file that the verifier accepted.
struct Valid {
    verification: Verification,
    /// Present if the file is a plan.
    plan: Option<Box<Plan>>,
    /// Description of the translates, if the file is a symmetric schedule.
    symmetry: Option<String>,
}

/// The counts as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct VerifiedCounts {
    valid: bool,
    steps: usize,
    transfers: usize,
    deliveries: u64,
    relays: u64,
    redundant: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_bound: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// The times of each size of `--size`.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Vec<Time>>,
}

/// The result as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub(super) enum VerifyResult {
    /// The counts of a valid schedule.
    Valid(VerifiedCounts),
    /// The figures of valid rings.
    Rings(Box<ring_file::ValidRings>),
    /// The violations of an invalid schedule.
    Invalid(Invalid),
}

/// The violations as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Invalid {
    valid: bool,
    violations: Vec<String>,
}

impl Valid {
    /// Verifies a file. The error is the first violation as text.
    fn new(saved: Saved) -> Result<Self, String> {
        let (verification, plan, symmetry) = match saved {
            Saved::Plan(file) => {
                let plan = file.check().map_err(|violation| violation.to_string())?;
                (plan.verification().clone(), Some(plan.into()), None)
            }
            Saved::Schedule(file) => {
                let verification = lockstep::verify(&file.problem(), file.schedule());
                (verification.map_err(|violation| violation.to_string())?, None, None)
            }
            Saved::Rings(_) => return Err("the file has rings and no schedule".to_owned()),
            Saved::Symmetric(file) => {
                let verification = file.verify().map_err(|violation| violation.to_string())?;
                let graph = file.schedule.graph();
                let transfers = counted(file.schedule.base().transfer_count(), "transfer");
                let symmetry =
                    format!("{transfers} per source, translated to all {} nodes of {graph}", graph.node_count());
                (verification, None, Some(symmetry))
            }
        };
        Ok(Self { verification, plan, symmetry })
    }

    fn counts(&self, times: Option<Vec<Time>>) -> VerifiedCounts {
        let &Verification { steps, transfers, deliveries, relays, redundant, .. } = &self.verification;
        VerifiedCounts {
            valid: true,
            steps,
            transfers,
            deliveries,
            relays,
            redundant,
            lower_bound: self.plan.as_ref().map(|plan| plan.lower_bound().steps),
            verdict: self.plan.as_ref().map(|plan| plan.verdict()),
            times,
        }
    }

    fn to_text(&self, times: Sheet) -> String {
        let mut sheet = Sheet::default();
        sheet.line("valid", self.verification.to_string());
        if let Some(symmetry) = &self.symmetry {
            sheet.line("symmetry", symmetry);
        }
        if let Some(plan) = &self.plan {
            sheet.line("verdict", plan.verdict().to_string());
            sheet.line("lower bound", text::bound(plan.lower_bound(), plan.topology()));
        }
        sheet.append(times);
        sheet.to_text()
    }
}
