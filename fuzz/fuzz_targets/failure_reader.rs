//! The tolerant reader against a strict one: a complete body, written anew from its parsed form, says the same.

#![no_main]

use bridge_admission::failure::{Classification, Message, Record};
use bridge_admission_fuzz::checked;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(text) else { return };
    assert_eq!(read(text), read(&value.to_string()));
});

/// What `text` says. A text without a message is its own, which is no field.
fn read(text: &str) -> Classification {
    let answer = checked(&Record::from_text(text));
    let is_own = matches!(&answer.message, Message::Text(message) if message == text);
    Classification { message: if is_own { Message::Text(String::new()) } else { answer.message.clone() }, ..answer }
}
