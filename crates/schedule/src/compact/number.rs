//! Numbers and differences as bytes.

use crate::file::ScheduleFileError;

/// Returns the error of a stream that contradicts itself.
pub(super) fn contradiction(why: &'static str) -> ScheduleFileError {
    ScheduleFileError::Tables { why }
}

/// Appends a number.
#[inline]
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 1 << 7 {
        bytes.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Returns the code of the difference of two numbers.
#[inline]
pub(super) fn difference(last: u32, next: u32) -> u64 {
    let difference = i64::from(next) - i64::from(last);
    (difference << 1 ^ difference >> 63).cast_unsigned()
}

/// The bytes that are not read yet.
pub(super) struct Reader<'a> {
    pub(super) bytes: &'a [u8],
}

impl Reader<'_> {
    /// Returns the numbers of transfers, channel uses and steps.
    pub(super) fn totals(&mut self) -> Result<[u64; 3], ScheduleFileError> {
        let [transfers, channel_uses, steps] = [self.number()?, self.number()?, self.number()?];
        // Each of them takes a byte or more.
        if transfers.saturating_add(channel_uses).saturating_add(steps) > self.bytes.len() as u64 {
            return Err(contradiction("there are fewer steps than the first numbers say"));
        }
        Ok([transfers, channel_uses, steps])
    }

    /// Returns the next number.
    #[inline]
    pub(super) fn number(&mut self) -> Result<u64, ScheduleFileError> {
        let mut number = 0;
        for place in (0..u64::BITS).step_by(7) {
            let (&byte, rest) =
                self.bytes.split_first().ok_or_else(|| contradiction("a step is longer than the file"))?;
            self.bytes = rest;
            // The tenth byte has one bit.
            if place == 63 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7F) << place;
            if byte < 1 << 7 {
                return Ok(number);
            }
        }
        Err(contradiction("a number has more than 64 bits"))
    }

    /// Returns the number at the next difference to `last`.
    #[inline]
    pub(super) fn following(&mut self, last: u32) -> Result<u32, ScheduleFileError> {
        let coded = self.number()?;
        let difference = (coded >> 1).cast_signed() ^ -(coded & 1).cast_signed();
        let next = i64::from(last).checked_add(difference).and_then(|next| u32::try_from(next).ok());
        next.ok_or_else(|| contradiction("a message or channel is not a number of 32 bits"))
    }

    /// Returns the next number if it is below 2^56.
    pub(super) fn short(&mut self) -> Option<u64> {
        self.number().ok().filter(|number| number >> 56 == 0)
    }
}
