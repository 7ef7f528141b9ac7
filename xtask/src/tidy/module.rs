//! The import paths of one source file, read from its tokens.

use super::tokens::{Token, tokens};

/// A path of names, such as `crate`, `kit`, `distances`.
pub(crate) type NamePath = Vec<String>;

/// The paths of one source file that may lead to other files of its crate. Code under `#[cfg(test)]` is left out.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct ModulePaths {
    /// Private imports: the local name and the imported path.
    pub(crate) imports: Vec<(String, NamePath)>,
    /// Imports with `pub`, `pub(crate)` or the like.
    pub(crate) reexports: Vec<(String, NamePath)>,
    /// Paths of at least two names in expressions, types and macros.
    pub(crate) mentions: Vec<NamePath>,
    /// Names of modules declared under `#[cfg(test)]`.
    pub(crate) test_modules: Vec<String>,
}

impl ModulePaths {
    /// Reads the paths of a source file in `O(length)`.
    pub(crate) fn of(text: &str) -> Self {
        let mut reader = Reader { tokens: &tokens(text), at: 0, found: Self::default() };
        while reader.at < reader.tokens.len() {
            reader.item();
        }
        reader.found
    }
}

struct Reader<'a> {
    tokens: &'a [Token<'a>],
    at: usize,
    found: ModulePaths,
}

impl<'a> Reader<'a> {
    fn peek(&self, ahead: usize) -> Option<Token<'a>> {
        self.tokens.get(self.at + ahead).copied()
    }

    fn is_mark(&self, ahead: usize, mark: char) -> bool {
        self.peek(ahead) == Some(Token::Mark(mark))
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        self.peek(ahead) == Some(Token::Word(word))
    }

    fn is_path_separator(&self, ahead: usize) -> bool {
        self.is_mark(ahead, ':') && self.is_mark(ahead + 1, ':')
    }

    /// Reads one import, one path, one test item, or skips one token.
    fn item(&mut self) {
        if self.is_mark(0, '#') && self.is_mark(1, '[') {
            let is_test =
                self.is_word(2, "cfg") && self.is_mark(3, '(') && self.is_word(4, "test") && self.is_mark(5, ')');
            self.skip_group('[', ']');
            if is_test {
                self.skip_test_item();
            }
        } else if self.is_word(0, "use") {
            self.import(false);
        } else if self.is_word(0, "pub") {
            self.at += 1;
            if self.is_mark(0, '(') {
                self.skip_group('(', ')');
            }
            if self.is_word(0, "use") {
                self.import(true);
            }
        } else if let Some(Token::Word(first)) = self.peek(0) {
            self.path(first);
        } else {
            self.at += 1;
        }
    }

    /// Skips to the mark `close` that ends the group which the next mark `open` begins.
    fn skip_group(&mut self, open: char, close: char) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek(0) {
            self.at += 1;
            if token == Token::Mark(open) {
                depth += 1;
            } else if token == Token::Mark(close) {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
        }
    }

    /// Skips an item with its attributes: up to its `;` or the end of its braces.
    fn skip_test_item(&mut self) {
        while self.is_mark(0, '#') && self.is_mark(1, '[') {
            self.skip_group('[', ']');
        }
        while let Some(token) = self.peek(0) {
            match token {
                Token::Mark('{') => return self.skip_group('{', '}'),
                Token::Mark('(') => self.skip_group('(', ')'),
                Token::Mark(';') => {
                    self.at += 1;
                    return;
                }
                Token::Word("mod") => {
                    if let Some(Token::Word(name)) = self.peek(1) {
                        self.found.test_modules.push(name.to_owned());
                    }
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Reads a path such as `crate::kit::search` and keeps it if it has at least two names.
    fn path(&mut self, first: &str) {
        let mut path = vec![first.to_owned()];
        // `::std::mem` and the tail of `<T as Trait>::method` are not relative to this module.
        let is_tail = self.at >= 2 && self.tokens[self.at - 2..self.at] == [Token::Mark(':'); 2];
        self.at += 1;
        while self.is_path_separator(0)
            && let Some(Token::Word(name)) = self.peek(2)
        {
            path.push(name.to_owned());
            self.at += 3;
        }
        if path.len() > 1 && !is_tail {
            self.found.mentions.push(path);
        }
    }

    fn import(&mut self, is_public: bool) {
        self.at += 1;
        if self.is_path_separator(0) {
            self.at += 2;
        }
        let mut found = Vec::new();
        self.use_tree(&mut Vec::new(), &mut found);
        if is_public { &mut self.found.reexports } else { &mut self.found.imports }.extend(found);
    }

    /// Reads the rest of a use tree whose beginning is `prefix`.
    fn use_tree(&mut self, prefix: &mut NamePath, found: &mut Vec<(String, NamePath)>) {
        let depth = prefix.len();
        loop {
            match self.peek(0) {
                Some(Token::Word("as")) => {
                    // `self as name` and `name as other` bind another name to the same path.
                    if let (Some((name, _)), Some(Token::Word(local))) = (found.last_mut(), self.peek(1)) {
                        local.clone_into(name);
                    }
                    self.at += 2;
                }
                Some(Token::Word(name)) => {
                    self.at += 1;
                    let is_self = name == "self" && depth > 0;
                    if !is_self {
                        prefix.push(name.to_owned());
                    }
                    if self.is_path_separator(0) {
                        self.at += 2;
                        continue;
                    }
                    let local = prefix.last().cloned().unwrap_or_default();
                    found.push((local, prefix.clone()));
                }
                Some(Token::Mark('*')) => {
                    self.at += 1;
                    found.push(("*".to_owned(), prefix.clone()));
                }
                Some(Token::Mark('{')) => {
                    self.at += 1;
                    while self.at < self.tokens.len() && !self.is_mark(0, '}') {
                        self.use_tree(prefix, found);
                        if self.is_mark(0, ',') {
                            self.at += 1;
                        }
                    }
                    self.at += 1;
                }
                _ => break,
            }
        }
        prefix.truncate(depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> NamePath {
        text.split("::").map(str::to_owned).collect()
    }

    fn imports(text: &str) -> Vec<String> {
        let shown = |(name, path): (String, NamePath)| format!("{name}={}", path.join("::"));
        ModulePaths::of(text).imports.into_iter().map(shown).collect()
    }

    #[test]
    fn use_trees_are_expanded() {
        assert_eq!(
            imports("use crate::a::{self, b::{C, D as E}, f::*};"),
            ["a=crate::a", "C=crate::a::b::C", "E=crate::a::b::D", "*=crate::a::f"]
        );
        assert_eq!(imports("use a as b;\nuse self::c::d;"), ["b=a", "d=self::c::d"]);
    }

    #[test]
    fn reexports_are_not_imports() {
        let found = ModulePaths::of("pub use a::B; pub(in crate::x) use c::D; pub(crate) fn f() {}");
        assert!(found.imports.is_empty());
        assert_eq!(found.reexports, [("B".to_owned(), path("a::B")), ("D".to_owned(), path("c::D"))]);
    }

    #[test]
    fn paths_in_code_and_macros_are_mentions() {
        let found = ModulePaths::of("fn f() -> super::T { $crate::g!(a); <X as Y>::z::w; kit::h(\"crate::s\") }");
        assert_eq!(found.mentions, [path("super::T"), path("crate::g"), path("kit::h")]);
    }

    #[test]
    fn test_items_are_left_out() {
        let found =
            ModulePaths::of("#[cfg(test)]\n#[allow(x)]\nmod tests;\n#[cfg(test)] fn f() { crate::a::b() } use c::D;");
        assert_eq!(found.test_modules, ["tests"]);
        assert!(found.mentions.is_empty());
        assert_eq!(found.imports, [("D".to_owned(), path("c::D"))]);
    }
}
