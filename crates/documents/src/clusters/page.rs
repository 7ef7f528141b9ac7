//! The prose of `docs/clusters.md`.

use crate::template::Template;

pub(super) const TEMPLATE: Template = Template::new(include_str!("../../templates/clusters.md"));
