//! JSON for people: outer levels over lines, inner ones on a line.

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;

/// A value as JSON text in which lists and objects of the first `depth` levels have a line for each element, and those
/// inside stand on one line. Ends with a newline.
///
/// ```
/// let text = lockstep_schedule::to_json_lines(&[[1, 2], [3, 4]], 1);
/// assert_eq!(text, "[\n  [1, 2],\n  [3, 4]\n]\n");
/// ```
///
/// # Panics
///
/// If `T` refuses to be serialized or has keys that are no strings, which derived structs never do.
pub fn to_json_lines<T: Serialize>(value: &T, depth: usize) -> String {
    let mut bytes = Vec::new();
    let lines = Lines { depth, level: 0, is_empty: true };
    value
        .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, lines))
        .expect("derived structs can be serialized");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is text")
}

struct Lines {
    depth: usize,
    level: usize,
    /// Whether the innermost open list or object has no element yet.
    is_empty: bool,
}

impl Lines {
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

impl Formatter for Lines {
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
    fn levels_break_over_lines_and_empty_ones_do_not() {
        let value = serde_json::json!({"a": [[1, {"b": 2}], []], "c": {}, "d": []});
        let text = "{\n  \"a\": [\n    [1, {\"b\": 2}],\n    []\n  ],\n  \"c\": {},\n  \"d\": []\n}\n";
        assert_eq!(to_json_lines(&value, 2), text);
        assert_eq!(to_json_lines(&value, 0), "{\"a\": [[1, {\"b\": 2}], []], \"c\": {}, \"d\": []}\n");
        assert_eq!(serde_json::from_str::<serde_json::Value>(text).unwrap(), value);
    }
}
