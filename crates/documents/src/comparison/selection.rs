//! The sections and rows that a run measures.

use clap::ValueEnum;

/// A section of the document.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Section {
    /// The tables with other programs.
    Comparison,
    /// Large problems.
    Large,
    /// Files and verification.
    Files,
    /// Search and design.
    Search,
    /// Simulation.
    Simulation,
    /// Growth.
    Growth,
    /// Where the time goes.
    Stages,
}

/// One section or all, and their rows whose name contains a text.
pub(super) struct Selection {
    pub(super) section: Option<Section>,
    pub(super) filter: Option<String>,
}

impl Selection {
    /// Returns true if the section is measured.
    pub(super) fn has(&self, section: Section) -> bool {
        self.section.is_none_or(|only| only == section)
    }

    /// Returns true if the row with this name is measured.
    pub(super) fn wants(&self, name: &str) -> bool {
        self.filter.as_ref().is_none_or(|filter| name.contains(filter.as_str()))
    }

    /// Returns true if all rows of all sections are measured.
    pub(super) fn is_whole(&self) -> bool {
        self.section.is_none() && self.filter.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_and_a_filter_leave_rows_out() {
        let all = Selection { section: None, filter: None };
        assert!(all.has(Section::Large) && all.wants("a ring") && all.is_whole());
        let few = Selection { section: Some(Section::Large), filter: Some("torus".to_owned()) };
        assert!(few.has(Section::Large) && !few.has(Section::Files) && !few.is_whole());
        assert!(few.wants("8x8 torus") && !few.wants("a ring"));
    }
}
