//! Transcripts of the program in `tests/cmd`.

#[test]
fn the_program_prints_its_transcripts() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd");
}
