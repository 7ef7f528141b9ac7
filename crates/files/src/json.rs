//! JSON texts with one line per row: outer levels are broken into lines, inner levels are not.

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;

/// Returns the value as JSON text, with a line per element in the first `depth` levels of lists and objects.
///
/// Deeper levels stand on the line of their parent. The text ends with a newline. O(length of the text).
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
    let mut bytes = Vec::new();
    let formatter = RowFormatter { depth, level: 0, is_empty: true };
    value
        .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter))
        .expect("derived types have a JSON form");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON text is UTF-8")
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
    fn outer_levels_have_a_line_per_element_unless_empty() {
        let value = serde_json::json!({"a": [[1, {"b": 2}], []], "c": {}, "d": []});
        let text = "{\n  \"a\": [\n    [1, {\"b\": 2}],\n    []\n  ],\n  \"c\": {},\n  \"d\": []\n}\n";
        assert_eq!(to_json_rows(&value, 2), text);
        assert_eq!(to_json_rows(&value, 0), "{\"a\": [[1, {\"b\": 2}], []], \"c\": {}, \"d\": []}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap(), value);
    }
}
