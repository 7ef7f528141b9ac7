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

    #[test]
    fn each_library_but_the_pictures_is_a_module_of_the_facade() {
        let page = |path: &str| fs::read_to_string(root().join(path)).unwrap();
        let facade = page("crates/lockstep/src/lib.rs");
        let mut modules = 0;
        for folder in fs::read_dir(root().join("crates")).unwrap() {
            let folder = folder.unwrap().file_name().into_string().unwrap();
            let is_published = !page(&format!("crates/{folder}/Cargo.toml")).contains("publish = false");
            if is_published && !["cli", "lockstep", "report"].contains(&folder.as_str()) {
                assert!(facade.contains(&format!("pub use lockstep_{folder} as {folder};")), "{folder} is no module");
                modules += 1;
            }
        }
        assert!(facade.contains("Every library of Lockstep is a module of this crate, except `lockstep-report`"));
        assert!(modules > 10 && !facade.contains("pub use lockstep_report"));
    }
}
