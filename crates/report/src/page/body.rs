//! Elements that pages share.

/// The buttons of the colour scheme and of the list of keys.
pub(super) const CORNER: &str = include_str!("body/corner.html");
/// The buttons of the zoom.
pub(super) const ZOOM: &str = include_str!("body/zoom.html");
/// The buttons that save files and show the command.
pub(super) const SAVE: &str = include_str!("body/save.html");
/// The legend and the canvases of the picture.
pub(super) const CANVASES: &str = include_str!("body/canvases.html");
/// The tip at the pointer, and the list of keys.
pub(super) const DIALOG: &str = include_str!("body/dialog.html");
