//! Distinguishable colours.

/// Colours that are distinguishable on white with any kind of colour vision, in the order of use.
///
/// # Source
///
/// Okabe, Ito, *Color Universal Design* (2008), with wine instead of yellow, which is invisible on white.
const FEW: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#882255", "#000000"];

/// The same on a dark background, with white and yellow.
const FEW_ON_DARK: [&str; 8] = ["#56b4e9", "#ff8f3f", "#2fc79a", "#f0a6cf", "#f0e442", "#8f9bff", "#e06666", "#ffffff"];

/// The colour of what stands out, such as slow links.
pub(crate) const MARKED: &str = "#d0021b";

/// The same on a dark background.
pub(crate) const MARKED_ON_DARK: &str = "#ff5252";

/// The golden angle, in turns. Its multiples are evenly distributed.
const GOLDEN: f64 = 0.381_966_011_250_105;

/// Returns the colour of item `index` of `count` on white, as `#rrggbb`.
///
/// Up to 8 items get colours for colour-blind readers, up to 16 get eight hues in dark and light, more get hues by the
/// golden angle in three lightnesses.
pub(crate) fn colour(index: usize, count: usize) -> String {
    shade(index, count, FEW, [0.48, 0.75], [0.55, 0.74, 0.42])
}

/// Returns the colour of item `index` of `count` on a dark background.
pub(crate) fn colour_on_dark(index: usize, count: usize) -> String {
    shade(index, count, FEW_ON_DARK, [0.64, 0.86], [0.7, 0.86, 0.6])
}

fn shade(index: usize, count: usize, few: [&str; 8], two: [f64; 2], three: [f64; 3]) -> String {
    match few.get(index) {
        Some(&colour) if count <= few.len() => colour.to_owned(),
        _ if count <= 16 => {
            // Light hues are between dark ones. Steps of 5/16 separate successive items.
            let hue = index * 5 % 16;
            hex(oklch(two[hue % 2], 0.16, (0.06 + hue as f64 / 16.0).fract()))
        }
        _ => hex(oklch(three[index % 3], 0.17, (0.08 + index as f64 * GOLDEN).fract())),
    }
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Converts a colour from `OKLCh` to sRGB. Reduces its chroma until it is in the gamut.
///
/// # Source
///
/// Björn Ottosson, *A perceptual color space for image processing* (2020).
fn oklch(lightness: f64, chroma: f64, hue_turns: f64) -> [u8; 3] {
    let (sin, cos) = (hue_turns * std::f64::consts::TAU).sin_cos();
    (0..=10)
        .map(|less| chroma * (1.0 - 0.1 * f64::from(less)))
        .map(|chroma| linear_rgb(lightness, chroma * cos, chroma * sin))
        .find(|rgb| rgb.iter().all(|channel| (-1e-3..=1.0 + 1e-3).contains(channel)))
        .unwrap_or([lightness.powi(3); 3])
        .map(byte)
}

#[expect(clippy::cast_sign_loss, reason = "clamped to 0..=1")]
fn byte(linear: f64) -> u8 {
    (gamma(linear.clamp(0.0, 1.0)) * 255.0).round() as u8
}

fn linear_rgb(lightness: f64, a: f64, b: f64) -> [f64; 3] {
    let long = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let medium = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    [
        4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
    ]
}

fn gamma(linear: f64) -> f64 {
    if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn colours_of_one_picture_differ() {
        for count in [1, 8, 9, 16, 64, 128] {
            for colour in [colour, colour_on_dark] {
                let colours: BTreeSet<String> = (0..count).map(|index| colour(index, count)).collect();
                assert_eq!(colours.len(), count);
            }
        }
    }

    #[test]
    fn white_and_pure_red_convert_as_published() {
        // OKLCh of sRGB red: L 0.62796, C 0.25768, h 29.23 degrees.
        assert_eq!(oklch(1.0, 0.0, 0.0), [255, 255, 255]);
        let [r, g, b] = oklch(0.62796, 0.25768, 29.23 / 360.0);
        assert!(r >= 254 && g <= 4 && b <= 4, "{r} {g} {b}");
    }
}
