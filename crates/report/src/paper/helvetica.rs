//! Widths of the letters of Helvetica, and its encoding in PDF.

/// Widths of the characters from space to `~`, in thousandths of the font size.
///
/// # Source
///
/// Adobe, *Font metrics for PDF core 14 fonts*, Helvetica.
const WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
/// Width of all other characters: that of the widest common letter.
const OTHER: u16 = 1000;
/// Ratio of bold text to normal text, at most.
const BOLD: f64 = 1.11;

/// Returns the width of a text at a font size; an upper estimate for bold text and for other letters than those of ASCII.
pub(super) fn width(text: &str, size: f64, is_bold: bool) -> f64 {
    let thousandths: u32 = text.chars().map(|letter| u32::from(letter_width(letter))).sum();
    f64::from(thousandths) / 1000.0 * size * if is_bold { BOLD } else { 1.0 }
}

fn letter_width(letter: char) -> u16 {
    let place = u32::from(letter).checked_sub(u32::from(' ')).map(|place| place as usize);
    place.and_then(|place| WIDTHS.get(place)).copied().unwrap_or(OTHER)
}

/// Returns the bytes of a text in the encoding `WinAnsiEncoding`, with `?` for letters that it does not have.
pub(super) fn encode(text: &str) -> Vec<u8> {
    text.chars().map(|letter| byte(letter).unwrap_or(b'?')).collect()
}

/// Returns the first letter that the encoding does not have.
pub(super) fn missing_letter(text: &str) -> Option<char> {
    text.chars().find(|&letter| byte(letter).is_none())
}

fn byte(letter: char) -> Option<u8> {
    match letter {
        '…' => Some(0x85),
        '€' => Some(0x80),
        '–' => Some(0x96),
        ' '..='~' | '\u{a0}'..='ÿ' => u8::try_from(u32::from(letter)).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_font() {
        assert!((width("A", 10.0, false) - 6.67).abs() < 1e-9);
        assert!(
            (width("step 12~", 1000.0, false) - f64::from(500 + 278 + 556 + 556 + 278 + 556 + 556 + 584)).abs() < 1e-6
        );
    }

    #[test]
    fn letters_outside_the_encoding_are_found() {
        assert_eq!(encode("aé…→"), [b'a', 0xe9, 0x85, b'?']);
        assert_eq!((missing_letter("aé…"), missing_letter("Ω→")), (None, Some('Ω')));
    }
}
