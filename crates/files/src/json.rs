//! JSON texts: on one line, or with one line per row.

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::quote::is_hidden;

/// Returns the value as JSON text, with a line per element in the first `depth` levels of lists and objects.
///
/// Deeper levels stand on the line of their parent. The text ends with a newline. Control characters and characters that
/// change the writing direction are escaped. O(length of the text).
///
/// ```
/// let text = lockstep_files::to_json_rows(&[[1, 2], [3, 4]], 1);
/// assert_eq!(text, "[\n  [1, 2],\n  [3, 4]\n]\n");
/// ```
///
/// # Panics
///
/// Panics if the `Serialize` implementation of `T` fails or writes keys that are not strings. Derived ones do not.
pub fn to_json_rows<T: Serialize>(value: &T, depth: usize) -> String {
    json(value, RowFormatter { depth, level: 0, is_empty: true })
}

/// Returns the value as JSON on one line, followed by a newline.
///
/// Control characters and characters that change the writing direction are escaped.
///
/// ```
/// assert_eq!(lockstep_files::to_json_line(&[Some(1), None]), "[1,null]\n");
/// ```
///
/// # Panics
///
/// Panics if the `Serialize` implementation of `T` fails or writes keys that are not strings. Derived ones do not.
pub fn to_json_line<T: Serialize + ?Sized>(value: &T) -> String {
    json(value, LineFormatter)
}

fn json<T: Serialize + ?Sized>(value: &T, formatter: impl Formatter) -> String {
    let mut bytes = Vec::new();
    value
        .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter))
        .expect("derived types have a JSON form");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON text is UTF-8")
}

/// Writes a part of a string. Escapes what JSON allows, but a terminal does not show.
fn write_shown<W: ?Sized + io::Write>(writer: &mut W, fragment: &str) -> io::Result<()> {
    // Nearly all strings are plain.
    if fragment.bytes().all(|byte| (b' '..0x7f).contains(&byte)) {
        return writer.write_all(fragment.as_bytes());
    }
    let mut rest = fragment;
    while let Some((place, hidden)) = rest.char_indices().find(|&(_, character)| is_hidden(character)) {
        writer.write_all(&rest.as_bytes()[..place])?;
        write!(writer, "\\u{:04x}", u32::from(hidden))?;
        rest = &rest[place + hidden.len_utf8()..];
    }
    writer.write_all(rest.as_bytes())
}

/// A JSON formatter without spaces and line breaks.
struct LineFormatter;

impl Formatter for LineFormatter {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_shown(writer, fragment)
    }
}

/// A JSON formatter that breaks the first `depth` levels into lines.
struct RowFormatter {
    depth: usize,
    /// Number of open lists and objects.
    level: usize,
    /// True if the innermost open list or object has no element yet.
    is_empty: bool,
}

impl RowFormatter {
    fn open<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        self.level += 1;
        self.is_empty = true;
        writer.write_all(&[bracket])
    }

    fn next<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        if self.level <= self.depth {
            self.new_line(writer)
        } else if first {
            Ok(())
        } else {
            writer.write_all(b" ")
        }
    }

    fn close<W: ?Sized + io::Write>(&mut self, writer: &mut W, bracket: u8) -> io::Result<()> {
        let over_lines = self.level <= self.depth && !self.is_empty;
        self.level -= 1;
        self.is_empty = false;
        if over_lines {
            self.new_line(writer)?;
        }
        writer.write_all(&[bracket])
    }

    fn new_line<W: ?Sized + io::Write>(&self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b"\n")?;
        (0..self.level).try_for_each(|_| writer.write_all(b"  "))
    }
}

impl Formatter for RowFormatter {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        write_shown(writer, fragment)
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b'[')
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_empty = false;
        Ok(())
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b']')
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.open(writer, b'{')
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.next(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.is_empty = false;
        Ok(())
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.close(writer, b'}')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_read_back() {
        let name = "a\u{202e}b\u{9b}\u{7f}\u{2066}größe\"\n";
        for text in [to_json_rows(&[name], 1), to_json_line(&[name])] {
            assert!(text.contains(r#""a\u202eb\u009b\u007f\u2066größe\"\n""#), "{text}");
            assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap(), [name]);
        }
    }

    #[test]
    fn outer_levels_have_a_line_per_element_unless_empty() {
        let value = serde_json::json!({"a": [[1, {"b": 2}], []], "c": {}, "d": []});
        let text = "{\n  \"a\": [\n    [1, {\"b\": 2}],\n    []\n  ],\n  \"c\": {},\n  \"d\": []\n}\n";
        assert_eq!(to_json_rows(&value, 2), text);
        assert_eq!(to_json_rows(&value, 0), "{\"a\": [[1, {\"b\": 2}], []], \"c\": {}, \"d\": []}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap(), value);
    }
}
