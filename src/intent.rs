//! What a caller says of the spawn that it intends.

use crate::error::{Misuse, Wanted};
use crate::number::Number;

/// The largest integer that a double holds together with its neighbours: `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// The admission lane of the turn, as the bridge classes its client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lane {
    /// All clients but the reserved ones.
    #[default]
    Bulk,
    /// Clients for which the bridge keeps slots. They pass no bulk gate.
    Reserved,
    /// Turns of retained sessions: they enter no admission lane, and are bulk at scoped-host.
    None,
}

/// The semaphore that the spawn takes its slots from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// The caller does not know: every executor gate that may block counts.
    #[default]
    Unknown,
    /// The host semaphore.
    Host,
    /// The scoped-host semaphore, on a bridge that uses it; elsewhere such spawns take a host slot.
    ScopedHost,
    /// No slot of `/health`: the docker pool, and backends that spawn without one.
    None,
}

/// The lanes by name. The position of a row is its code in the glue.
pub const LANES: [(&str, Lane); 3] =
    [("bulk", Lane::Bulk), ("reserved", Lane::Reserved), ("none", Lane::None)];

/// The host semaphore's name, here and in the bridge's refusals.
pub const HOST_NAME: &str = "host";
/// The scoped-host semaphore's name, here and in the bridge's refusals.
pub const SCOPED_HOST_NAME: &str = "scoped-host";

/// The executors by name. The position of a row is its code in the glue. The first is for callers that give none.
pub const EXECUTORS: [(&str, Executor); 4] = [
    ("", Executor::Unknown),
    (HOST_NAME, Executor::Host),
    (SCOPED_HOST_NAME, Executor::ScopedHost),
    ("none", Executor::None),
];

/// What the caller is about to take, all at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intent {
    slots: f64,
    /// The admission lane.
    pub lane: Lane,
    /// The executor.
    pub executor: Executor,
}

impl Intent {
    /// An intent to take `slots` executor slots at once.
    ///
    /// # Errors
    ///
    /// [`Wanted::Slots`] where `slots` is not a positive safe integer.
    pub fn new(slots: f64, lane: Lane, executor: Executor) -> Result<Self, Misuse> {
        let fits = (1.0..=MAX_SAFE_INTEGER).contains(&slots) && slots.fract() == 0.0;
        if fits {
            Ok(Self { slots, lane, executor })
        } else {
            Err(Misuse { wanted: Wanted::Slots, got: Number(slots).to_string() })
        }
    }

    /// How many slots: a positive safe integer.
    #[must_use]
    pub fn slots(&self) -> f64 {
        self.slots
    }
}

/// What the name of a model tells of the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// The turn takes its slot from this executor.
    Executor(Executor),
    /// A remote sandbox: the turn passes no gate of the bridge at all.
    Ungated,
}

const HOST: Route = Route::Executor(Executor::Host);
const SCOPED_HOST: Route = Route::Executor(Executor::ScopedHost);
const NO_SLOT: Route = Route::Executor(Executor::None);

/// Which backend takes its slot where, as the bridge routes them.
const BACKENDS: [(&str, Route); 16] = [
    ("gemini", HOST),
    ("factory", HOST),
    ("claude", SCOPED_HOST),
    ("claudish", SCOPED_HOST),
    ("codex", SCOPED_HOST),
    ("kimi", SCOPED_HOST),
    ("kimi-code", SCOPED_HOST),
    ("opencode", SCOPED_HOST),
    ("pi", SCOPED_HOST),
    ("prime", SCOPED_HOST),
    ("hermes", SCOPED_HOST),
    ("openclaw", SCOPED_HOST),
    ("amp", NO_SLOT),
    ("forge", NO_SLOT),
    ("nanoclaw", NO_SLOT),
    ("sandbox", Route::Ungated),
];

impl Route {
    /// Reads the backend from a full wire id: the part before the first `/`, or the whole of a bare name, case ignored.
    /// A backend that is not known tells nothing.
    #[must_use]
    pub fn of_model(model: &str) -> Self {
        let backend = model.split('/').next().unwrap_or(model);
        BACKENDS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(backend))
            .map_or(Self::Executor(Executor::Unknown), |(_, route)| *route)
    }
}

pub(crate) fn lane_names() -> String {
    quoted(&LANES.map(|(name, _)| name))
}

pub(crate) fn executor_names() -> String {
    quoted(&EXECUTORS.map(|(name, _)| name))
}

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> =
        names.iter().filter(|name| !name.is_empty()).map(|name| format!("'{name}'")).collect();
    quoted.join(", ")
}
