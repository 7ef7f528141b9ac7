//! Arguments of `lockstep completions`.

use clap_complete::Shell;

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  lockstep completions bash > ~/.local/share/bash-completion/completions/lockstep
  lockstep completions zsh > ~/.zfunc/_lockstep        # a directory of $fpath
  lockstep completions fish > ~/.config/fish/completions/lockstep.fish

The shell completes commands and options from its next start on; bash, fish and zsh also collectives,
families, engines, formats, and the nodes and links of the network that stands before.";

/// Arguments of `lockstep completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// Shell that reads the script
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}
