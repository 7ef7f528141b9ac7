//! Sizes as people write them: one, several, or all of a range.

use std::fmt;
use std::str::FromStr;

use crate::quantity::{Quantity, QuantityError};

/// The factor from one size of a range to the next one in a table.
const STEP: u64 = 4;

/// One size, or several sizes and ranges, in bytes: `1GB`, `64KiB..1MiB`, `1KiB,64KiB..1MiB`.
///
/// Units are those of [`Quantity::Size`]. All sizes are above 0.
///
/// ```
/// use lockstep_topology::Sizes;
///
/// let one: Sizes = "1GB".parse()?;
/// assert_eq!((one.single(), one.bounds()), (Some(1_000_000_000), [1_000_000_000; 2]));
///
/// let range: Sizes = "64KiB..1MiB".parse()?;
/// assert_eq!((range.single(), range.bounds()), (None, [1 << 16, 1 << 20]));
/// assert_eq!(range.table(), [1 << 16, 1 << 18, 1 << 20]);
///
/// let several: Sizes = "1KiB, 1MiB..2MiB".parse()?;
/// assert_eq!(several.table(), [1 << 10, 1 << 20, 1 << 21]);
/// assert_eq!(several.to_string(), "1KiB,1MiB..2MiB");
/// # Ok::<(), lockstep_topology::SizesError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The smallest and the largest size of each part, in the order of the text. At least one part.
    ranges: Vec<[u64; 2]>,
}

impl Sizes {
    /// The sizes of a table or a front, unless others are given: 1 KiB to 1 GiB.
    pub const DEFAULT: [u64; 2] = [1 << 10, 1 << 30];

    /// Returns the size, if there is only one.
    pub fn single(&self) -> Option<u64> {
        match self.ranges[..] {
            [[least, most]] if least == most => Some(least),
            _ => None,
        }
    }

    /// Returns the smallest and the largest size.
    pub fn bounds(&self) -> [u64; 2] {
        let least = self.ranges.iter().map(|&[least, _]| least).min();
        let most = self.ranges.iter().map(|&[_, most]| most).max();
        [least.unwrap_or(1), most.unwrap_or(1)]
    }

    /// Returns the sizes for a table, in the order of the text: of a range the smallest size, each one four times the one
    /// before, and the largest size. At most 33 sizes per range.
    pub fn table(&self) -> Vec<u64> {
        let of_range = |&[least, most]: &[u64; 2]| {
            let below = std::iter::successors(Some(least), |size| size.checked_mul(STEP));
            below.take_while(move |&size| size < most).chain([most])
        };
        self.ranges.iter().flat_map(of_range).collect()
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self { ranges: vec![Self::DEFAULT] }
    }
}

impl From<u64> for Sizes {
    /// Returns one size; 0 counts as 1.
    fn from(bytes: u64) -> Self {
        Self { ranges: vec![[bytes.max(1); 2]] }
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, &[least, most]) in self.ranges.iter().enumerate() {
            f.write_str(if place == 0 { "" } else { "," })?;
            f.write_str(&Quantity::Size.format(least))?;
            if most > least {
                write!(f, "..{}", Quantity::Size.format(most))?;
            }
        }
        Ok(())
    }
}

/// Why a text is no list of sizes. Every message is one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SizesError {
    /// A part that is no size.
    #[error(transparent)]
    Size(#[from] QuantityError),
    /// A size of 0.
    #[error("expected sizes above 0, such as 64MiB or 1KiB..1GiB")]
    Zero,
    /// A range whose second size is smaller.
    #[error("{} exceeds {}; write the smaller size first", Quantity::Size.format(*.first), Quantity::Size.format(*.last))]
    Descending {
        /// The first size.
        first: u64,
        /// The second size.
        last: u64,
    },
}

impl FromStr for Sizes {
    type Err = SizesError;

    fn from_str(text: &str) -> Result<Self, SizesError> {
        let range = |part: &str| {
            let (least, most) = part.split_once("..").unwrap_or((part, part));
            let [least, most] = [Quantity::Size.parse(least)?, Quantity::Size.parse(most)?];
            match least {
                0 => Err(SizesError::Zero),
                _ if least > most => Err(SizesError::Descending { first: least, last: most }),
                _ => Ok([least, most]),
            }
        };
        Ok(Self { ranges: text.split(',').map(range).collect::<Result<_, _>>()? })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn malformed_sizes_are_refused_in_words() {
        let refused = [
            ("", "does not begin with a number"),
            ("1KiB..", "does not begin with a number"),
            ("1KiB,", "does not begin with a number"),
            ("1KiB..1MiB..1GiB", "is not a unit of size"),
            ("0", "expected sizes above 0"),
            ("0..1KiB", "expected sizes above 0"),
            ("1MiB..64KiB", "1MiB exceeds 64KiB; write the smaller size first"),
        ];
        for (text, expected) in refused {
            let message = text.parse::<Sizes>().unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains('\n'), "{text}: {message}");
        }
    }

    #[test]
    fn the_table_of_the_default_has_eleven_sizes() {
        assert_eq!(Sizes::default().table(), (0..11).map(|power| 1024 * 4u64.pow(power)).collect::<Vec<_>>());
        assert_eq!(Sizes::default().to_string(), "1KiB..1GiB");
        assert_eq!(Sizes::from(0).single(), Some(1));
    }

    proptest! {
        #[test]
        fn a_written_list_is_read_again(ranges in prop::collection::vec((1u64.., 0..64u32), 1..5)) {
            let ranges = ranges.into_iter().map(|(most, shift)| [(most >> shift).max(1), most]).collect();
            let sizes = Sizes { ranges };
            prop_assert_eq!(sizes.to_string().parse(), Ok(sizes.clone()));
            let (table, [least, most]) = (sizes.table(), sizes.bounds());
            prop_assert_eq!((table.iter().min(), table.iter().max()), (Some(&least), Some(&most)));
            prop_assert!(table.len() <= 33 * sizes.ranges.len());
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "[0-9.,kMiB]{0,20}") {
            let _ = text.parse::<Sizes>();
        }
    }
}
