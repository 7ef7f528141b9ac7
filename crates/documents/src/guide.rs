//! Tests: the guide and the README name everything that the code lists.

use std::fs;

use lockstep::analytic::constructions;
use lockstep::construct::methods;
use lockstep::schedule::CollectiveName;
use lockstep::topology::families;

use crate::repository::root;

fn page(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Returns true if a table of the page has a cell with `name`, alone or as code.
fn has_row(page: &str, name: &str) -> bool {
    let code = format!("`{name}`");
    let cells = page.lines().filter(|line| line.starts_with('|')).flat_map(|line| line.split('|'));
    cells.into_iter().any(|cell| cell.trim() == name || cell.contains(&code))
}

#[test]
fn the_guide_has_a_row_for_each_collective() {
    let guide = page("docs/guide.md");
    for name in CollectiveName::ALL {
        assert!(has_row(&guide, &name.to_string()), "{name} is not in a table of docs/guide.md");
    }
}

#[test]
fn the_guide_has_a_row_for_each_construction_and_method() {
    let guide = page("docs/guide.md");
    let constructions = constructions().iter().map(|construction| construction.name);
    for name in constructions.chain(methods().iter().map(|method| method.name)) {
        assert!(has_row(&guide, name), "{name} is not in a table of docs/guide.md");
    }
}

#[test]
fn the_readme_has_the_number_of_families() {
    let sentence = format!("It generates {} families by name", families().len());
    assert!(page("README.md").contains(&sentence), "README.md does not say: {sentence}");
}
