//! What people see: transcripts of the program in `tests/cmd`.

#[test]
fn transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
