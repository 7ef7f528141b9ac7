//! Interactive HTML pages of schedules.

use base64::prelude::*;
use lockstep_schedule::{Problem, Schedule};
use sha2::{Digest, Sha256};

use crate::colouring::{Colouring, Legend};
use crate::labels;
use crate::markup::{Markup, number};
use crate::painter::{Painter, bare_network, definitions};
use crate::scene::Scene;
use crate::svg::{DrawingLimits, label_placement, notes, omitted_steps};

/// Style and script contain no `<` and `&`, so that the page is well-formed XML, too.
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Draws a schedule as a self-contained HTML page with the panels of [`schedule_svg`](crate::schedule_svg), as an
/// overview or step by step.
///
/// Buttons, a slider and the arrow keys change the step. Pointing at a transfer shows its message and path. A click on
/// a transfer or on the legend highlights its colour. Without scripts the page shows all steps.
///
/// The schedule can be invalid: transfers that cannot be drawn are counted in the captions. Takes `O(N^2 + N M)` time
/// for the layout, and `O(1)` per channel of a transfer.
///
/// ```
/// use lockstep_report::{DrawingLimits, schedule_html};
/// use lockstep_schedule::{Collective, CommunicationModel, Problem, Schedule};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let collective = Collective::all_gather();
/// let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward())?;
/// let page = schedule_html(&problem, &Schedule::new(), &DrawingLimits::PAGE);
/// assert!(page.contains("<title>ring:4 · all-gather"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn schedule_html(problem: &Problem<'_>, schedule: &Schedule, limits: &DrawingLimits) -> String {
    let topology = problem.topology();
    let steps = schedule.step_count();
    let title = labels::title(problem, steps);
    if let Some(reason) = limits.refuse(topology) {
        return page(&title, |out| out.text("p", &[], &reason));
    }
    let scene = Scene::new(topology, label_placement(topology, schedule));
    let colouring = Colouring::new(problem, schedule);
    let painter = Painter { problem, scene: &scene, colouring: &colouring };
    let drawn = steps.min(limits.steps);
    page(&title, |out| {
        navigation(out, drawn);
        if let Some(legend) = colouring.legend() {
            legend_buttons(out, &legend);
        }
        for note in notes(&scene, omitted_steps(steps, drawn)) {
            out.text("p", &[], &note);
        }
        // Not `hidden`, because browsers do not draw references to elements that are not displayed.
        let aside = [("width", "0"), ("height", "0"), ("style", "position:absolute"), ("aria-hidden", "true")];
        out.nest("svg", &aside, |out| definitions(out, topology, &scene, &colouring.rings()));
        let wide = format!("--panel:{}px", number(scene.size.x));
        out.nest("main", &[("style", &wide)], |out| {
            for (place, step) in schedule.steps().take(drawn) {
                let id = format!("step-{}", place + 1);
                out.nest("figure", &[("class", "panel"), ("id", &id)], |out| {
                    out.text("figcaption", &[], &painter.caption(place, steps, &step));
                    picture(out, &scene, |out| painter.step(out, &step));
                });
            }
            if drawn == 0 {
                picture(out, &scene, bare_network);
            }
        });
        out.raw_text("script", SCRIPT);
    })
}

fn page(title: &[String; 4], content: impl FnOnce(&mut Markup)) -> String {
    let mut out = Markup::default();
    let [heading, rest @ ..] = title;
    out.doctype();
    out.nest("html", &[("lang", "en")], |out| {
        out.nest("head", &[], |out| {
            out.empty("meta", &[("charset", "utf-8")]);
            out.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &security_policy())]);
            out.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            out.text("title", &[], &title.join(" · "));
            out.raw_text("style", STYLE);
        });
        out.nest("body", &[], |out| {
            out.text("h1", &[], heading);
            out.text("p", &[], &rest.join(" · "));
            content(out);
        });
    });
    out.finish()
}

/// Returns the Content-Security-Policy of a page: it loads nothing, and runs no script but its own.
fn security_policy() -> String {
    let script = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script}'; base-uri 'none'; form-action 'none'"
    )
}

/// Draws the navigation bar. The script shows it, because it needs the script.
fn navigation(out: &mut Markup, steps: usize) {
    out.nest("nav", &[("hidden", "")], |out| {
        out.text("button", &[("id", "all"), ("type", "button")], "all");
        out.text("button", &[("id", "previous"), ("type", "button"), ("aria-label", "previous step")], "←");
        out.text("output", &[], "all steps");
        out.text("button", &[("id", "next"), ("type", "button"), ("aria-label", "next step")], "→");
        let range =
            [("type", "range"), ("min", "0"), ("max", &*steps.to_string()), ("value", "0"), ("aria-label", "step")];
        out.empty("input", &range);
    });
}

fn legend_buttons(out: &mut Markup, legend: &Legend) {
    out.nest("div", &[("class", "legend")], |out| {
        out.text("span", &[], legend.heading);
        for (place, (colour, name)) in legend.entries.iter().enumerate() {
            let key = place.to_string();
            out.nest("button", &[("type", "button"), ("data-key", &key), ("aria-pressed", "false")], |out| {
                out.text("i", &[("style", &format!("background:{colour}"))], "");
                out.text("span", &[], name);
            });
        }
    });
}

fn picture(out: &mut Markup, scene: &Scene, content: impl FnOnce(&mut Markup)) {
    let size = format!("0 0 {} {}", number(scene.size.x), number(scene.size.y));
    out.nest("svg", &[("viewBox", &size), ("font-family", "sans-serif")], content);
}
