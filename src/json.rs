//! What `serde_json` leaves to be done, for both readers of JSON.

use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

/// Stands at the end of a text that was cut short. A noncharacter, which no text on the wire has.
pub(crate) const CUT: char = '\u{10ffff}';

/// The next value as the text that it is. Of that, [`number`] makes the double that `JSON.parse` makes. What `serde_json`
/// reads as a number may be off by the last bit, or with the feature `float_roundtrip` takes 40 KB to be right.
pub(crate) fn raw<'de, D: Deserializer<'de>>(json: D) -> Result<&'de str, D::Error> {
    <&RawValue>::deserialize(json).map(RawValue::get)
}

/// The double in a raw value. Most counters are small whole numbers, which are read four times as fast as such.
pub(crate) fn number(raw: &str) -> Option<f64> {
    raw.parse::<u32>().map(f64::from).or_else(|_| raw.parse()).ok()
}

/// The methods of a visitor whose value is `()` and which takes objects alone: anything else is skipped. The defaults would
/// print the value that they refuse, and for that link two printers of doubles: 40 KB. So would `deserialize_map`.
macro_rules! skip_all_but_objects {
    () => {
        fn visit_unit<E>(self) -> Result<(), E> {
            Ok(())
        }

        fn visit_bool<E>(self, _: bool) -> Result<(), E> {
            Ok(())
        }

        fn visit_u64<E>(self, _: u64) -> Result<(), E> {
            Ok(())
        }

        fn visit_i64<E>(self, _: i64) -> Result<(), E> {
            Ok(())
        }

        fn visit_f64<E>(self, _: f64) -> Result<(), E> {
            Ok(())
        }

        fn visit_str<E>(self, _: &str) -> Result<(), E> {
            Ok(())
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
            while list.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok(())
        }
    };
}
pub(crate) use skip_all_but_objects;

/// Makes a text readable that `JSON.parse` takes and serde does not, or that was cut short, in one pass:
/// a lone surrogate becomes U+FFFD, a number too large becomes null, half an escape and half a number are dropped, and
/// a string that the cut left open is closed behind [`CUT`].
pub(crate) fn mend(text: &str) -> String {
    let mut mended = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        rest = match first {
            '"' => mend_string(rest, &mut mended),
            '-' | '0'..='9' => mend_number(rest, &mut mended),
            _ => {
                mended.push(first);
                after(rest, first.len_utf8())
            }
        };
    }
    mended
}

fn mend_number<'t>(text: &'t str, mended: &mut String) -> &'t str {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    let rest = text.trim_start_matches(is_part);
    let number = text.strip_suffix(rest).unwrap_or(text);
    // At the end of the text more digits may have stood there: 6 of 60000.
    if !rest.is_empty() {
        let too_large = number.parse::<f64>().is_ok_and(f64::is_infinite);
        mended.push_str(if too_large { "null" } else { number });
    }
    rest
}

pub(crate) fn mend_string<'t>(text: &'t str, mended: &mut String) -> &'t str {
    mended.push('"');
    let mut rest = after(text, 1);
    loop {
        let plain = rest.find(['"', '\\']).unwrap_or(rest.len());
        mended.push_str(rest.get(..plain).unwrap_or_default());
        rest = after(rest, plain);
        if rest.starts_with('"') {
            mended.push('"');
            return after(rest, 1);
        }
        let Some((escape, length)) = escape(rest) else {
            // The text ends here, perhaps within an escape.
            mended.push(CUT);
            mended.push('"');
            return "";
        };
        mended.push_str(escape);
        rest = after(rest, length);
    }
}

/// The escape at the beginning of `text` as serde takes it, and its length; `None` where the text ends within it.
fn escape(text: &str) -> Option<(&str, usize)> {
    let letter = text.chars().nth(1)?;
    if letter != 'u' {
        let length = letter.len_utf8().saturating_add(1);
        return Some((text.get(..length)?, length));
    }
    let unit =
        |text: &str| text.strip_prefix("\\u").and_then(|hex| u16::from_str_radix(hex.get(..4)?, 16).ok());
    if text.len() < 6 {
        return None;
    }
    match unit(text) {
        Some(0xd800..=0xdbff) if matches!(unit(after(text, 6)), Some(0xdc00..=0xdfff)) => {
            Some((text.get(..12)?, 12))
        }
        Some(0xd800..=0xdfff) => Some(("\\ufffd", 6)),
        Some(_) => Some((text.get(..6)?, 6)),
        // Not an escape at all: serde says so, and the reading ends there.
        None => Some((text.get(..2)?, 2)),
    }
}

fn after(text: &str, length: usize) -> &str {
    text.get(length..).unwrap_or_default()
}
