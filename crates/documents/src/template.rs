//! Markdown templates: the prose of the documents, with placeholders for numbers and tables.
//!
//! A template is a file in `templates/`. A line `<!-- block: NAME -->` begins a block, and `{name}` is a placeholder.

use std::fmt::Display;

/// The values of the placeholders of a block.
pub(crate) type Values<'a> = &'a [(&'a str, &'a dyn Display)];

/// The blocks of one template file.
#[derive(Clone, Copy)]
pub(crate) struct Template(&'static str);

const BLOCK_START: &str = "<!-- block: ";
const BLOCK_NAME_END: &str = " -->\n";

impl Template {
    /// Returns the template with this text.
    pub(crate) const fn new(text: &'static str) -> Self {
        Self(text)
    }

    /// Returns a block with its placeholders replaced, without empty lines around it.
    ///
    /// # Panics
    ///
    /// If the template has no such block, if the block lacks one of the placeholders, or if it has others. Templates
    /// are part of the program, so each of these is a bug.
    pub(crate) fn fill(self, block: &str, values: Values<'_>) -> String {
        let mut rest = self.block(block);
        let mut text = String::new();
        let mut used = vec![false; values.len()];
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').expect("each placeholder ends with `}`");
            let place = values.iter().position(|(key, _)| *key == name);
            let place = place.unwrap_or_else(|| panic!("block {block}: no value for {name}"));
            used[place] = true;
            text += before;
            text += values[place].1.to_string().trim_end();
            rest = after;
        }
        assert!(used.iter().all(|&is_used| is_used), "block {block}: a value has no placeholder");
        (text + rest).trim_end().to_owned()
    }

    fn block(self, name: &str) -> &'static str {
        let mut blocks = self.0.split(BLOCK_START).filter_map(|block| block.split_once(BLOCK_NAME_END));
        let block = blocks.find(|(found, _)| *found == name);
        block.unwrap_or_else(|| panic!("no block {name} in the template")).1.trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: Template = Template::new("<!-- block: a -->\n# A\n\n{n} of {m}.\n\n{n}\n\n<!-- block: b -->\nB\n");

    #[test]
    fn placeholders_are_replaced() {
        assert_eq!(TEMPLATE.fill("a", &[("n", &3), ("m", &"{x}\n")]), "# A\n\n3 of {x}.\n\n3");
        assert_eq!(TEMPLATE.fill("b", &[]), "B");
    }
}
