//! The glue of the classification.

use napi::bindgen_prelude::{JsValue, Unknown};
use napi::{Result, ValueType};
use napi_derive::napi;

use super::owned;
use crate::failure::{
    Classification, DEPTH, Event, FIELDS, Kind, MEMBERS, Message, RECORDS, RETRY_AFTER, Reason, Record,
    classify,
};

/// One field that counts as evidence.
#[napi(object, object_from_js = false)]
pub struct FailureField {
    /// Its name, in a body or on an error.
    pub name: &'static str,
    /// What it may hold.
    pub role: &'static str,
}

/// What the face gathers of a failure, and how much.
#[napi(object, object_from_js = false)]
pub struct FailureTable {
    /// The fields, by their number.
    pub fields: Vec<FailureField>,
    /// The one header that is wanted.
    pub retry_after: &'static str,
    /// How deep nested records are followed.
    pub depth: u32,
    /// How many members of a list are looked at.
    pub members: u32,
    /// How many records are made in all.
    pub records: u32,
}

/// What the face gathers of a failure.
#[napi(catch_unwind)]
#[must_use]
pub fn failure_table() -> FailureTable {
    FailureTable {
        fields: FIELDS.iter().map(|row| FailureField { name: row.name, role: row.role.name() }).collect(),
        retry_after: RETRY_AFTER,
        depth: small(DEPTH),
        members: small(MEMBERS),
        records: small(RECORDS),
    }
}

/// The executor that had no slot.
#[napi(object, object_from_js = false)]
pub struct ExecutorState {
    pub name: String,
    pub in_flight: Option<f64>,
    pub max: Option<f64>,
    pub queued: Option<f64>,
    pub deadline_ms: Option<f64>,
}

/// What `classifyFailure` answers, but for a message that the face has to put in.
#[napi(object, object_from_js = false)]
pub struct FailureClassification {
    pub kind: &'static str,
    pub capacity: bool,
    pub retry_safe: bool,
    pub message: Option<String>,
    /// Where in the events the message stands.
    pub message_at: Option<u32>,
    pub code: Option<String>,
    pub reason: Option<&'static str>,
    pub status: Option<u16>,
    pub provider_dispatch: Option<String>,
    pub waited_ms: Option<f64>,
    pub retry_after_ms: Option<f64>,
    pub executor: Option<ExecutorState>,
}

/// Classifies what the face has gathered. `now` is the time in ms, for a `Retry-After` that is a date.
#[napi(catch_unwind)]
pub fn classify_events(
    #[napi(ts_arg_type = "Array<string | number | boolean>")] events: Vec<Unknown>,
    now: f64,
) -> Result<FailureClassification> {
    let events = events.into_iter().map(event).collect::<Result<Vec<_>>>()?;
    Ok(classify(&Record::from_events(events), now).into())
}

fn event(item: Unknown) -> Result<Event> {
    Ok(match item.get_type()? {
        ValueType::String => Event::Text(owned(item.coerce_to_string()?)?),
        ValueType::Number => Event::Number(item.coerce_to_number()?.get_double()?),
        _ => Event::Flag(item.coerce_to_bool()?),
    })
}

impl From<Classification> for FailureClassification {
    fn from(found: Classification) -> Self {
        let (message, message_at) = match found.message {
            Message::Text(text) => (Some(text), None),
            Message::At(at) => (None, Some(small(at))),
        };
        Self {
            kind: found.kind.name(),
            capacity: found.kind == Kind::Capacity,
            retry_safe: found.retry_safe,
            message,
            message_at,
            code: found.code,
            reason: found.reason.map(Reason::name),
            status: found.status,
            provider_dispatch: found.provider_dispatch,
            waited_ms: found.waited_ms,
            retry_after_ms: found.retry_after_ms,
            executor: found.executor.map(|executor| ExecutorState {
                name: executor.name,
                in_flight: executor.in_flight,
                max: executor.max,
                queued: executor.queued,
                deadline_ms: executor.deadline_ms,
            }),
        }
    }
}

/// Limits and places are far below the bound.
fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
