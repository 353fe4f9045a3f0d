//! Reads a JSON body along the table of fields. What ended too early is read as far as it goes.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::record::{DEPTH, RETRY_AFTER, Record, Role, Text, Value, role, row_of};
use crate::json::{CUT, mend, mend_string, number, raw, skip_all_but_objects};

/// The evidence in the JSON object that `text` begins with. What comes behind the object is not looked at.
pub(crate) fn object(text: &str) -> Record {
    let text = text.trim_end_matches(CUT);
    let mut record = Record::default();
    if read(text, &mut record).is_err() {
        record = Record::default();
        // The second error says where the text ends; what came before it is in the record.
        let _ = read(&mend(text), &mut record);
    }
    record
}

/// The text in the JSON string that `text` consists of, or of which it is the beginning.
pub(crate) fn string(text: &str) -> Option<String> {
    let mut mended = String::new();
    let rest = mend_string(text.trim_end_matches(CUT), &mut mended);
    if !rest.trim().is_empty() {
        return None;
    }
    let mut record = Record::default();
    let slot = Slot { record: &mut record, row: row_of("message")?, place: Place::Field, depth: 0 };
    slot.read(&mended).ok()?;
    record.message().map(|message| message.text.clone())
}

fn read(text: &str, record: &mut Record) -> serde_json::Result<()> {
    Fields { record, depth: DEPTH }.deserialize(&mut serde_json::Deserializer::from_str(text))
}

/// The fields of one object, written into `record` as they come.
struct Fields<'r> {
    record: &'r mut Record,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        // Until its end is seen. An error on the way leaves it so.
        self.record.cut = true;
        while let Some(row) = map.next_key_seed(Key)? {
            match row {
                Some(row) => map.next_value_seed(Slot {
                    record: self.record,
                    row,
                    place: Place::Field,
                    depth: self.depth,
                })?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        self.record.cut = false;
        Ok(())
    }

    skip_all_but_objects!();
}

/// A key, as the row of the table that has its name.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        Ok(row_of(key))
    }
}

/// Where a value stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It is the field's own.
    Field,
    /// It is a member of the list in the field.
    Member,
    /// It is the value of the wanted header.
    Header,
}

/// One value for row `row`.
struct Slot<'r> {
    record: &'r mut Record,
    row: usize,
    place: Place,
    depth: usize,
}

impl Slot<'_> {
    /// Reads a text that is one value.
    fn read(self, text: &str) -> serde_json::Result<()> {
        serde_json::Deserializer::from_str(text).deserialize_any(self)
    }

    fn set(self, value: Value) {
        let is_whole = !matches!(role(self.row), Some(Role::Members | Role::Headers));
        // A list is given member by member and headers one by one; a single value in their place is neither.
        if is_whole || self.place != Place::Field {
            self.record.set(self.row, value);
        }
    }
}

impl<'de> DeserializeSeed<'de> for Slot<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.place == Place::Field {
            self.record.clear(self.row);
        }
        if role(self.row) != Some(Role::Value) {
            return deserializer.deserialize_any(self);
        }
        let raw = raw(deserializer)?;
        if let Some(number) = number(raw) {
            self.set(Value::Number(number));
            return Ok(());
        }
        // It is JSON already, and without lone surrogates all of it is read.
        let _ = self.read(&mend(raw));
        Ok(())
    }
}

impl<'de> Visitor<'de> for Slot<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        if self.place == Place::Member {
            self.record.add(Record::default());
        }
        Ok(())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<(), E> {
        self.set(Value::Flag(flag));
        Ok(())
    }

    // Of the numbers that come here only a header's value counts: right to the last bit up to 15 digits, and no header has
    // more.

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.set(Value::Number(number));
        Ok(())
    }

    #[expect(clippy::cast_precision_loss, reason = "a JSON number is a double")]
    fn visit_u64<E: Error>(self, number: u64) -> Result<(), E> {
        self.visit_f64(number as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "a JSON number is a double")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<(), E> {
        self.visit_f64(number as f64)
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.set(Value::Text(Text { text: text.to_owned(), at: None }));
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { record, row, place, depth } = self;
        match (place, role(row), depth.checked_sub(1)) {
            (Place::Member, _, Some(depth))
            | (Place::Field, Some(Role::Child | Role::Body | Role::Block), Some(depth)) => {
                let mut inner = Record::default();
                let read = Fields { record: &mut inner, depth }.visit_map(map);
                record.attach(row, inner);
                return read;
            }
            (Place::Field, Some(Role::Headers), _) => {
                while let Some(is_wanted) = map.next_key_seed(HeaderName)? {
                    if is_wanted {
                        map.next_value_seed(Slot { record, row, place: Place::Header, depth })?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
            _ => {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                if place == Place::Member {
                    record.add(Record::default());
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { record, row, place, depth } = self;
        // A list of failures is no level of its own, and a list in it is no list.
        if place == Place::Field && role(row) == Some(Role::Members) {
            loop {
                match list.next_element_seed(Slot { record, row, place: Place::Member, depth }) {
                    Ok(Some(())) => {}
                    Ok(None) => return Ok(()),
                    Err(error) => {
                        // Of a list that ends too early the rest is not known: one more empty member says so.
                        record.add(Record::default());
                        return Err(error);
                    }
                }
            }
        }
        match place {
            Place::Header => list.next_element_seed(Slot { record, row, place, depth }).map(drop)?,
            Place::Member => record.add(Record::default()),
            Place::Field => {}
        }
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// A header's name: whether it is the wanted one.
struct HeaderName;

impl<'de> DeserializeSeed<'de> for HeaderName {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for HeaderName {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a header's name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<bool, E> {
        Ok(name.eq_ignore_ascii_case(RETRY_AFTER))
    }
}
