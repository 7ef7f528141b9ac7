//! A writer of XML text.

use lockstep_files::is_hidden;

use crate::geometry::Point;

/// XML text under construction. It escapes text and closes all elements.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    text: String,
}

impl Markup {
    /// Adds an element without content.
    pub(crate) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.open(name, attributes);
        self.text.push_str("/>\n");
    }

    /// Adds an element that contains text.
    pub(crate) fn text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        self.open(name, attributes);
        self.text.push('>');
        escape_into(&mut self.text, text);
        self.close(name);
    }

    /// Adds an element that contains elements.
    pub(crate) fn nest(&mut self, name: &str, attributes: &[(&str, &str)], content: impl FnOnce(&mut Self)) {
        self.open(name, attributes);
        self.text.push_str(">\n");
        content(self);
        self.close(name);
    }

    /// Adds a style or a script: its text is not escaped, and cannot end its element.
    pub(crate) fn raw_text(&mut self, name: &str, attributes: &[(&str, &str)], text: &str) {
        debug_assert!(!text.contains("</") && !text.contains("<!--"));
        self.open(name, attributes);
        self.text.push('>');
        self.text.push_str(text);
        self.close(name);
    }

    /// Adds markup of this crate.
    pub(crate) fn raw(&mut self, markup: &'static str) {
        self.text.push_str(markup);
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    fn open(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.text.push('<');
        self.text.push_str(name);
        for (key, value) in attributes {
            self.text.push(' ');
            self.text.push_str(key);
            self.text.push_str("=\"");
            escape_into(&mut self.text, value);
            self.text.push('"');
        }
    }

    fn close(&mut self, name: &str) {
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push_str(">\n");
    }
}

/// Appends text, escaped for elements and attributes. Control characters, which XML cannot represent, and
/// characters that change the writing direction become U+FFFD.
fn escape_into(target: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => target.push_str("&amp;"),
            '<' => target.push_str("&lt;"),
            '>' => target.push_str("&gt;"),
            '"' => target.push_str("&quot;"),
            '\'' => target.push_str("&#39;"),
            '\t' | '\n' | '\r' => target.push(' '),
            '\u{fffe}' | '\u{ffff}' => target.push(char::REPLACEMENT_CHARACTER),
            _ if is_hidden(character) => target.push(char::REPLACEMENT_CHARACTER),
            _ => target.push(character),
        }
    }
}

/// Formats a length with one decimal, without a trailing `.0`.
pub(crate) fn number(length: f64) -> String {
    // Adding 0 after rounding avoids `-0`.
    let tenths = (length * 10.0).round() + 0.0;
    format!("{}", tenths / 10.0)
}

/// Formats a point, `x,y`.
pub(crate) fn pair(point: Point) -> String {
    format!("{},{}", number(point.x), number(point.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_one_decimal_and_no_negative_zero() {
        assert_eq!([0.04, -0.04, 1.25, -3.0, 1e6].map(number), ["0", "0", "1.3", "-3", "1000000"]);
    }

    #[test]
    fn text_that_would_end_an_element_or_an_attribute_is_escaped() {
        let mut escaped = String::new();
        escape_into(&mut escaped, "</g>\"'&\u{0}\u{1b}\u{ffff}\u{202e}");
        assert_eq!(escaped, "&lt;/g&gt;&quot;&#39;&amp;\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
    }
}
