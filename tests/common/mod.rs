//! What the integration tests share: the worked cases, and the rule in one call.

#![allow(dead_code, reason = "each test file takes what it needs")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic: that is how it fails")]

use std::fs;
use std::path::Path;

use bridge_admission::health::Health;
use bridge_admission::intent::{EXECUTORS, Executor, Intent, LANES, Lane};
use bridge_admission::refusal::refusal;
use serde_json::Value;

/// Reads a file of `__test__/`.
pub(crate) fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("__test__").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of a file of cases.
pub(crate) fn cases(name: &str) -> Vec<Value> {
    read(&format!("cases/{name}")).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An intent by the names that JavaScript gives.
pub(crate) fn intent(slots: f64, lane: Option<&str>, executor: Option<&str>) -> Intent {
    let lane = lane.map_or(Lane::Bulk, |name| LANES.iter().find(|row| row.0 == name).unwrap().1);
    let executor =
        executor.map_or(Executor::Unknown, |name| EXECUTORS.iter().find(|row| row.0 == name).unwrap().1);
    Intent::new(slots, lane, executor).unwrap()
}

/// The refusal of one slot for the JSON text of a body, with nothing known.
pub(crate) fn refused(body: &[u8]) -> Option<String> {
    refusal(&Health::from_json(body)?, &intent(1.0, None, None), None)
}
