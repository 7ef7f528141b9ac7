//! Target: lists of messages.

use lockstep_schedule::Message;

use crate::error_check::is_one_line;

/// Checks a list of messages in JSON Lines: an accepted message names terminals of the network.
pub fn messages_jsonl(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    let mesh = "mesh:2x2".parse().expect("a mesh");
    match Message::read_list(text, &mesh) {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(messages) => {
            let mut nodes = messages.iter().flat_map(|message| message.receivers.iter().chain([&message.source]));
            assert!(nodes.all(|node| node.index() < mesh.node_count()));
            !messages.is_empty()
        }
    }
}
