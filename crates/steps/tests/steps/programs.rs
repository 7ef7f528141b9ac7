//! Programs that no schedule of ours describes.

use std::fmt::Write;

use lockstep_execute::Format;
use lockstep_steps::ConvertError;
use lockstep_topology::Topology;

use crate::{converted, width_sum};

/// Returns an all-gather of three GPUs in place, whose GPUs send their chunk to both others.
fn all_pairs(count: u32) -> String {
    let head = format!(
        "<algo name=\"pairs\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{}\" ngpus=\"3\" coll=\"allgather\" \
         inplace=\"1\" outofplace=\"0\" minBytes=\"0\" maxBytes=\"0\">",
        3 * count
    );
    let mut text = head;
    for rank in 0..3 {
        write!(text, "<gpu id=\"{rank}\" i_chunks=\"0\" o_chunks=\"{}\" s_chunks=\"0\">", 3 * count).unwrap();
        let mut block = 0;
        for (kind, [send, receive]) in [("s", [true, false]), ("r", [false, true])] {
            for distance in 1..3 {
                let peer = (rank + distance) % 3;
                let of_peer = |is_used: bool| if is_used { peer.to_string() } else { "-1".to_owned() };
                let offset = if send { rank } else { peer } * count;
                write!(
                    text,
                    "<tb id=\"{block}\" send=\"{}\" recv=\"{}\" chan=\"0\"><step s=\"0\" type=\"{kind}\" srcbuf=\"o\" \
                     srcoff=\"{offset}\" dstbuf=\"o\" dstoff=\"{offset}\" cnt=\"{count}\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/></tb>",
                    of_peer(send),
                    of_peer(receive)
                )
                .unwrap();
                block += 1;
            }
        }
        text += "</gpu>";
    }
    text + "</algo>"
}

#[test]
fn the_network_is_that_of_the_pairs_that_talk() {
    let conversion = converted(all_pairs(1).as_bytes(), Format::MscclXml, None).unwrap();
    assert_eq!((conversion.topology.terminal_count(), conversion.topology.channel_count()), (3, 6));
    assert_eq!((conversion.widths, conversion.transfers), (vec![1], 6));
}

#[test]
fn a_message_of_three_chunks_is_a_wide_step() {
    let conversion = converted(all_pairs(3).as_bytes(), Format::MscclXml, None).unwrap();
    assert_eq!((conversion.widths, conversion.transfers), (vec![3], 18));
}

#[test]
fn a_star_carries_the_messages_of_one_pair_after_the_other() {
    // Every GPU has one channel to the switch, and sends two messages over it.
    let switch: Topology = "b-tree:4".parse().unwrap();
    let error = converted(all_pairs(1).as_bytes(), Format::MscclXml, Some(&switch)).unwrap_err();
    assert_eq!(error, ConvertError::Ranks { ranks: 3, terminals: 4 });
    let star: Topology = "cluster:nodes=1,gpus=3,nvlink=1GB/s,rails=1,nic=1GB/s".parse().unwrap();
    let conversion = converted(all_pairs(1).as_bytes(), Format::MscclXml, Some(&star)).unwrap();
    assert_eq!(width_sum(&conversion), 2);
}

#[test]
fn messages_without_contents_have_steps_too() {
    let text = "num_ranks 3\nrank 0 {\na: send 16b to 1 tag 0\n}\nrank 1 {\na: recv 16b from 0 tag 0\nb: send 8b to 2 tag 0\n\
                b requires a\n}\nrank 2 {\nrecv 8b from 1 tag 0\n}\n";
    let conversion = converted(text.as_bytes(), Format::Goal, None).unwrap();
    assert_eq!((conversion.widths, conversion.verified), (vec![2, 1], None));
    let text = text.replace("16b", "1b").replace("8b", "1000000b");
    let error = converted(text.as_bytes(), Format::Goal, None).unwrap_err();
    assert!(
        error.to_string().contains("1000000 units of the greatest common size in one message, more than 4096"),
        "{error}"
    );
}

#[test]
fn parts_of_chunks_have_steps_if_they_are_equal() {
    let halves = include_str!("../../../execute/tests/data/halves.teccl.json");
    let conversion = converted(halves.as_bytes(), Format::Teccl, None).unwrap();
    // A channel carries half of a chunk to its head, and two halves of relayed chunks.
    assert_eq!((width_sum(&conversion), conversion.transfers), (3, 18));
    assert_eq!(conversion.verified.unwrap().collective.chunks().get(), 2);
    let text = halves.replace("volume 0.5 in epoch 0\"", "volume 0.618034 in epoch 0\"").replace("0.5", "0.381966");
    let error = converted(text.as_bytes(), Format::Teccl, None).unwrap_err();
    assert_eq!(error, ConvertError::UnequalChunks);
}
