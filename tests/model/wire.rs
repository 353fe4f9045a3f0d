//! What the model says on the wire: its `/health` body, and the bodies of its refusals.

use std::fmt::Write;

use crate::bridge::{Bridge, Class, Counts, Gate, Outcome};

/// A body that has all the wanted names where they count nothing.
const DECOY: &str = r#"{"name":"pi","state":"unavailable","detail":"{\"executor\":{\"in_flight\":99,\"max\":1}}","executor":{"in_flight":99,"max":1,"scoped_host":{"acquires":9,"in_flight":99,"max":1}},"admission":{"active":99,"maxActive":1,"bulkMaxActive":0,"activeByClass":{"bulk":99}}}"#;

/// The bytes of `GET /health`, as the bridge stands.
pub(crate) fn health(bridge: &Bridge) -> Vec<u8> {
    let Bridge { admission, host, scoped_host, settings, .. } = bridge;
    let mut body = format!(
        r#"{{"status":"ok","backends":[{DECOY}],"admission":{{"active":{},"queued":{},"maxActive":{},"maxQueue":{},"reservedActive":{},"bulkMaxActive":{},"activeByClass":{{"reserved":{},"bulk":{}}},"queuedByClass":{{"reserved":{},"bulk":{}}}}}"#,
        admission.active(),
        admission.queued(),
        admission.limits.max,
        admission.limits.max_queue,
        admission.limits.reserved,
        admission.limits.bulk_max(),
        admission.active_of(Class::Reserved),
        admission.active_of(Class::Bulk),
        admission.queued_of(Class::Reserved),
        admission.queued_of(Class::Bulk),
    );
    if !settings.old {
        let _ = write!(
            body,
            r#","executor":{{{},"scoped_host":{{{},"reserved":{},"bulk_in_flight":{},"bulk_max":{},"queued_reserved":{},"queued_bulk":{}}}}}"#,
            semaphore(host),
            semaphore(scoped_host),
            scoped_host.limits.reserved,
            scoped_host.active_of(Class::Bulk),
            scoped_host.limits.bulk_max(),
            scoped_host.queued_of(Class::Reserved),
            scoped_host.queued_of(Class::Bulk),
        );
    }
    body.push('}');
    body.into_bytes()
}

fn semaphore(gate: &Gate) -> String {
    format!(
        r#""in_flight":{},"max":{},"queued":{},"acquire_deadline_ms":{},"acquires":{},"timeouts":{}"#,
        gate.active(),
        gate.limits.max,
        gate.queued(),
        gate.limits.wait_ms,
        gate.acquires,
        gate.timeouts,
    )
}

/// The body of the answer to a turn that ended so: its status is of no interest here.
pub(crate) fn answer(outcome: &Outcome, old: bool) -> String {
    let message = message(outcome);
    // An old bridge has no word for a full executor, and does not say that a refusal is capacity.
    let capacity = if old { "" } else { r#""capacity":true,"# };
    match outcome {
        Outcome::AcquireTimeout(..) if old => {
            format!(r#"{{"error":{{"message":"{message}","type":"server_error"}}}}"#)
        }
        Outcome::AcquireTimeout(executor, Counts { active, max, queued, waited, .. }) => format!(
            r#"{{"error":{{"type":"executor_saturated",{capacity}"provider_dispatch":"not_started","status":429,"executor":"{executor}","in_flight":{active},"max":{max},"queued":{queued},"deadline_ms":{waited},"retry_after_ms":5000,"message":"{message}"}}}}"#
        ),
        Outcome::QueueTimeout(_) => format!(
            r#"{{"error":{{{capacity}"message":"{message}","type":"admission_rejected","reason":"queue_timeout"}}}}"#
        ),
        Outcome::QueueFull(_) => format!(
            r#"{{"error":{{{capacity}"message":"{message}","type":"admission_rejected","reason":"queue_full"}}}}"#
        ),
        Outcome::Ran | Outcome::Aborted => {
            format!(r#"{{"error":{{"message":"{message}","type":"upstream"}}}}"#)
        }
    }
}

fn message(outcome: &Outcome) -> String {
    match outcome {
        Outcome::AcquireTimeout(executor, counts) => {
            let Counts { class, waited, active, max, bulk, bulk_max, queued, .. } = counts;
            let lane = match *executor {
                "scoped-host" => format!("lane={}, bulk={bulk}/{bulk_max}, ", name(*class)),
                _ => String::new(),
            };
            format!(
                "{executor}-executor: acquire timeout after {waited}ms ({lane}in_flight={active}/{max}, queued={queued})"
            )
        }
        Outcome::QueueTimeout(Counts { class, waited, .. }) => {
            format!("cli-bridge admission timed out after {waited}ms in the {} lane", name(*class))
        }
        Outcome::QueueFull(Counts { class, queued, max_queue, .. }) => {
            format!(
                "cli-bridge is saturated: {} admission queue is full ({queued}/{max_queue})",
                name(*class)
            )
        }
        // It quotes what the bridge told somebody else.
        Outcome::Ran | Outcome::Aborted => {
            "opencode exited 1: nested: host-executor: acquire timeout after 1500ms (in_flight=4/4, queued=1)"
                .to_owned()
        }
    }
}

fn name(class: Class) -> &'static str {
    match class {
        Class::Bulk => "bulk",
        Class::Reserved => "reserved",
    }
}
