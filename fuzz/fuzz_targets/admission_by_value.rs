//! The reader and the rule against a second reading of both: the body as a `serde_json::Value`, the rule as a list of
//! conditions. Where a `Value` is stricter than JSON, only what counts as a body is compared.

#![no_main]

use bridge_admission::capacity::gates;
use bridge_admission::health::Health;
use bridge_admission::intent::{EXECUTORS, Executor, Intent, LANES, Lane};
use libfuzzer_sys::fuzz_target;
use serde::de::IgnoredAny;
use serde_json::Value;

fuzz_target!(|body: &[u8]| {
    let health = Health::from_json(body);
    let text = String::from_utf8_lossy(body);
    let is_object = text.trim_ascii_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(&text).is_ok();
    assert_eq!(health.is_some(), is_object);
    let (Some(health), Ok(value)) = (health, serde_json::from_slice::<Value>(body)) else { return };
    for (_, lane) in LANES {
        for (_, executor) in EXECUTORS {
            let intent = Intent::new(1.0, lane, executor).unwrap();
            let read: Vec<_> = gates(&health, &intent).map(|of| (of.gate.name, of.active, of.limit)).collect();
            assert_eq!(read, gates_by_value(&value, lane, executor), "{lane:?} {executor:?}");
        }
    }
});

/// The gates that apply and are reported: name, active, limit.
fn gates_by_value(health: &Value, lane: Lane, executor: Executor) -> Vec<(&'static str, f64, f64)> {
    let number = |path: &str| health.pointer(path).and_then(Value::as_f64).filter(|number| *number >= 0.0);
    let positive = |path: &str| number(path).is_some_and(|number| number > 0.0);

    let in_use = ["acquires", "in_flight", "queued"].iter().any(|name| positive(&format!("/executor/scoped_host/{name}")));
    let host_idle = !positive("/executor/in_flight") && !positive("/executor/queued");
    let host = match executor {
        Executor::Unknown => !(in_use && host_idle),
        Executor::Host => true,
        Executor::ScopedHost => !in_use,
        Executor::None => false,
    };
    let scoped = in_use && executor != Executor::Host && executor != Executor::None;
    let rows = [
        (host, "executor", "/executor/in_flight", "/executor/max", false),
        (
            scoped && lane != Lane::Reserved,
            "scoped-host executor bulk lane",
            "/executor/scoped_host/bulk_in_flight",
            "/executor/scoped_host/bulk_max",
            false,
        ),
        (scoped, "scoped-host executor", "/executor/scoped_host/in_flight", "/executor/scoped_host/max", false),
        (lane == Lane::Bulk, "bulk admission", "/admission/activeByClass/bulk", "/admission/bulkMaxActive", true),
        (lane != Lane::None, "admission", "/admission/active", "/admission/maxActive", false),
    ];
    rows.into_iter()
        .filter_map(|(applies, name, active, limit, zero_is_a_limit)| {
            let (active, limit) = (number(active)?, number(limit)?);
            (applies && (limit > 0.0 || zero_is_a_limit)).then_some((name, active, limit))
        })
        .collect()
}
