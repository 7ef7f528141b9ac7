//! Text files in UTF-8 or UTF-16.

/// Returns the text of a file: UTF-8, or UTF-16 if the file begins with the byte order mark of UTF-16, as PowerShell writes it.
/// The text has no byte order mark.
///
/// ```
/// use lockstep_files::decode_text;
///
/// assert_eq!(decode_text(b"\xff\xfea\0 \0b\0".to_vec()), Ok("a b".to_owned()));
/// assert_eq!(decode_text(b"a \xff".to_vec()), Err(2));
/// ```
///
/// # Errors
///
/// The position of the first byte that is no text, from 0.
pub fn decode_text(bytes: Vec<u8>) -> Result<String, usize> {
    let unit: fn([u8; 2]) -> u16 = match bytes[..] {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            let text = String::from_utf8(bytes).map_err(|error| error.utf8_error().valid_up_to())?;
            return Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text));
        }
    };
    let mut text = String::with_capacity(bytes.len());
    let mut at = 2;
    for c in char::decode_utf16(bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]]))) {
        let c = c.ok().filter(|&c| c != '\0').ok_or(at)?;
        text.push(c);
        at += 2 * c.len_utf16();
    }
    if bytes.len().is_multiple_of(2) { Ok(text) } else { Err(at) }
}

/// Returns the position of the first byte that shows that a file is no text, from its first bytes: a zero byte, unless the file
/// is in UTF-16.
pub fn first_binary_byte(first: &[u8]) -> Option<usize> {
    let is_utf_16 = first.starts_with(&[0xff, 0xfe]) || first.starts_with(&[0xfe, 0xff]);
    if is_utf_16 { None } else { first.iter().position(|&byte| byte == 0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_byte_orders_and_utf_8_are_decoded() {
        let units: Vec<u16> = "a 😀\n".encode_utf16().collect();
        let little: Vec<u8> = [0xfeff].iter().chain(&units).flat_map(|unit: &u16| unit.to_le_bytes()).collect();
        let big: Vec<u8> = [0xfeff].iter().chain(&units).flat_map(|unit: &u16| unit.to_be_bytes()).collect();
        for bytes in [little, big, "\u{feff}a 😀\n".into(), "a 😀\n".into()] {
            assert_eq!(first_binary_byte(&bytes), None);
            assert_eq!(decode_text(bytes), Ok("a 😀\n".to_owned()));
        }
    }

    #[test]
    fn what_is_no_text_is_found() {
        for (bytes, at) in
            [(&b"ab\xff"[..], 2), (b"\xff\xfea\0b", 4), (b"\xff\xfea\0\0\xd8b\0", 4), (b"\xff\xfea\0\0\0", 4)]
        {
            assert_eq!(decode_text(bytes.to_vec()), Err(at), "{bytes:?}");
        }
        assert_eq!(first_binary_byte(b"a\0b"), Some(1));
    }
}
