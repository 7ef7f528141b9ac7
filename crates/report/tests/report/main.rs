//! Tests of the public interface. Pictures are parsed as XML, and pages are opened in a browser.

#[expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]
#[cfg(unix)]
mod browser;
#[expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]
#[cfg(unix)]
mod browser_books;
#[cfg(unix)]
mod browser_fronts;
#[cfg(unix)]
mod browser_networks;
#[expect(clippy::unwrap_used, reason = "in a test, a failed unwrap is a failed test")]
#[cfg(unix)]
mod browser_pages;
#[cfg(unix)]
mod browser_screens;
#[cfg(unix)]
mod browser_views;
mod pages;
mod pictures;
mod plots;
