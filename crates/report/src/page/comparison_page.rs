//! Two plans side by side.

use super::plan_page::SCRIPT as PLAN_SCRIPT;
use super::shell::{framing_page, to_json};
use crate::labels::visible;

/// Links the steps of the two plans.
const SCRIPT: &str = concat!("'use strict';\n", include_str!("script/comparison.js"));

/// Draws two plans side by side, such as before and after a fault. `plans` has the name and the page of each, as
/// [`schedule_html`](crate::schedule_html) returns it.
///
/// A change of the step of one plan shows the same step of the other one. The page loads no other file.
///
/// ```
/// use lockstep_report::comparison_html;
///
/// let page = comparison_html([("before.json", "one"), ("after.json", "two")]);
/// assert!(page.contains("<title>before.json · after.json"));
/// ```
pub fn comparison_html(plans: [(&str, &str); 2]) -> String {
    let names = plans.map(|(name, _)| visible(name));
    framing_page(&names, SCRIPT, PLAN_SCRIPT, |out| {
        out.nest("div", &[("class", "comparison")], |out| {
            for name in &names {
                out.nest("section", &[], |out| {
                    out.text("h2", &[], name);
                    out.text("iframe", &[("title", name)], "");
                });
            }
        });
        // An attribute would change the line breaks, which belong to the script.
        let pages = to_json(&plans.map(|(_, page)| page));
        out.raw_text("script", &[("type", "application/json"), ("id", "pages")], &pages);
    })
}
