//! Any text: no panic, no contradiction, and a harness that quotes it ran.

#![no_main]

use bridge_admission::failure::{Kind, Record};
use bridge_admission_fuzz::checked;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    checked(&Record::from_text(&text));
    let message = format!("opencode exited 1: {text}");
    let quoted = json!({ "error": { "type": "upstream", "message": message } }).to_string();
    assert_eq!(checked(&Record::from_text(&quoted)).kind, Kind::Provider);
});
