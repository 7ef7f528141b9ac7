//! One page with all steps, to be walked through.

use lockstep_schedule::{Problem, Schedule};

use crate::colouring::{Colouring, Legend};
use crate::labels;
use crate::markup::{Markup, number};
use crate::painter::{Painter, bare_network, definitions};
use crate::scene::Scene;
use crate::svg::{DrawingLimits, labels, left_out, notes};

/// Plain text without `<` and `&`, so that the page is also well-formed XML.
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The schedule as one HTML page that loads nothing: the panels of [`schedule_svg`](crate::schedule_svg) as an
/// overview or step by step.
///
/// Buttons, slider and arrow keys walk through the steps; pointing at a transfer shows message and path, a click on it
/// or on the legend keeps that colour and dims the others. Without scripts the page shows all steps.
///
/// The schedule need not be valid; what a wrong one lacks in the picture, its captions count.
pub fn schedule_html(problem: &Problem<'_>, schedule: &Schedule, limits: &DrawingLimits) -> String {
    let topology = problem.topology();
    let steps = schedule.step_count();
    let title = labels::title(problem, steps);
    if let Some(reason) = limits.refuse(topology) {
        return page(&title, |out| out.text("p", &[], &reason));
    }
    let scene = Scene::new(topology, labels(topology, schedule));
    let colouring = Colouring::new(problem, schedule);
    let painter = Painter { problem, scene: &scene, colouring: &colouring };
    let drawn = steps.min(limits.steps);
    page(&title, |out| {
        navigation(out, drawn);
        if let Some(legend) = colouring.legend() {
            keys(out, &legend);
        }
        for note in notes(&scene, left_out(steps, drawn)) {
            out.text("p", &[], &note);
        }
        // Not hidden: browsers draw no reference into what is not displayed.
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

/// Shown by the script, which gives it its use.
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

fn keys(out: &mut Markup, legend: &Legend) {
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
