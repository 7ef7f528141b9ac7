//! The binary form of bounds.

use lockstep_certificate::{Certificate, DecodeError, LowerBound, Rule};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::cases::all;

#[test]
fn the_binary_form_keeps_every_bound() {
    for case in all() {
        assert_eq!(LowerBound::from_bytes(&case.bound.to_bytes()), Ok(case.bound));
    }
}

#[test]
fn the_layout_is_as_documented() {
    let bound = LowerBound {
        steps: 7,
        rule: Rule::DistanceSum,
        certificate: Certificate::Reversed {
            certificate: Box::new(Certificate::DistanceSum { channel_uses: 258, per_step: 37 }),
        },
    };
    // Version, steps, rule; reversed; distance sum with its two fields.
    let bytes = [1, 7, 0, 0, 0, 10, 12, 9, 2, 1, 0, 0, 0, 0, 0, 0, 37, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(bound.to_bytes(), bytes);
}

#[test]
fn damaged_bytes_are_refused_with_a_reason() {
    let bound =
        LowerBound { steps: 5, rule: Rule::Volume, certificate: Certificate::Volume { deliveries: 30, per_step: 6 } };
    let bytes = bound.to_bytes();
    let refusal = |bytes: &[u8]| LowerBound::from_bytes(bytes).unwrap_err().to_string();
    assert_eq!(refusal(&[]), "the lower bound ends after 0 bytes, in the middle of its contents");
    assert_eq!(refusal(&bytes[..20]), "the lower bound ends after 20 bytes, in the middle of its contents");
    assert_eq!(refusal(&[&bytes[..], &[0, 0]].concat()), "2 bytes follow the end of the lower bound");
    let changed = |place: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[place] = byte;
        refusal(&bytes)
    };
    assert_eq!(changed(0, 2), "the lower bound has version 2, but this program reads version 1");
    assert_eq!(changed(5, 255), "byte 5 of the lower bound: expected the number of a rule");
    // Number 13 was a rule that release 0.1.0 had.
    assert_eq!(changed(5, 13), "byte 5 of the lower bound: expected the number of a rule");
    assert_eq!(changed(6, 255), "byte 6 of the lower bound: expected the kind of a certificate");
    // A kind with a list: the next bytes claim a length of billions, for which no memory is reserved.
    let claims_much = [&bytes[..6], &[0, 255, 255, 255, 255]].concat();
    assert_eq!(LowerBound::from_bytes(&claims_much), Err(DecodeError::Truncated { length: 11 }));
    let deep = [&bytes[..6], &[12; 1000]].concat();
    assert_eq!(refusal(&deep), "byte 9 of the lower bound: expected at most 4 certificates one in another");
}

proptest! {
    /// Every byte string is refused, or it is the binary form of the bound that it gives.
    #[test]
    fn no_two_byte_strings_give_the_same_bound(case: Index, place: Index, byte: u8, length: Index) {
        let cases = all();
        let mut bytes = case.get(&cases).bound.to_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        bytes.truncate(length.index(2 * bytes.len()));
        if let Ok(bound) = LowerBound::from_bytes(&bytes) {
            prop_assert_eq!(bound.to_bytes(), bytes);
        }
    }
}
