//! What the targets of the classification share.

use bridge_admission::failure::{Classification, Kind, Message, Record, classify};

const NOW_MS: f64 = 784_111_777_000.0;
const CAPACITY: &str = "capacity refusal, not a provider failure: ";

/// Classifies twice, and checks what holds for every failure.
pub fn checked(record: &Record) -> Classification {
    let answer = classify(record, NOW_MS);
    assert_eq!(format!("{answer:?}"), format!("{:?}", classify(record, NOW_MS)));
    let capacity = answer.kind == Kind::Capacity;
    assert!(!capacity || answer.retry_safe, "{answer:?}");
    assert!(!answer.retry_safe || capacity || answer.kind == Kind::Bridge, "{answer:?}");
    assert!(capacity || (answer.reason.is_none() && answer.waited_ms.is_none() && answer.executor.is_none()));
    match &answer.message {
        Message::Text(text) => assert!(!capacity || text.starts_with(CAPACITY), "{text}"),
        Message::At(_) => assert!(!capacity),
    }
    let executor = answer.executor.iter().flat_map(|of| [of.in_flight, of.max, of.queued, of.deadline_ms]);
    for count in [answer.waited_ms, answer.retry_after_ms].into_iter().chain(executor).flatten() {
        assert!(count.is_finite() && count >= 0.0, "{answer:?}");
    }
    assert!(answer.status.is_none_or(|status| (100..600).contains(&status)));
    answer
}
