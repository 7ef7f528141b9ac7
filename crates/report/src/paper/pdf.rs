//! Writes a picture for paper as PDF 1.4 with two of the standard fonts.

use std::fmt::Write;

use super::helvetica;
use super::shape::{Page, Shape, Text};
use super::svg::hundredths;
use crate::geometry::Point;

/// Objects before those of the pages: catalog, list of pages, information, two fonts.
const FIRST_PAGE: usize = 6;

/// Writes all pages.
pub(super) fn write(title: &str, pages: &[Page]) -> Vec<u8> {
    let count = pages.len();
    let numbers: Vec<String> = (0..count).map(|page| format!("{} 0 R", FIRST_PAGE + 2 * page)).collect();
    let font = |name| format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>");
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {count} >>", numbers.join(" ")),
        format!("<< /Title <{}> /Creator (Lockstep) >>", utf16(title)),
        font("Helvetica"),
        font("Helvetica-Bold"),
    ];
    for (place, page) in pages.iter().enumerate() {
        let [width, height] = [page.size.x, page.size.y].map(hundredths);
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents {} 0 R \
             /Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> >>",
            FIRST_PAGE + 2 * place + 1
        ));
        let content = content(page);
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    file(&objects)
}

/// Numbers the objects from 1, and adds the table of their places.
fn file(objects: &[String]) -> Vec<u8> {
    // The second line marks the file as binary for programs that transfer files.
    let mut out = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (place, object) in objects.iter().enumerate() {
        writeln!(table, "{:010} 00000 n ", out.len()).expect("writing to a string cannot fail");
        out.extend_from_slice(format!("{} 0 obj\n{object}\nendobj\n", place + 1).as_bytes());
    }
    let start = out.len();
    let count = objects.len() + 1;
    out.extend_from_slice(table.as_bytes());
    out.extend_from_slice(
        format!("trailer\n<< /Size {count} /Root 1 0 R /Info 3 0 R >>\nstartxref\n{start}\n%%EOF\n").as_bytes(),
    );
    out
}

/// Returns the drawing operators of a page.
fn content(page: &Page) -> String {
    // In PDF, y points upwards.
    let flip = |point: Point| Point::new(point.x, page.size.y - point.y);
    let mut out = "1 j\n".to_owned();
    for shape in &page.shapes {
        match shape {
            Shape::Path { path, fill, stroke } => {
                if let Some(fill) = fill {
                    push(&mut out, format_args!("{} rg\n", colour(fill)));
                }
                if let Some(stroke) = stroke {
                    let dashes = stroke
                        .dashes
                        .map_or(String::new(), |[dash, gap]| format!("{} {}", hundredths(dash), hundredths(gap)));
                    let (colour, width) = (colour(&stroke.colour), hundredths(stroke.width));
                    push(&mut out, format_args!("{colour} RG {width} w [{dashes}] 0 d\n"));
                }
                out += &path.mapped(flip).written(["m", "l", "c"], "h\n", |letter, points| {
                    let points: Vec<String> = points.iter().map(|&point| pair(point)).collect();
                    format!("{} {letter}\n", points.join(" "))
                });
                out += match (fill, stroke) {
                    (Some(_), Some(_)) => "B\n",
                    (Some(_), None) => "f\n",
                    (None, Some(_)) => "S\n",
                    (None, None) => "n\n",
                };
            }
            Shape::Text(text) => out += &show(text, flip(text.at)),
        }
    }
    out
}

fn push(out: &mut String, line: std::fmt::Arguments<'_>) {
    out.write_fmt(line).expect("writing to a string cannot fail");
}

/// Returns the operators of a text. Its white border is drawn first.
fn show(text: &Text, at: Point) -> String {
    let font = if text.is_bold { "F2" } else { "F1" };
    let bytes = helvetica::encode(&text.words);
    let hex = bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    let place = format!("/{font} {} Tf 1 0 0 1 {} Tm <{hex}> Tj", hundredths(text.size), pair(at));
    let halo = text
        .halo
        .map_or(String::new(), |width| format!("BT 1 1 1 RG {} w [] 0 d 1 Tr {place} ET\n", hundredths(width)));
    format!("{halo}BT {} rg 0 Tr {place} ET\n", colour(text.colour))
}

/// Returns the coordinates of a point.
fn pair(point: Point) -> String {
    format!("{} {}", hundredths(point.x), hundredths(point.y))
}

/// Returns the parts of a colour `#rrggbb` from 0 to 1.
fn colour(hex: &str) -> String {
    let part = |at: usize| hex.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0);
    let parts = [1, 3, 5].map(|at| format!("{}", (f64::from(part(at)) / 255.0 * 1000.0).round() / 1000.0));
    parts.join(" ")
}

/// Returns a text as hexadecimal digits of UTF-16 with a byte order mark.
fn utf16(text: &str) -> String {
    text.encode_utf16().fold("feff".to_owned(), |hex, unit| hex + &format!("{unit:04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_titles_are_written_in_the_forms_of_pdf() {
        assert_eq!(colour("#ff0080"), "1 0 0.502");
        assert_eq!(utf16("a→"), "feff00612192");
    }

    #[test]
    fn the_table_has_the_place_of_every_object() {
        let bytes = file(&["<< >>".to_owned(), "[1]".to_owned()]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let start: usize = text.rsplit("startxref\n").next().unwrap().lines().next().unwrap().parse().unwrap();
        assert!(bytes[start..].starts_with(b"xref\n0 3\n"));
        let table = String::from_utf8_lossy(&bytes[start..]).into_owned();
        for (number, line) in table.lines().skip(3).take(2).enumerate() {
            let place: usize = line[..10].parse().unwrap();
            assert!(bytes[place..].starts_with(format!("{} 0 obj\n", number + 1).as_bytes()), "{line}");
        }
    }
}
