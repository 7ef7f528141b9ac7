//! Writes a picture for paper as SVG.

use super::paper_layout::POINTS_PER_MM;
use super::shape::{Page, Shape, Text};
use crate::geometry::Point;
use crate::markup::Markup;

/// Writes a page.
pub(super) fn write(title: &str, page: Option<&Page>) -> String {
    let mut out = Markup::default();
    let size = page.map_or(Point::default(), |page| page.size);
    let [width, height] = [size.x, size.y].map(|length| format!("{}mm", hundredths(length / POINTS_PER_MM)));
    let view = format!("0 0 {} {}", hundredths(size.x), hundredths(size.y));
    let attributes = [
        ("xmlns", "http://www.w3.org/2000/svg"),
        ("width", &*width),
        ("height", &*height),
        ("viewBox", &*view),
        ("font-family", "Helvetica, Arial, sans-serif"),
    ];
    out.nest("svg", &attributes, |out| {
        out.text("title", &[], title);
        for shape in page.iter().flat_map(|page| &page.shapes) {
            draw(out, shape);
        }
    });
    out.finish()
}

fn draw(out: &mut Markup, shape: &Shape) {
    match shape {
        Shape::Path { path, fill, stroke } => {
            let path = path.written(["M", "L", "C"], "Z", |letter, points| {
                let points = points.iter().map(|point| format!("{},{}", hundredths(point.x), hundredths(point.y)));
                format!("{letter}{}", points.collect::<Vec<_>>().join(" "))
            });
            let mut attributes = vec![("d", path), ("fill", fill.clone().unwrap_or("none".to_owned()))];
            if let Some(stroke) = stroke {
                attributes.push(("stroke", stroke.colour.clone()));
                attributes.push(("stroke-width", hundredths(stroke.width)));
                let dashes = stroke.dashes.map(|[dash, gap]| format!("{} {}", hundredths(dash), hundredths(gap)));
                attributes.extend(dashes.map(|dashes| ("stroke-dasharray", dashes)));
            }
            let attributes: Vec<_> = attributes.iter().map(|(key, value)| (*key, value.as_str())).collect();
            out.empty("path", &attributes);
        }
        Shape::Text(Text { at, size, colour, is_bold, halo, words }) => {
            let [x, y, size] = [at.x, at.y, *size].map(hundredths);
            let halo = halo.map(hundredths);
            let mut attributes = vec![("x", &*x), ("y", &*y), ("font-size", &*size), ("fill", *colour)];
            attributes.extend(is_bold.then_some(("font-weight", "bold")));
            if let Some(halo) = &halo {
                attributes.extend([("stroke", "#ffffff"), ("stroke-width", halo), ("paint-order", "stroke")]);
            }
            out.text("text", &attributes, words);
        }
    }
}

/// Formats a length with at most two decimals.
pub(super) fn hundredths(length: f64) -> String {
    // Adding 0 after rounding avoids `-0`.
    format!("{}", ((length * 100.0).round() + 0.0) / 100.0)
}
