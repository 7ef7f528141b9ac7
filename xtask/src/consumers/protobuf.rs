//! Messages of Protocol Buffers as lists of fields, without a schema: numbers, texts and messages inside messages.
//!
//! # Source
//!
//! Protocol Buffers, [encoding](https://protobuf.dev/programming-guides/encoding/).

use anyhow::{Context, Result, bail};

/// A field of a message: its number and its value.
pub(crate) type Field = (u64, Value);

/// The value of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Number(u64),
    /// A text, a message or a list.
    Bytes(Vec<u8>),
}

impl Value {
    /// Returns the value of a text.
    pub(crate) fn text(text: &str) -> Self {
        Self::Bytes(text.as_bytes().to_vec())
    }

    /// Returns the value of a message inside a message.
    pub(crate) fn message(fields: &[Field]) -> Self {
        Self::Bytes(write(fields))
    }
}

/// Removes a number of variable length from the start of the bytes.
fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Removes bytes with their length in front.
fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(take_number(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn push_bytes(bytes: &mut Vec<u8>, value: &[u8]) {
    push_number(bytes, value.len() as u64);
    bytes.extend(value);
}

/// Reads the fields of a message.
///
/// # Errors
///
/// If the message ends inside a field, or if a field has a fixed length.
pub(crate) fn read(mut bytes: &[u8]) -> Result<Vec<Field>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let key = take_number(&mut bytes).context("a field begins with its number")?;
        let value = match key & 7 {
            0 => take_number(&mut bytes).map(Value::Number),
            2 => take_bytes(&mut bytes).map(|value| Value::Bytes(value.to_vec())),
            kind => bail!("fields of kind {kind} are not supported"),
        };
        fields.push((key >> 3, value.context("the message ends inside a field")?));
    }
    Ok(fields)
}

/// Writes the fields of a message.
pub(crate) fn write(fields: &[Field]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, value) in fields {
        match value {
            Value::Number(value) => {
                push_number(&mut bytes, number << 3);
                push_number(&mut bytes, *value);
            }
            Value::Bytes(value) => {
                push_number(&mut bytes, number << 3 | 2);
                push_bytes(&mut bytes, value);
            }
        }
    }
    bytes
}

/// Reads a file of messages with their lengths in front.
///
/// # Errors
///
/// If the file ends inside a message, or if a message is not supported.
pub(crate) fn read_file(mut bytes: &[u8]) -> Result<Vec<Vec<Field>>> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        messages.push(read(take_bytes(&mut bytes).context("the file ends inside a message")?)?);
    }
    Ok(messages)
}

/// Writes a file of messages with their lengths in front.
pub(crate) fn write_file(messages: &[Vec<Field>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        push_bytes(&mut bytes, &write(message));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let inner = [(1, Value::text("comm_size")), (9, Value::Number(300))];
        let messages = vec![Vec::new(), vec![(1, Value::Number(u64::MAX)), (10, Value::message(&inner))]];
        let bytes = write_file(&messages);
        assert_eq!(read_file(&bytes).unwrap(), messages);
        assert_eq!(read(&write(&inner)).unwrap(), inner);
        // The bytes of the number 150 in field 1 are those of the documentation.
        assert_eq!(write(&[(1, Value::Number(150))]), [0x08, 0x96, 0x01]);
        for length in 1..bytes.len() - 1 {
            assert!(read_file(&bytes[..bytes.len() - length]).is_err(), "{length} bytes are missing");
        }
    }
}
