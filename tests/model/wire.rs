//! What the model says on the wire: its `/health` body, and the bodies of its refusals.

use std::fmt::Write;

use crate::bridge::{Bridge, Class, Gate};

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
