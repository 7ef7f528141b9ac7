//! Tests of the public interface.

mod properties;
mod published_results;
