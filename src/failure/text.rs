//! Reads a text for evidence: JSON, JSON in a JSON string, server-sent events, the runtime's framing, prose.

use super::json;
use super::prose;
use super::record::{Record, Said, Text};
use crate::json::CUT;

/// What `text` says, and the record in it if it is structured.
///
/// `starts_only`: the text stands in a record whose end is missing and which has no type yet, so that only its very
/// beginning is surely the bridge's. `framed`: the text is the message of a body without a type. `opens`: how many
/// texts in texts may still be opened.
pub(crate) fn read(text: &str, starts_only: bool, framed: bool, opens: usize) -> (Said, Option<Record>) {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if let Some(record) = structured(text, opens) {
        return (Said { structured: true, ..Said::default() }, Some(record));
    }
    let mut said = Said { ran: framed && prose::is_harness_frame(text), ..Said::default() };
    let cut = prose::cut(text);
    let mut is_framed = false;
    for place in prose::places(text) {
        if let Some((status, rest)) = framing(place).filter(|_| !is_framed) {
            is_framed = true;
            said.status = status;
            // What the runtime frames is the bridge's answer. Where it is structured, it alone counts.
            if let Some(record) = structured(rest, opens) {
                return (Said { structured: true, ..said }, Some(record));
            }
            said.ran |= prose::is_harness_frame(rest);
        }
        said.prose = said.prose.or_else(|| prose::read(place, cut));
        if starts_only {
            break;
        }
    }
    (said, None)
}

/// `bridge 502: ` and `bridge stream error: `, as the runtime begins what the bridge answered.
fn framing(text: &str) -> Option<(Option<u16>, &str)> {
    let (what, rest) = text.strip_prefix("bridge ")?.split_once(": ")?;
    if what == "stream error" {
        return Some((None, rest));
    }
    let is_status = what.len() == 3 && what.starts_with(|c: char| ('1'..='5').contains(&c));
    what.parse().ok().filter(|_| is_status).map(|status| (Some(status), rest))
}

fn structured(text: &str, opens: usize) -> Option<Record> {
    let opens = opens.checked_sub(1)?;
    if is_object(text) {
        let mut record = json::object(text);
        record.finish(opens, true);
        return Some(record);
    }
    if text.starts_with('"') {
        // Encoded twice. Prose in a JSON string is a quotation.
        let content = json::string(text)?;
        let content = content.trim_start();
        return structured(content, opens).filter(|_| content.starts_with(['{', '"']));
    }
    events(text, opens)
}

/// Whether `text` begins as a JSON object does.
fn is_object(text: &str) -> bool {
    let inside = text.strip_prefix('{').map(|inside| inside.trim_start().trim_end_matches(CUT));
    inside.is_some_and(|inside| inside.is_empty() || inside.starts_with(['"', '}']))
}

/// The first error among the server-sent events of `text`; an empty record where they are events without an error.
fn events(text: &str, opens: usize) -> Option<Record> {
    const FIELDS: [&str; 4] = ["data", "event", "id", "retry"];
    let (first, _) = text.split_once(':')?;
    if !first.is_empty() && !FIELDS.contains(&first) {
        return None;
    }
    let (mut name, mut data) = ("", String::new());
    let mut is_stream = false;
    // An event ends with an empty line, and with the text.
    for line in lines(text).chain([""]) {
        if !line.is_empty() {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "event" => name = value,
                "data" => {
                    if !data.is_empty() {
                        data.push('\n');
                    }
                    data.push_str(value);
                }
                _ => {}
            }
            continue;
        }
        let (event, text) = (std::mem::take(&mut name), std::mem::take(&mut data));
        let mut record = if is_object(text.trim_start()) {
            is_stream = true;
            json::object(text.trim_start())
        } else if event == "error" && !text.is_empty() {
            Record::of_text(Text { text, at: None })
        } else {
            continue;
        };
        record.finish(opens, true);
        if event == "error" || record.has_error() || super::says_something(&record) {
            return Some(record);
        }
    }
    is_stream.then(Record::default)
}

/// The lines of `text`, which may end with LF, CRLF or CR.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n').flat_map(|line| line.strip_suffix('\r').unwrap_or(line).split('\r'))
}
