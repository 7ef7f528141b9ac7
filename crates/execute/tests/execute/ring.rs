//! Ring algorithms in MSCCL XML.

use std::fmt::Write as _;

/// Returns a step without dependencies, with equal offsets in equal buffers.
fn step(number: u32, kind: &str, buffer: &str, offset: u32, dependency: [i32; 2], has_dependants: u8) -> String {
    let [depid, deps] = dependency;
    format!(
        "      <step s=\"{number}\" type=\"{kind}\" srcbuf=\"{buffer}\" srcoff=\"{offset}\" dstbuf=\"{buffer}\" \
         dstoff=\"{offset}\" cnt=\"1\" depid=\"{depid}\" deps=\"{deps}\" hasdep=\"{has_dependants}\"/>\n"
    )
}

fn head(collective: &str, ranks: u32) -> String {
    format!(
        "<algo name=\"ring\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{ranks}\" ngpus=\"{ranks}\" \
         coll=\"{collective}\" inplace=\"1\" outofplace=\"0\" minBytes=\"0\" maxBytes=\"0\">\n"
    )
}

/// Returns an all-reduce in place: one thread block per GPU, with all fused types of steps.
pub(crate) fn all_reduce(ranks: u32) -> String {
    let mut text = head("allreduce", ranks);
    for rank in 0..ranks {
        let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        writeln!(text, "  <gpu id=\"{rank}\" i_chunks=\"{ranks}\" o_chunks=\"{ranks}\" s_chunks=\"0\">").unwrap();
        writeln!(text, "    <tb id=\"0\" send=\"{next}\" recv=\"{previous}\" chan=\"0\">").unwrap();
        let last = 2 * ranks - 2;
        for number in 0..=last {
            let kind = match number {
                0 => "s",
                _ if number < ranks - 1 => "rrs",
                _ if number == ranks - 1 => "rrcs",
                _ if number < last => "rcs",
                _ => "r",
            };
            let offset = (rank + 2 * ranks - number) % ranks;
            text.push_str(&step(number, kind, "o", offset, [-1, -1], 0));
        }
        text.push_str("    </tb>\n  </gpu>\n");
    }
    text + "</algo>\n"
}

/// Returns an all-gather in place. Receives and sends have thread blocks of their own, so every send but the first waits for
/// a receive.
pub(crate) fn all_gather(ranks: u32) -> String {
    let mut text = head("allgather", ranks);
    for rank in 0..ranks {
        let (next, previous) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        writeln!(text, "  <gpu id=\"{rank}\" i_chunks=\"0\" o_chunks=\"{ranks}\" s_chunks=\"0\">").unwrap();
        writeln!(text, "    <tb id=\"0\" send=\"{next}\" recv=\"-1\" chan=\"0\">").unwrap();
        for number in 0..ranks - 1 {
            let dependency = if number == 0 { [-1, -1] } else { [1, number.cast_signed() - 1] };
            text.push_str(&step(number, "s", "o", (rank + ranks - number) % ranks, dependency, 0));
        }
        writeln!(text, "    </tb>\n    <tb id=\"1\" send=\"-1\" recv=\"{previous}\" chan=\"0\">").unwrap();
        for number in 0..ranks - 1 {
            let has_dependants = u8::from(number < ranks - 2);
            text.push_str(&step(number, "r", "o", (rank + ranks - number - 1) % ranks, [-1, -1], has_dependants));
        }
        text.push_str("    </tb>\n  </gpu>\n");
    }
    text + "</algo>\n"
}
