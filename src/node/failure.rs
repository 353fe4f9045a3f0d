//! The glue of the classification.

use super::api::{Call, Js, Result};
use crate::failure::{
    Classification, DEPTH, Event, FIELDS, Kind, LONGEST, MEMBERS, Message, RECORDS, RETRY_AFTER, Reason,
    Record, classify,
};

/// What the face gathers of a failure: the fields by their number, each with what it may hold, and the one header that is
/// wanted. How much: how deep nested records are followed, how many members of a list, how many records in all, how long a
/// text.
pub(super) fn table() -> Js {
    let field = |(name, role): (&'static str, &'static str)| {
        Js::Object(vec![(c"name", name.into()), (c"role", role.into())])
    };
    Js::Object(vec![
        (c"fields", FIELDS.iter().map(|row| field((row.name, row.role.name()))).collect()),
        (c"retryAfter", RETRY_AFTER.into()),
        (c"depth", number(DEPTH)),
        (c"members", number(MEMBERS)),
        (c"records", number(RECORDS)),
        (c"longest", number(LONGEST)),
    ])
}

/// Classifies what the face has gathered. The second argument is the time in ms, for a `Retry-After` that is a date.
pub(super) fn classify_events(call: &Call) -> Result<Js> {
    let events = call.list(0)?.map(|item| item.map(event)).collect::<Result<Vec<_>>>()?;
    Ok(classify(&Record::from_events(events), call.number(1)?).into())
}

fn event(item: Js) -> Event {
    match item {
        Js::Text(text) => Event::Text(text.into_owned()),
        Js::Number(number) => Event::Number(number),
        item => Event::Flag(matches!(item, Js::Flag(true))),
    }
}

impl From<Classification> for Js {
    fn from(found: Classification) -> Self {
        // The face has to put in a message of its own; it is told where that stands in the events.
        let (message, message_at) = match found.message {
            Message::Text(text) => (text.into(), Js::Undefined),
            Message::At(at) => (Js::Undefined, number(at)),
        };
        let executor = found.executor.map(|executor| {
            Js::Object(vec![
                (c"name", executor.name.into()),
                (c"inFlight", executor.in_flight.into()),
                (c"max", executor.max.into()),
                (c"queued", executor.queued.into()),
                (c"deadlineMs", executor.deadline_ms.into()),
            ])
        });
        Js::Object(vec![
            (c"kind", found.kind.name().into()),
            (c"capacity", Js::Flag(found.kind == Kind::Capacity)),
            (c"retrySafe", Js::Flag(found.retry_safe)),
            (c"message", message),
            (c"messageAt", message_at),
            (c"code", found.code.into()),
            (c"reason", found.reason.map(Reason::name).into()),
            (c"status", found.status.map(f64::from).into()),
            (c"providerDispatch", found.provider_dispatch.into()),
            (c"waitedMs", found.waited_ms.into()),
            (c"retryAfterMs", found.retry_after_ms.into()),
            (c"executor", executor.into()),
        ])
    }
}

/// Limits and places are far below the bound.
fn number(count: usize) -> Js {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}
