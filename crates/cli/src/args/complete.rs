//! Arguments of `lockstep complete`, which the scripts of shells call.

/// Arguments of `lockstep complete`.
#[derive(Debug, clap::Args)]
pub(crate) struct CompleteArgs {
    /// Words of the command line, from the program to the word to complete
    #[arg(value_name = "WORD", last = true)]
    pub(crate) words: Vec<String>,
}
