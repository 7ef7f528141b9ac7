//! Written plans: JSON, binary, picture or text.

use std::path::Path;

use anyhow::bail;
use lockstep::schedule::Schedule;
use lockstep::{PlanFile, Problem};
use lockstep_report::{DrawingLimits, schedule_html, schedule_svg};

use crate::args::{PictureFormat, PlanFormat};
use crate::output;
use crate::text::{self, Sheet};

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
        "txt" => PlanFormat::Text,
        _ => bail!(
            "{}: unknown extension; use .json, .lsb, .bin, .svg, .html or .txt, or choose a format with --format",
            path.display()
        ),
    })
}

/// Returns the contents of a plan in a format. `sheet` describes the plan in the text format.
pub(super) fn contents(plan: &PlanFile, sheet: &Sheet, format: PlanFormat) -> Vec<u8> {
    let (problem, schedule) = (plan.schedule.problem(), plan.schedule.schedule());
    let text = match format {
        PlanFormat::Binary => return plan.to_bytes(),
        PlanFormat::Json => plan.to_json(),
        PlanFormat::Svg => picture(&problem, schedule, PictureFormat::Svg),
        PlanFormat::Html => picture(&problem, schedule, PictureFormat::Html),
        PlanFormat::Text => sheet.to_text() + &text::steps(&problem, schedule, usize::MAX),
    };
    text.into_bytes()
}

/// Draws a schedule.
pub(super) fn picture(problem: &Problem<'_>, schedule: &Schedule, format: PictureFormat) -> String {
    match format {
        PictureFormat::Svg => schedule_svg(problem, schedule, &DrawingLimits::PAGE),
        PictureFormat::Html => schedule_html(problem, schedule, &DrawingLimits::PAGE),
    }
}
