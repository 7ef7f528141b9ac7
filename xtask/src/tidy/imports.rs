//! Circles of imports between the files of a crate.
//!
//! File A imports file B if A names an item of B in a `use` declaration or in a path. A name that a module only
//! re-exports leads to the file that defines it. A re-export itself is not an import.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::finding::Finding;
use super::module::{ModulePaths, NamePath};
use crate::text_file::TextFile;

/// The most re-exports that are followed from one name, in case they lead in a circle.
const REEXPORT_LIMIT: u32 = 8;

/// Returns a finding for each circle of imports in each crate.
///
/// Every strongly connected component with two or more files counts as one circle. `O(length of all files)`.
pub(crate) fn circles(files: &[TextFile]) -> Vec<Finding> {
    let mut crates: BTreeMap<&Path, Vec<&TextFile>> = BTreeMap::new();
    for file in files.iter().filter(|file| file.has_extension("rs")) {
        if let Some(source) = file.path.ancestors().find(|folder| folder.ends_with("src")) {
            crates.entry(source).or_default().push(file);
        }
    }
    let mut findings = Vec::new();
    for (source, files) in crates {
        let modules = CrateModules::new(source, &files);
        let imports = modules.imports();
        for circle in strong_components(&imports) {
            let names: Vec<String> = circle.iter().map(|&file| modules.describe(file, &imports, &circle)).collect();
            let path = source.join(&modules.files[circle[0]].path);
            findings.push(Finding::of(&path, format!("circle of imports: {}", names.join("; "))));
        }
    }
    findings
}

/// A source file of a crate.
struct ModuleFile {
    /// Relative to the folder `src`.
    path: PathBuf,
    /// The names from the root of the crate to this module.
    module: NamePath,
    paths: ModulePaths,
}

/// All modules of a crate that are not tests.
struct CrateModules {
    files: Vec<ModuleFile>,
    /// Indexes of `files` by module.
    by_module: BTreeMap<NamePath, usize>,
}

impl CrateModules {
    fn new(source: &Path, files: &[&TextFile]) -> Self {
        let mut files: Vec<ModuleFile> = files
            .iter()
            .map(|file| {
                let path = file.path.strip_prefix(source).expect("the file is below `src`").to_owned();
                ModuleFile { module: module_of(&path), paths: ModulePaths::of(&file.text), path }
            })
            .collect();
        let tests: Vec<NamePath> = files
            .iter()
            .flat_map(|file| file.paths.test_modules.iter().map(|name| child(&file.module, name)))
            .collect();
        files.retain(|file| !tests.iter().any(|test| file.module.starts_with(test)));
        let by_module = files.iter().enumerate().map(|(index, file)| (file.module.clone(), index)).collect();
        Self { files, by_module }
    }

    /// Returns the files that each file imports.
    fn imports(&self) -> Vec<BTreeSet<usize>> {
        let targets = |(index, file): (usize, &ModuleFile)| {
            let imports = file.paths.imports.iter().map(|(_, path)| path);
            let paths = imports.chain(&file.paths.mentions);
            paths.filter_map(|path| self.resolve(index, path)).filter(|&target| target != index).collect()
        };
        self.files.iter().enumerate().map(targets).collect()
    }

    /// Returns the file that defines what `path` names in file `from`, or `None` if it is outside the crate.
    fn resolve(&self, from: usize, path: &[String]) -> Option<usize> {
        self.resolve_within(from, path, REEXPORT_LIMIT)
    }

    fn resolve_within(&self, from: usize, path: &[String], limit: u32) -> Option<usize> {
        let here = &self.files[from].module;
        let (mut module, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (here.clone(), &path[1..]),
            "super" => {
                let levels = path.iter().take_while(|name| *name == "super").count();
                (here[..here.len().checked_sub(levels)?].to_vec(), &path[levels..])
            }
            name if self.by_module.contains_key(&child(here, name)) => (here.clone(), path),
            // A path may begin with an imported module.
            name => {
                let (_, imported) = self.files[from].paths.imports.iter().find(|(local, _)| local == name)?;
                let is_itself = imported.first().is_some_and(|first| first == name);
                let whole = [imported, &path[1..]].concat();
                return if is_itself || limit == 0 { None } else { self.resolve_within(from, &whole, limit - 1) };
            }
        };
        while let Some(next) = rest.first().map(|name| child(&module, name))
            && self.by_module.contains_key(&next)
        {
            (module, rest) = (next, &rest[1..]);
        }
        let target = *self.by_module.get(&module)?;
        if let Some(name) = rest.first()
            && limit > 0
            && let Some((_, reexported)) = self.files[target].paths.reexports.iter().find(|(local, _)| local == name)
            && let Some(definition) = self.resolve_within(target, reexported, limit - 1)
        {
            return Some(definition);
        }
        Some(target)
    }

    /// Returns the imports of a file within a circle, as text.
    fn describe(&self, file: usize, imports: &[BTreeSet<usize>], circle: &[usize]) -> String {
        let shown = |index: usize| self.files[index].path.display().to_string();
        let targets: Vec<String> =
            imports[file].iter().filter(|target| circle.contains(target)).map(|&target| shown(target)).collect();
        format!("{} imports {}", shown(file), targets.join(", "))
    }
}

/// Returns the module of a file, given its path below `src`.
fn module_of(path: &Path) -> NamePath {
    let mut names: NamePath = path.with_extension("").iter().map(|name| name.to_string_lossy().into_owned()).collect();
    if names.last().is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str())) {
        names.pop();
    }
    names
}

fn child(module: &[String], name: &str) -> NamePath {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

/// Returns the strongly connected components with at least two nodes, each in ascending order.
///
/// # Source
///
/// R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM Journal on Computing 1 (1972), section 4.
fn strong_components(edges: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut search = ComponentSearch {
        edges,
        order: vec![None; edges.len()],
        low: vec![0; edges.len()],
        stack: vec![],
        found: vec![],
    };
    for node in 0..edges.len() {
        if search.order[node].is_none() {
            search.visit(node);
        }
    }
    search.found.sort_unstable();
    search.found
}

/// The state of the depth-first search for strongly connected components.
struct ComponentSearch<'a> {
    edges: &'a [BTreeSet<usize>],
    /// Visiting order; `None` before the visit.
    order: Vec<Option<usize>>,
    /// The earliest node on the stack that is reachable from this one.
    low: Vec<usize>,
    stack: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl ComponentSearch<'_> {
    fn visit(&mut self, node: usize) {
        let order = self.order.iter().flatten().count();
        self.order[node] = Some(order);
        self.low[node] = order;
        let start = self.stack.len();
        self.stack.push(node);
        for &next in &self.edges[node] {
            match self.order[next] {
                None => {
                    self.visit(next);
                    self.low[node] = self.low[node].min(self.low[next]);
                }
                Some(seen) if self.stack.contains(&next) => self.low[node] = self.low[node].min(seen),
                Some(_) => {}
            }
        }
        if self.low[node] == order {
            let mut component = self.stack.split_off(start);
            if component.len() > 1 {
                component.sort_unstable();
                self.found.push(component);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles_of(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<TextFile> = files
            .iter()
            .map(|&(path, text)| TextFile { path: Path::new("crates/x/src").join(path), text: text.to_owned() })
            .collect();
        circles(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_chain_has_no_circle() {
        let files = [("lib.rs", "mod a; mod b; pub use a::A;"), ("a.rs", "use crate::b::B;"), ("b.rs", "struct B;")];
        assert!(circles_of(&files).is_empty());
    }

    #[test]
    fn two_files_that_import_each_other_are_a_circle() {
        let files = [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "fn f(a: super::a::A) {}")];
        let found = circles_of(&files);
        assert_eq!(found, ["crates/x/src/a.rs: circle of imports: a.rs imports b.rs; b.rs imports a.rs"]);
    }

    #[test]
    fn a_child_that_imports_its_parent_is_a_circle_if_the_parent_uses_the_child() {
        let child = ("a/b.rs", "use super::Limit;");
        assert_eq!(circles_of(&[("lib.rs", "mod a;"), ("a.rs", "mod b; use b::B; struct Limit;"), child]).len(), 1);
        assert_eq!(
            circles_of(&[("lib.rs", "mod a;"), ("a/mod.rs", "mod b; fn f() { b::g() } struct Limit;"), child]).len(),
            1
        );
        assert!(circles_of(&[("lib.rs", "mod a;"), ("a.rs", "mod b; pub use b::B; struct Limit;"), child]).is_empty());
    }

    #[test]
    fn a_reexported_name_leads_to_its_definition() {
        let lib = ("lib.rs", "mod a; mod b; pub use a::A; pub use b::B;");
        assert_eq!(circles_of(&[lib, ("a.rs", "use crate::B;"), ("b.rs", "use crate::A;")]).len(), 1);
        assert!(circles_of(&[lib, ("a.rs", "use crate::B;"), ("b.rs", "struct B;")]).is_empty());
    }

    #[test]
    fn a_path_may_begin_with_an_imported_module() {
        let files = [
            ("lib.rs", "mod kit; mod c;"),
            ("kit.rs", "pub(crate) mod d;"),
            ("kit/d.rs", "use crate::c::C;"),
            ("c.rs", "use crate::kit as tools; fn f() { tools::d::g() }"),
        ];
        assert_eq!(circles_of(&files).len(), 1);
    }

    #[test]
    fn tests_may_import_anything() {
        let files = [
            ("lib.rs", "mod a;\n#[cfg(test)]\nmod tests;"),
            ("a.rs", "#[cfg(test)]\nmod tests { use crate::tests::t; }"),
            ("tests.rs", "use crate::a::A;"),
        ];
        assert!(circles_of(&files).is_empty());
    }
}
