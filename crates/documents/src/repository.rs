//! The folders of the repository.

use std::path::{Path, PathBuf};

/// Returns the root folder of the repository.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).expect("the package is at crates/documents").to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::root;

    /// The libraries that programs use beside the facade.
    const OUTSIDE: [&str; 7] = ["execute", "export", "measure", "report", "rings", "steps", "tune"];

    /// Returns the cells of the rows of a Markdown table that begin with this text.
    fn rows(page: &str, start: &str) -> Vec<Vec<String>> {
        let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect();
        page.lines().filter(|line| line.starts_with(start)).map(cells).collect()
    }

    #[test]
    fn the_readme_states_the_figures_of_the_measured_pages() {
        let page = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        let (readme, clusters) = (page("README.md"), page("docs/clusters.md"));
        let throughput = rows(&clusters, "| mi250:1  ");
        let above = throughput.iter().find(|row| row[2] == "store-and-forward").map(|row| &row[8]).unwrap();
        assert!(readme.contains(&format!("{above} above it on `mi250:1`")), "{above}");
        let servers = rows(&clusters, "| ndv2:");
        let mut ratios: Vec<&str> = servers.iter().filter(|row| row[3].ends_with(" us")).map(|row| &*row[8]).collect();
        ratios.sort_unstable();
        let range = format!("{} to {} of their times", ratios[0], ratios[ratios.len() - 1]);
        assert!(readme.contains(&range), "{range}");
    }

    #[test]
    fn each_library_is_a_module_of_the_facade_or_serves_other_formats() {
        let page = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        let facade = page("crates/lockstep/src/lib.rs");
        let mut modules = 0;
        for folder in fs::read_dir(root().join("crates")).unwrap() {
            let folder = folder.unwrap().file_name().into_string().unwrap();
            let is_published = !page(&format!("crates/{folder}/Cargo.toml")).contains("publish = false");
            if is_published && !["cli", "lockstep"].contains(&folder.as_str()) && !OUTSIDE.contains(&folder.as_str()) {
                assert!(facade.contains(&format!("pub use lockstep_{folder} as {folder};")), "{folder} is no module");
                modules += 1;
            }
        }
        for folder in OUTSIDE {
            assert!(facade.contains(&format!("`lockstep-{folder}`")), "the facade does not name {folder}");
            assert!(!facade.contains(&format!("pub use lockstep_{folder}")), "{folder}");
        }
        assert!(modules > 10);
    }
}
