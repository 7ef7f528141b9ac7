//! Tests of the reader and writer of graph files. The accepted and refused files were compared with the parser of NCCL 2.30.

use proptest::prelude::*;

use super::{GraphId, NcclGraph, NcclGraphs, PathType, read, write};
use crate::format::order::Order;

const RING: &str = r#"<graphs version="1">
  <graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="20" speedinter="12.5" latencyinter="0" typeintra="NVL" typeinter="PIX" samechannels="0">
    <channel>
      <gpu dev="0x0"/>
      <gpu dev="0x1"/>
      <gpu dev="0x2"/>
    </channel>
  </graph>
</graphs>
"#;

/// Returns a graph with one channel per order.
fn graph(id: GraphId, channels: Vec<Order>) -> NcclGraph {
    NcclGraph {
        id,
        pattern: if id == GraphId::Ring { 4 } else { 3 },
        cross_nic: 0,
        speed_intra: 20.0,
        speed_inter: 12.5,
        latency_inter: 0.0,
        type_intra: PathType::Nvl,
        type_inter: PathType::Pix,
        same_channels: false,
        channels,
    }
}

#[test]
fn a_graph_is_read_and_written_back() {
    let (graphs, notes) = read(RING).unwrap();
    assert_eq!(graphs, NcclGraphs { graphs: vec![graph(GraphId::Ring, vec![Order::inside([0, 1, 2])])] });
    assert_eq!(write(&graphs), RING);
    assert_eq!((notes.len(), graphs.used_channels()), (1, None));
    assert!(notes[0].starts_with("no graph 1 (trees): NCCL searches trees in exactly 1 channels"), "{notes:?}");
}

#[test]
fn dialects_of_nccl_are_read() {
    let expected = read(RING).unwrap().0;
    for (from, to) in [
        ("\n", "\r\n"),
        ("\"", "'"),
        ("  ", ""),
        ("/>", " />"),
        ("<channel>", "<channel><!-- a=b <x> -->"),
        ("0x", ""),
        (" latencyinter=\"0\"", ""),
        ("<gpu dev=\"0x1\"/>", "<gpu dev=\"0X01\"></gpu>"),
        (" id=", "  id="),
        (" version=\"1\"", " version=\"1\" name=\"server\""),
    ] {
        let text = RING.replace(from, to);
        assert_ne!(text, RING);
        assert_eq!(read(&text).map(|(graphs, _)| graphs), Ok(expected.clone()), "{text}");
    }
}

#[test]
fn network_cards_are_at_the_ends() {
    let text = RING
        .replace("<channel>\n", "<channel>\n<net dev=\"0xa\"/>\n")
        .replace("</channel>", "<net dev=\"1\"/></channel>");
    assert_eq!(read(&text).unwrap().0.graphs[0].channels[0].nics, Some([10, 1]));
    assert_eq!(read(&write(&read(&text).unwrap().0)).unwrap(), read(&text).unwrap());
}

#[test]
fn a_dump_with_ranks_is_read_with_a_note() {
    let text = RING.replace("<gpu dev=\"0x0\"", "<gpu dev=\"0x0\" rank=\"8\"");
    let text = text
        .replace("<gpu dev=\"0x1\"", "<gpu dev=\"0x1\" rank=\"10\"")
        .replace("<gpu dev=\"0x2\"", "<gpu dev=\"0x2\" rank=\"9\"");
    let (graphs, notes) = read(&text).unwrap();
    assert_eq!(graphs.graphs[0].channels[0].gpus, [0, 1, 2]);
    assert!(notes.iter().any(|note| note.starts_with("the file has 'rank'")), "{notes:?}");
    assert!(!write(&graphs).contains("rank"));
}

#[test]
fn notes_name_what_nccl_does() {
    let ring = || Order::inside([0, 1, 2]);
    let notes = |graphs: Vec<NcclGraph>| read(&write(&NcclGraphs { graphs })).unwrap().1;
    assert!(notes(vec![graph(GraphId::Ring, vec![ring()]), graph(GraphId::Tree, vec![ring()])]).is_empty());
    let unequal = notes(vec![graph(GraphId::Ring, vec![ring(); 2]), graph(GraphId::Tree, vec![ring(); 3])]);
    assert_eq!(unequal, ["rings in graph 0: 2, chains in graph 1: 3; NCCL uses 2 of each"]);
    assert!(notes(vec![graph(GraphId::Tree, vec![ring()])])[0].starts_with("no graph 0 (rings)"));
    let crossed = NcclGraph { cross_nic: 1, ..graph(GraphId::Ring, vec![ring()]) };
    assert!(notes(vec![crossed, graph(GraphId::Tree, vec![ring()])])[0].contains("NCCL_CROSS_NIC"));
    let long = graph(GraphId::Ring, vec![Order::inside(0..200)]);
    assert!(notes(vec![long.clone(), NcclGraph { id: GraphId::Tree, pattern: 3, ..long }])[0].contains("NCCL 2.29"));
}

#[test]
fn spoiled_files_are_refused() {
    for (from, to, part) in [
        // What the parser of NCCL refuses.
        ("<graphs version", "<?xml version=\"1.0\"?><graphs version", "line 1: found '<?xml', expected an element"),
        ("    <channel>", "\t<channel>", "line 3: found '\\t', expected '<'; NCCL refuses tabs"),
        ("<channel>", "<channel>text", "line 3: found 'text', expected '<'"),
        (" pattern", "\n pattern", "line 2: found 'a line break', expected '>', '/>' or a blank"),
        ("pattern=", "pattern =", "found 'pattern =\"4\""),
        ("pattern=\"4\"", "pattern=4", "expected a value in quotes"),
        ("pattern=\"4\"", "pattern=\"4", "expected '>', '/>' or a blank"),
        ("\"0\">", "\"0>", "expected a value that ends with a quote in the same line"),
        ("<channel>", "<channel><!--a=b-->", "expected a blank after '<!--'"),
        ("<channel>", "<channel><!-- a", "the end of the comment"),
        ("version=\"1\"", "version=\"2\"", "'version' of <graphs> is '2', expected 1"),
        (" version=\"1\"", "", "<graphs> has no 'version': NCCL refuses the file; add it"),
        ("</graph>", "", "found '</graphs>', expected </graph>"),
        ("</graphs>", "", "found nothing, expected </graphs>: the file is cut"),
        ("</channel>", "</channel >", "expected '>' directly after the name"),
        (" pattern=\"4\"", "", "<graph> has no 'pattern': NCCL stops with an internal error"),
        (" samechannels=\"0\"", "", "has no 'samechannels'"),
        (" typeintra=\"NVL\"", "", "has no 'typeintra': NCCL crashes"),
        (" dev=\"0x1\"", "", "<gpu> has no 'dev'"),
        // What it ignores or reads in another way.
        ("<graphs ", "<rings ", "found '<rings>', expected <graphs>; NCCL ignores"),
        ("</graphs>", "</graphs><graphs version=\"1\"></graphs>", "expected the end of the file"),
        ("<channel>", "<ring></ring><channel>", "found '<ring>', expected <channel> or </graph>"),
        ("<gpu dev=\"0x1\"/>", "<gpu dev=\"0x1\"><x/></gpu>", "found '<x>', expected </gpu>"),
        (
            "nchannels=\"1\"",
            "nchannels=\"2\"",
            "'nchannels' is 2, but the graph has 1 <channel>: NCCL uses channels without GPUs",
        ),
        (
            "nchannels=\"1\"",
            "nchannels=\"0\"",
            "'nchannels' is 0, but the graph has 1 <channel>: NCCL ignores the other",
        ),
        ("nchannels=\"1\"", "nchannels=\"0x1\"", "'nchannels' of <graph> is '0x1'"),
        ("id=\"0\"", "id=\"5\"", "'id' of <graph> is '5', expected 0 rings"),
        ("pattern=\"4\"", "pattern=\"3\"", "'pattern' of <graph> is '3', expected 4 in graph 0"),
        ("typeintra=\"NVL\"", "typeintra=\"C2C\"", "NCCL takes other words for LOC"),
        ("speedintra=\"20\"", "speedintra=\"fast\"", "'speedintra' of <graph> is 'fast', expected a number of GB/s"),
        ("speedintra=\"20\"", "speedintra=\"inf\"", "'speedintra'"),
        ("speedintra=\"20\"", "speedintra=\"-1\"", "'speedintra'"),
        ("crossnic=\"0\"", "crossnic=\"3\"", "'crossnic' of <graph> is '3', expected 0, 1 or 2"),
        ("id=\"0\"", "id=\"0\" id=\"1\"", "each attribute once"),
        ("id=\"0\"", "id=\"0\" speed=\"1\"", "found 'speed', expected the attributes id, pattern"),
        ("<channel>", "<channel id=\"0\">", "found 'id'"),
        ("id=\"0\"", "              id=\"0\"", "attributes and blanks in a tag"),
        ("dev=\"0x1\"", "dev=\"10\"", "'dev' of <gpu> is '10', expected 0xa or 0x10; without 0x"),
        ("dev=\"0x1\"", "dev=\"0xg\"", "'dev' of <gpu> is '0xg', expected a number of a device such as 0x0"),
        ("dev=\"0x1\"", "dev=\"0x100000000000001\"", "devices of several systems"),
        ("dev=\"0x1\"", "dev=\"0x2\"", "channel 0 of graph 0 has GPU 2 twice"),
        ("dev=\"0x1\"", "dev=\"0x1\" rank=\"1\"", "expected a 'rank' at all <gpu> or at none"),
        ("<channel>", "<channel><net dev=\"0\"/>", "found 'a channel with 1 <net>'"),
        ("<gpu dev=\"0x1\"/>", "<net dev=\"0\"/>", "expected </channel> after the <net> of the exit"),
    ] {
        let text = RING.replacen(from, to, 1);
        assert_ne!(text, RING, "{from}");
        let error = read(&text).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(part), "{from} as {to}: {error}");
    }
    assert!(read("").unwrap_err().to_string().contains("NCCL ignores an empty file"));
    assert!(read("<graphs version=\"1\"/>").unwrap_err().to_string().contains("ignores a file without graphs"));
}

#[test]
fn channels_have_the_same_gpus_and_limits() {
    let ring = |gpus: &[u32]| Order::inside(gpus.iter().copied());
    let error = |id, channels| read(&write(&NcclGraphs { graphs: vec![graph(id, channels)] })).unwrap_err().to_string();
    assert!(error(GraphId::Ring, vec![ring(&[0, 1]), ring(&[0, 2])]).contains("channel 1 of graph 0 lacks GPU 1"));
    assert!(error(GraphId::Tree, vec![ring(&[0, 1]), ring(&[1, 0, 2])]).contains("channel 0 of graph 1 lacks GPU 2"));
    assert!(error(GraphId::Ring, vec![ring(&[0, 1]); 65]).contains("65 channels, but NCCL supports at most 64"));
    assert!(error(GraphId::Ring, vec![]).contains("NCCL searches a graph without channels"));
    assert!(error(GraphId::Ring, vec![ring(&[])]).contains("<channel> without <gpu>"));
    assert!(error(GraphId::Ring, vec![Order::inside(0..641)]).contains("641 elements in one element"));
    let mixed = vec![ring(&[0, 1]), Order { gpus: vec![0, 1], nics: Some([0, 0]) }];
    assert!(error(GraphId::Ring, mixed).contains("one with <net> and one without"));
    let twice = NcclGraphs { graphs: vec![graph(GraphId::Ring, vec![ring(&[0, 1])]); 2] };
    assert!(read(&write(&twice)).unwrap_err().to_string().contains("each id once"));
    // A dump has graphs without channels, and heads of NVLS.
    let heads = NcclGraph { id: GraphId::Nvls, pattern: 5, ..graph(GraphId::Nvls, vec![ring(&[0]), ring(&[1])]) };
    let empty = NcclGraph { id: GraphId::CollNetDirect, pattern: 6, ..graph(GraphId::CollNetDirect, vec![]) };
    let graphs = NcclGraphs { graphs: vec![graph(GraphId::Ring, vec![ring(&[0, 1])]), heads, empty] };
    assert_eq!(read(&write(&graphs)).unwrap().0, graphs);
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        count in 2u32..12, keys in prop::collection::vec(any::<u64>(), 1..8), nics in any::<Option<[u16; 2]>>(), speed in 0.001f32..1e6,
    ) {
        let order = |&key: &u64| {
            let mut gpus: Vec<u32> = (0..count).map(|gpu| 3 * gpu).collect();
            gpus.sort_by_key(|&gpu| key.rotate_left(gpu));
            Order { gpus, nics: nics.map(|nics| nics.map(u32::from)) }
        };
        let channels: Vec<Order> = keys.iter().map(order).collect();
        let graphs = [GraphId::Ring, GraphId::Tree].map(|id| NcclGraph { speed_intra: speed, ..graph(id, channels.clone()) });
        let graphs = NcclGraphs { graphs: graphs.into() };
        let (again, notes) = read(&write(&graphs)).unwrap();
        prop_assert_eq!(again, graphs);
        prop_assert!(notes.is_empty());
    }

    #[test]
    fn a_changed_byte_is_read_or_refused(at in 0..RING.len(), byte in 0u8..128) {
        let mut text = RING.to_owned().into_bytes();
        text[at] = byte;
        let text = String::from_utf8(text).unwrap();
        if let Ok((graphs, _)) = read(&text) {
            prop_assert_eq!(read(&write(&graphs)).unwrap().0, graphs);
        }
    }
}
