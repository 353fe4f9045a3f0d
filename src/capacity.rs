//! The rule: which gates a spawn has to pass, and how much room each has.
//!
//! The gates stand in series, so a spawn must fit all of them. A gate whose counters are not usable is unreported, and
//! missing evidence never refuses. `queued` is not subtracted: much of it is orphaned health probes, which is no demand.

use crate::health::{Health, Semaphore, field};
use crate::intent::{Executor, HOST_NAME, Intent, Lane, SCOPED_HOST_NAME};

/// A gate of the bridge.
#[derive(Debug)]
pub struct Gate {
    /// What a refusal calls it.
    pub name: &'static str,
    /// The field that says what is taken.
    pub active: &'static str,
    /// The field that says what there is in all.
    pub limit: &'static str,
    /// The executor behind it, as the bridge names it in a refusal.
    pub executor: Option<&'static str>,
    /// What stands around the two counters.
    pub context: Context,
    /// What is taken, and what there is in all.
    pair: fn(&Health) -> (f64, f64),
    /// Whether a limit of 0 is a limit, as it is where operators close a lane that way.
    zero_is_a_limit: bool,
    /// Whether the intended spawn has to pass the gate.
    applies: fn(&Health, &Intent) -> bool,
}

/// What stands around the counters of a gate.
#[derive(Clone, Copy, Debug)]
pub enum Context {
    /// The gate is this semaphore.
    Semaphore(fn(&Health) -> &Semaphore),
    /// The gate is a lane of this semaphore.
    SemaphoreLane(fn(&Health) -> &Semaphore),
    /// The gate is the bulk lane of admission.
    AdmissionLane,
    /// The gate is admission over all lanes.
    Admission,
}

/// The gates, in the order in which they are checked.
pub static GATES: [Gate; 5] = [
    Gate {
        name: "executor",
        active: field::IN_FLIGHT,
        limit: field::MAX,
        executor: Some(HOST_NAME),
        context: Context::Semaphore(|health| &health.host),
        pair: |health| (health.host.in_flight, health.host.max),
        zero_is_a_limit: false,
        applies: |health, intent| match intent.executor {
            Executor::Unknown => !scoped_host_in_use(health) || !host_is_idle(health),
            Executor::Host => true,
            Executor::ScopedHost => !scoped_host_in_use(health),
            Executor::None => false,
        },
    },
    Gate {
        name: "scoped-host executor bulk lane",
        active: field::BULK_IN_FLIGHT,
        limit: field::BULK_MAX,
        executor: Some(SCOPED_HOST_NAME),
        context: Context::SemaphoreLane(|health| &health.scoped_host),
        pair: |health| (health.scoped_host_bulk_in_flight, health.scoped_host_bulk_max),
        zero_is_a_limit: false,
        applies: |health, intent| takes_scoped_host(health, intent) && intent.lane != Lane::Reserved,
    },
    Gate {
        name: "scoped-host executor",
        active: field::IN_FLIGHT,
        limit: field::MAX,
        executor: Some(SCOPED_HOST_NAME),
        context: Context::Semaphore(|health| &health.scoped_host),
        pair: |health| (health.scoped_host.in_flight, health.scoped_host.max),
        zero_is_a_limit: false,
        applies: takes_scoped_host,
    },
    Gate {
        name: "bulk admission",
        active: field::ACTIVE,
        limit: field::BULK_MAX_ACTIVE,
        executor: None,
        context: Context::AdmissionLane,
        pair: |health| (health.bulk_active, health.bulk_max_active),
        zero_is_a_limit: true,
        applies: |_, intent| intent.lane == Lane::Bulk,
    },
    Gate {
        name: "admission",
        active: field::ACTIVE,
        limit: field::MAX_ACTIVE,
        executor: None,
        context: Context::Admission,
        pair: |health| (health.active, health.max_active),
        zero_is_a_limit: false,
        applies: |_, intent| intent.lane != Lane::None,
    },
];

/// A gate that applies, with the counters that it was read from.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'a> {
    /// Which gate.
    pub gate: &'static Gate,
    /// What is taken of it: finite, not negative.
    pub active: f64,
    /// What there is in all: finite, above 0 (of `bulk admission`: not negative).
    pub limit: f64,
    /// The body that it was read from.
    pub health: &'a Health,
}

impl Reading<'_> {
    /// Whether `slots` more fit.
    #[must_use]
    pub fn has_room(&self, slots: f64) -> bool {
        self.limit - self.active >= slots
    }

    /// How many more fit, at least 0: a limit that was lowered under load leaves less than none.
    #[must_use]
    pub fn free(&self) -> f64 {
        (self.limit - self.active).max(0.0)
    }

    /// The semaphore behind an executor gate.
    #[must_use]
    pub fn semaphore(&self) -> Option<&Semaphore> {
        match self.gate.context {
            Context::Semaphore(of) | Context::SemaphoreLane(of) => Some(of(self.health)),
            Context::AdmissionLane | Context::Admission => None,
        }
    }
}

/// The gates that the intended spawn has to pass and that the body reports, in the order in which they are checked.
pub fn gates<'a>(health: &'a Health, intent: &'a Intent) -> impl Iterator<Item = Reading<'a>> {
    GATES.iter().filter_map(move |gate| {
        let (active, limit) = (gate.pair)(health);
        let usable = is_counter(active) && is_counter(limit) && (limit > 0.0 || gate.zero_is_a_limit);
        (usable && (gate.applies)(health, intent)).then_some(Reading { gate, active, limit, health })
    })
}

/// The gate with the fewest free slots, the first of equals; `None` where no gate is reported.
#[must_use]
pub fn limiting<'a>(health: &'a Health, intent: &'a Intent) -> Option<Reading<'a>> {
    gates(health, intent).reduce(|least, gate| if gate.free() < least.free() { gate } else { least })
}

/// A number that can count something. NaN is an unreported counter.
#[must_use]
pub fn is_counter(number: f64) -> bool {
    number.is_finite() && number >= 0.0
}

fn is_positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

/// A bridge that runs under a systemd user manager spawns most backends through scoped-host; elsewhere the counters
/// there stay 0 for ever.
fn scoped_host_in_use(health: &Health) -> bool {
    is_positive(health.scoped_host_acquires)
        || is_positive(health.scoped_host.in_flight)
        || is_positive(health.scoped_host.queued)
}

fn host_is_idle(health: &Health) -> bool {
    !is_positive(health.host.in_flight) && !is_positive(health.host.queued)
}

fn takes_scoped_host(health: &Health, intent: &Intent) -> bool {
    matches!(intent.executor, Executor::Unknown | Executor::ScopedHost) && scoped_host_in_use(health)
}
