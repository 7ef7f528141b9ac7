//! Tests of the public interface. Pictures are parsed as XML.

mod pictures;
mod plots;
