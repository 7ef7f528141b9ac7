//! The canvas of a picture: an SVG element with a white background and lines of text.

use crate::geometry::Point;
use crate::labels;
use crate::markup::{Markup, number};

/// Space between the parts of a picture and around it.
pub(crate) const GAP: f64 = 14.0;
/// Height of a line of text.
pub(crate) const TEXT_LINE: f64 = 18.0;
/// Upper estimate of the width of a letter.
const LETTER: f64 = 7.0;

/// Returns a picture of this size as the text of one `<svg>` element. Title and description are for screen readers.
pub(crate) fn picture(
    title: &str,
    description: Option<&str>,
    size: Point,
    content: impl FnOnce(&mut Markup),
) -> String {
    let [width, height] = [size.x, size.y].map(number);
    let mut out = Markup::default();
    let attributes = [
        ("xmlns", "http://www.w3.org/2000/svg"),
        ("width", &*width),
        ("height", &*height),
        ("viewBox", &*format!("0 0 {width} {height}")),
        ("font-family", "sans-serif"),
        ("font-size", "12"),
    ];
    let role = description.map(|_| ("role", "img"));
    out.nest("svg", &attributes.into_iter().chain(role).collect::<Vec<_>>(), |out| {
        out.text("title", &[], title);
        if let Some(description) = description {
            out.text("desc", &[], description);
        }
        out.empty("rect", &[("width", &width), ("height", &height), ("fill", "#ffffff")]);
        content(out);
    });
    out.finish()
}

/// Draws a line of text that starts at a point.
pub(crate) fn text(out: &mut Markup, at: Point, weight: &str, content: &str) {
    let (x, y) = (number(at.x), number(at.y));
    out.text("text", &[("x", &x), ("y", &y), ("font-weight", weight), ("fill", "#222222")], content);
}

/// Returns an upper estimate of the width of a text.
pub(crate) fn text_width(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// Shortens a text to a line of this width.
pub(crate) fn fit(text: &str, width: f64) -> String {
    let letters = (1..=text.chars().count()).take_while(|&letters| LETTER * letters as f64 <= width).count();
    labels::clip(text, letters)
}

/// Distributes the parts of a title over as few lines as possible.
pub(crate) fn fill(parts: &[String], width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if text_width(line) + text_width(part) + 30.0 <= width => *line = format!("{line} · {part}"),
            _ => lines.push(part.clone()),
        }
    }
    lines
}
