//! `cargo xtask clusters`: our schedules on clusters, compared with published figures.

mod algorithms;
mod networks;
mod page;
mod published;
mod rails;
mod throughput;
mod times;
mod widths;

use std::fs;

use anyhow::Result;
use clap::Args;

use crate::machine::machine;
use crate::process::Program;
use crate::repository::root;
use page::TEMPLATE;
use published::Published;

/// Whether to write the document.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Write docs/clusters.md and its pictures.
    #[arg(long)]
    write: bool,
}

/// Computes all tables, prints them and writes them on request.
///
/// # Errors
///
/// If a problem has no plan, if a schedule or a certificate is refused, or if a file cannot be read or written.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (program, published) = (Program::beside_this()?, Published::read()?);
    let mut blocks = vec![TEMPLATE.fill("head", &[("machine", &machine())])];
    blocks.push(rails::block(&program)?);
    blocks.push(throughput::block(&published.throughput)?);
    blocks.push(widths::block(&published.widths)?);
    blocks.push(networks::block(&published.networks)?);
    blocks.push(times::block(&published.times)?);
    let folder = arguments.write.then(|| root().join("docs/clusters"));
    if let Some(folder) = &folder {
        fs::create_dir_all(folder)?;
    }
    blocks.push(algorithms::block(&program, folder.as_deref())?);
    let text = blocks.join("\n\n") + "\n";
    print!("{text}");
    if arguments.write {
        fs::write(root().join("docs/clusters.md"), text)?;
    }
    Ok(())
}
