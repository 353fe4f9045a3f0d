//! What stands around a gate: the semaphore behind an executor gate, none behind admission.

use bridge_admission::capacity::gates;
use bridge_admission::health::Health;
use bridge_admission::intent::{Executor, Intent, Lane};

const BODY: &[u8] = br#"{
  "executor": {"in_flight": 1, "max": 4, "queued": 2, "acquire_deadline_ms": 3,
    "scoped_host": {"in_flight": 1, "max": 4, "queued": 5, "acquire_deadline_ms": 6, "bulk_in_flight": 1, "bulk_max": 2}},
  "admission": {"active": 1, "maxActive": 8, "bulkMaxActive": 6, "activeByClass": {"bulk": 1}}
}"#;

#[test]
fn the_semaphore_behind_each_gate() -> Result<(), Box<dyn std::error::Error>> {
    let health = Health::from_json(BODY).ok_or("no body")?;
    let intent = Intent::new(1.0, Lane::Bulk, Executor::Unknown).map_err(|misuse| misuse.to_string())?;
    let read: Vec<_> = gates(&health, &intent)
        .map(|gate| (gate.gate.name, gate.semaphore().map(|of| (of.queued, of.acquire_deadline_ms))))
        .collect();
    assert_eq!(
        read,
        [
            ("executor", Some((2.0, 3.0))),
            ("scoped-host executor bulk lane", Some((5.0, 6.0))),
            ("scoped-host executor", Some((5.0, 6.0))),
            ("bulk admission", None),
            ("admission", None),
        ]
    );
    Ok(())
}
