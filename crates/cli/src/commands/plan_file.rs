//! Written plans: JSON, binary, picture, page or text.

use std::path::Path;

use anyhow::bail;
use lockstep::schedule::Schedule;
use lockstep::{Plan, PlanFile, PlanViolation, Problem, Verdict, verify};
use lockstep_report::{
    DrawingLimits, PageLimits, PaperFigure, PaperLayout, PlanFacts, ScheduleVerdict, schedule_html, schedule_svg,
};

use crate::args::{PictureFormat, PlanFormat};
use crate::command_line::command_line;
use crate::text::{self, Sheet, path_name};
use crate::{made_by, output, step_table};

/// The outputs of plans of any size.
pub(super) const WITHOUT_LIMIT: &str = "write a .json, .lsb or .txt file";

/// Returns the format of a file: the given one, or that of the extension. JSON without path or extension.
///
/// # Errors
///
/// If the extension is unknown.
pub(super) fn format_of(path: Option<&Path>, format: Option<PlanFormat>) -> anyhow::Result<PlanFormat> {
    let (Some(path), None) = (path, format) else { return Ok(format.unwrap_or(PlanFormat::Json)) };
    Ok(match output::extension(path).as_str() {
        "" | "json" => PlanFormat::Json,
        "lsb" | "bin" => PlanFormat::Binary,
        "svg" => PlanFormat::Svg,
        "html" | "htm" => PlanFormat::Html,
        "pdf" => PlanFormat::Pdf,
        "txt" => PlanFormat::Text,
        _ => bail!(
            "{}: unknown extension; use .json, .lsb, .bin, .svg, .html, .pdf or .txt, or choose a format with --format",
            path_name(path)
        ),
    })
}

/// Refuses a picture or page that would only say that the network is too large, before any work on it. `remedy` says which
/// output of the command has no such limit; a network that is too large for a picture can be small enough for a page.
///
/// # Errors
///
/// If the format is SVG, PDF or HTML, and the problem exceeds the limits of pictures or pages.
pub(super) fn refuse_large_picture(
    problem: &Problem<'_>,
    format: PlanFormat,
    path: Option<&Path>,
    remedy: &str,
) -> anyhow::Result<()> {
    let of_page = || PageLimits::BROWSER.refuse(problem);
    let reason = match format {
        PlanFormat::Html => of_page(),
        PlanFormat::Svg | PlanFormat::Pdf => DrawingLimits::PAGE.refuse(problem.topology()),
        PlanFormat::Json | PlanFormat::Binary | PlanFormat::Text => None,
    };
    let Some(reason) = reason else { return Ok(()) };
    let path = path.map(|path| format!("{}: ", path_name(path))).unwrap_or_default();
    let has_page = format != PlanFormat::Html && of_page().is_none();
    bail!("{path}{reason}; {}", if has_page { "write an .html file" } else { remedy })
}

/// Returns the contents of a plan in a format. `seconds` is the duration of the planning, for the formats of plan files.
/// `sheet` describes the plan in the text format.
pub(super) fn contents(plan: &Plan, seconds: Option<f64>, sheet: &Sheet, format: PlanFormat) -> Vec<u8> {
    let (problem, schedule) = (plan.problem(), plan.schedule());
    let text = match format {
        PlanFormat::Binary => return file(plan, seconds).to_bytes(),
        PlanFormat::Pdf => return picture(&problem, schedule, PictureFormat::Pdf),
        PlanFormat::Json => file(plan, seconds).to_json(),
        PlanFormat::Svg => schedule_svg(&problem, schedule, &DrawingLimits::PAGE),
        PlanFormat::Html => page(&problem, schedule, &plan_facts(plan)),
        PlanFormat::Text => sheet.to_text() + &step_table::full(&problem, schedule),
    };
    text.into_bytes()
}

/// Returns the contents of a plan file that says how it was made.
pub(super) fn file(plan: &Plan, seconds: Option<f64>) -> PlanFile {
    PlanFile { made_by: made_by::made_by(), ..plan.to_file(seconds) }
}

/// Draws a schedule of which nothing else is known. The schedule can be invalid.
pub(super) fn picture(problem: &Problem<'_>, schedule: &Schedule, format: PictureFormat) -> Vec<u8> {
    match format {
        PictureFormat::Svg => schedule_svg(problem, schedule, &DrawingLimits::PAGE).into_bytes(),
        PictureFormat::Html => page(problem, schedule, &schedule_facts(problem, schedule)).into_bytes(),
        PictureFormat::Pdf => {
            let figure = PaperFigure::new(problem, schedule, &PaperLayout::A4);
            // The file of a long search states why it has no picture, as an SVG picture does.
            let figure =
                figure.unwrap_or_else(|error| PaperFigure::of_note(problem, schedule, &format!("not drawn: {error}")));
            figure.to_pdf()
        }
    }
}

/// Writes the page of a plan or schedule.
pub(super) fn page(problem: &Problem<'_>, schedule: &Schedule, facts: &PlanFacts) -> String {
    schedule_html(problem, schedule, &with_command(facts.clone()), &PageLimits::BROWSER)
}

/// Adds the command of this run to the facts of a page.
pub(super) fn with_command(mut facts: PlanFacts) -> PlanFacts {
    facts.details.push(["Command".to_owned(), command_line()]);
    facts
}

/// Returns the facts of a plan.
pub(super) fn plan_facts(plan: &Plan) -> PlanFacts {
    let bound = plan.lower_bound();
    let steps = text::counted(bound.steps as usize, "step");
    let certificate = bound.certificate.explain(plan.topology());
    PlanFacts {
        verdict: match plan.verdict() {
            Verdict::Optimal => ScheduleVerdict::Optimal,
            Verdict::Gap(gap) => ScheduleVerdict::Gap(gap),
        },
        bound: format!("Every schedule takes at least {steps}: {certificate}."),
        details: vec![
            ["Rule of the bound".to_owned(), bound.rule.to_string()],
            ["Found by".to_owned(), format!("{}, seed {}", plan.engine(), plan.seed())],
        ],
    }
}

/// Returns the facts of a plan file that makes a wrong claim.
pub(super) fn refused_facts(violation: &PlanViolation) -> PlanFacts {
    PlanFacts { verdict: ScheduleVerdict::Invalid, bound: format!("{violation}."), details: Vec::new() }
}

/// Returns the facts of a schedule without a bound.
fn schedule_facts(problem: &Problem<'_>, schedule: &Schedule) -> PlanFacts {
    match verify(problem, schedule) {
        Ok(_) => PlanFacts::default(),
        Err(violation) => {
            PlanFacts { verdict: ScheduleVerdict::Invalid, bound: format!("{violation}."), details: Vec::new() }
        }
    }
}
