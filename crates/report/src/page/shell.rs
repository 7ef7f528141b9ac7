//! The shell of all pages: title, policy, style, data and script in one file.

use base64::prelude::*;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::markup::Markup;

const STYLE: &str = include_str!("style.css");

/// Returns a page that runs a script on its data: a record, and bytes of compact numbers.
pub(super) fn interactive_page(
    title: &[String],
    body: &[&'static str],
    script: &str,
    record: &str,
    numbers: &[u8],
) -> String {
    page(title, &[script], |out| {
        for part in body {
            out.raw(part);
        }
        out.raw_text("script", &[("type", "application/json"), ("id", "record")], record);
        out.raw_text("script", &[("type", "text/plain"), ("id", "numbers")], &BASE64_STANDARD.encode(numbers));
        out.raw_text("script", &[], script);
    })
}

/// Returns a page that only says why nothing is drawn.
pub(super) fn refusal(title: &[String], reason: &str) -> String {
    page(title, &[], |out| {
        out.text("h1", &[], title.first().map_or("", |name| name));
        out.text("p", &[], &title.get(1..).unwrap_or_default().join(" · "));
        out.text("p", &[], &format!("Not shown: {reason}."));
    })
}

/// Returns a page with other pages in frames. Their script and that of the page may run.
pub(super) fn framing_page(
    title: &[String],
    script: &str,
    script_in_frames: &str,
    content: impl FnOnce(&mut Markup),
) -> String {
    page(title, &[script, script_in_frames], |out| {
        content(out);
        out.raw_text("script", &[], script);
    })
}

/// Returns a record as JSON that cannot end the element which contains it.
pub(super) fn to_json(record: &impl Serialize) -> String {
    let text = serde_json::to_string(record).expect("numbers and texts are JSON");
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => safe.push_str("\\u003c"),
            '>' => safe.push_str("\\u003e"),
            '&' => safe.push_str("\\u0026"),
            _ => safe.push(character),
        }
    }
    safe
}

fn page(title: &[String], scripts: &[&str], content: impl FnOnce(&mut Markup)) -> String {
    let mut out = Markup::default();
    out.raw("<!DOCTYPE html>\n");
    out.nest("html", &[("lang", "en")], |out| {
        out.nest("head", &[], |out| {
            out.empty("meta", &[("charset", "utf-8")]);
            out.empty("meta", &[("http-equiv", "Content-Security-Policy"), ("content", &security_policy(scripts))]);
            out.empty("meta", &[("name", "viewport"), ("content", "width=device-width, initial-scale=1")]);
            out.text("title", &[], &title.join(" · "));
            out.raw_text("style", &[], STYLE);
        });
        out.nest("body", &[], content);
    });
    out.finish()
}

/// Returns the Content-Security-Policy of a page: it loads nothing, and uses no other scripts and no style but its own.
fn security_policy(scripts: &[&str]) -> String {
    let source = |text: &str| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(text)));
    let style = source(STYLE);
    let scripts: Vec<_> = scripts.iter().map(|script| source(script)).collect();
    let scripts = if scripts.is_empty() { "'none'".to_owned() } else { scripts.join(" ") };
    format!("default-src 'none'; style-src {style}; script-src {scripts}; base-uri 'none'; form-action 'none'")
}
