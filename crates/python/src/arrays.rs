//! Numbers as `bytes` in the order of the machine, which numpy reads without a copy.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;

/// A number with a fixed size.
pub(crate) trait Number: Copy {
    /// The name of its type in numpy.
    const TYPE: &'static str;
    /// The number of its bytes.
    const SIZE: usize;

    /// Writes the number.
    fn write(self, bytes: &mut [u8]);
}

impl Number for u32 {
    const TYPE: &'static str = "uint32";
    const SIZE: usize = 4;

    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_ne_bytes());
    }
}

impl Number for u64 {
    const TYPE: &'static str = "uint64";
    const SIZE: usize = 8;

    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_ne_bytes());
    }
}

impl Number for bool {
    const TYPE: &'static str = "bool";
    const SIZE: usize = 1;

    fn write(self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&[u8::from(self)]);
    }
}

/// A column: its type in numpy, and the bytes of its numbers.
pub(crate) type Column<'py> = (&'static str, Bound<'py, PyBytes>);

/// Writes `count` numbers into one `bytes` object.
pub(crate) fn column<T: Number>(
    py: Python<'_>,
    count: usize,
    numbers: impl IntoIterator<Item = T>,
) -> PyResult<Column<'_>> {
    let bytes = PyBytes::new_with(py, count * T::SIZE, |bytes| {
        for (place, number) in bytes.chunks_exact_mut(T::SIZE).zip(numbers) {
            number.write(place);
        }
        Ok(())
    })?;
    Ok((T::TYPE, bytes))
}

/// Reads numbers of 32 bits. `name` is that of the array in errors.
pub(crate) fn read_u32(bytes: &[u8], name: &str) -> PyResult<Vec<u32>> {
    let (numbers, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(errors::problem(format!("{name}: {} bytes are no numbers of 32 bits", bytes.len())));
    }
    Ok(numbers.iter().copied().map(u32::from_ne_bytes).collect())
}

/// Reads numbers of 64 bits. `name` is that of the array in errors.
pub(crate) fn read_u64(bytes: &[u8], name: &str) -> PyResult<Vec<u64>> {
    let (numbers, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        return Err(errors::problem(format!("{name}: {} bytes are no numbers of 64 bits", bytes.len())));
    }
    Ok(numbers.iter().copied().map(u64::from_ne_bytes).collect())
}
