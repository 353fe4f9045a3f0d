//! The exact texts of a refusal. People and programs match on them.

use crate::capacity::{Context, Reading, gates, is_counter};
use crate::health::{Health, Semaphore, field};
use crate::intent::Intent;

/// What a refusal says where the gate is full.
pub const FULL: &str = "is full";
/// What it says, before the number of slots, where the gate is too small for them.
pub const NEVER: &str = "can never fit";
/// What it says, before the number of slots, where too few are free.
pub const NO_ROOM: &str = "has no room for";

/// Why the intended spawn would have to wait, as one sentence; `None` where nothing speaks against it.
///
/// `url` is the bridge's URL, where it is known. One trailing slash of it is not shown.
#[must_use]
pub fn refusal(health: &Health, intent: &Intent, url: Option<&str>) -> Option<String> {
    let refusing = gates(health, intent).find(|gate| !gate.has_room(intent.slots()))?;
    let mut text = Text(String::with_capacity(USUAL_LENGTH));
    text.refusal(&refusing, intent.slots(), url);
    Some(text.0)
}

/// More than a refusal takes, without the URL.
const USUAL_LENGTH: usize = 160;

/// A refusal as it grows. The formatter of the standard library would take three times as long.
struct Text(String);

impl Text {
    fn refusal(&mut self, refusing: &Reading, slots: f64, url: Option<&str>) {
        let Reading { gate, active, limit, health } = *refusing;
        self.say("bridge ");
        if let Some(url) = url {
            self.say(url.strip_suffix('/').unwrap_or(url)).say(" ");
        }
        self.say(gate.name).say(" ");
        if active >= limit {
            self.say(FULL);
        } else if slots > limit {
            self.say(NEVER).say(" ").count(slots);
        } else {
            self.say(NO_ROOM).say(" ").count(slots);
        }
        self.say(": ").pair(gate.active, active, gate.limit, limit);
        match gate.context {
            Context::Semaphore(of) => self.waiting(of(health), false),
            Context::SemaphoreLane(of) => self.waiting(of(health), true),
            Context::AdmissionLane if health.active.is_finite() && health.max_active.is_finite() => {
                let (total, most) = (health.active, health.max_active);
                self.say(" (total ").pair(field::ACTIVE, total, field::MAX_ACTIVE, most).say(")");
            }
            Context::AdmissionLane | Context::Admission => {}
        }
    }

    /// The reported parts of what a spawn would wait behind.
    fn waiting(&mut self, semaphore: &Semaphore, in_lane: bool) {
        let Semaphore { in_flight, max, queued, acquire_deadline_ms } = *semaphore;
        let (first, next) = (" (", ", ");
        let mut before = first;
        if in_lane && is_counter(in_flight) && is_counter(max) {
            self.say(before).pair(field::IN_FLIGHT, in_flight, field::MAX, max);
            before = next;
        }
        if is_counter(queued) {
            self.say(before).say(field::QUEUED).say(" ").count(queued);
            before = next;
        }
        if is_counter(acquire_deadline_ms) {
            self.say(before).say("acquire deadline ").count(acquire_deadline_ms).say(" ms");
            before = next;
        }
        if before == next {
            self.say(")");
        }
    }

    fn pair(&mut self, active: &str, taken: f64, limit: &str, all: f64) -> &mut Self {
        self.say(active).say(" ").count(taken).say(" of ").say(limit).say(" ").count(all)
    }

    fn count(&mut self, number: f64) -> &mut Self {
        // Most counters are small whole numbers, which need no search for the shortest digits.
        if number.fract() == 0.0 && number.abs() < WHOLE {
            #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is small")]
            let whole = number as i64;
            self.say(itoa::Buffer::new().format(whole))
        } else {
            self.say(ryu_js::Buffer::new().format(number))
        }
    }

    fn say(&mut self, words: &str) -> &mut Self {
        self.0.push_str(words);
        self
    }
}

/// Below it a double is printed as the integer that it is.
const WHOLE: f64 = 1e15;
