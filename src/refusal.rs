//! The exact texts of a refusal. People and programs match on them.

use std::fmt::{self, Write};

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
    let mut text = String::with_capacity(USUAL_LENGTH + url.map_or(0, str::len));
    write!(text, "{}", Refusal { refusing, slots: intent.slots(), url }).map(|()| text).ok()
}

/// More than a refusal with small numbers takes, without the URL.
const USUAL_LENGTH: usize = 160;

struct Refusal<'a> {
    refusing: Reading<'a>,
    slots: f64,
    url: Option<&'a str>,
}

impl fmt::Display for Refusal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Reading { gate, active, limit, health } = self.refusing;
        f.write_str("bridge ")?;
        if let Some(url) = self.url {
            write!(f, "{} ", url.strip_suffix('/').unwrap_or(url))?;
        }
        f.write_str(gate.name)?;
        if active >= limit {
            write!(f, " {FULL}")?;
        } else if self.slots > limit {
            write!(f, " {NEVER} {}", Number(self.slots))?;
        } else {
            write!(f, " {NO_ROOM} {}", Number(self.slots))?;
        }
        write!(f, ": {} {} of {} {}", gate.active, Number(active), gate.limit, Number(limit))?;
        match gate.context {
            Context::Semaphore(of) => waiting(f, of(health), false),
            Context::SemaphoreLane(of) => waiting(f, of(health), true),
            Context::AdmissionLane if health.active.is_finite() && health.max_active.is_finite() => {
                let (total, most) = (Number(health.active), Number(health.max_active));
                write!(f, " (total {} {total} of {} {most})", field::ACTIVE, field::MAX_ACTIVE)
            }
            Context::AdmissionLane | Context::Admission => Ok(()),
        }
    }
}

/// The reported parts of what a spawn would wait behind.
fn waiting(f: &mut fmt::Formatter, semaphore: &Semaphore, in_lane: bool) -> fmt::Result {
    let Semaphore { in_flight, max, queued, acquire_deadline_ms } = *semaphore;
    let mut opened = false;
    let mut part = |f: &mut fmt::Formatter, text: fmt::Arguments| {
        f.write_str(if opened { ", " } else { " (" })?;
        opened = true;
        f.write_fmt(text)
    };
    if in_lane && is_counter(in_flight) && is_counter(max) {
        let (taken, all) = (Number(in_flight), Number(max));
        part(f, format_args!("{} {taken} of {} {all}", field::IN_FLIGHT, field::MAX))?;
    }
    if is_counter(queued) {
        part(f, format_args!("{} {}", field::QUEUED, Number(queued)))?;
    }
    if is_counter(acquire_deadline_ms) {
        part(f, format_args!("acquire deadline {} ms", Number(acquire_deadline_ms)))?;
    }
    if opened { f.write_str(")") } else { Ok(()) }
}

/// Below it a double is printed as the integer that it is.
const WHOLE: f64 = 1e15;

/// A double, printed as JavaScript prints it.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // Most counters are small whole numbers, which need no search for the shortest digits.
        if self.0.fract() == 0.0 && self.0.abs() < WHOLE {
            #[expect(clippy::cast_possible_truncation, reason = "it has no fraction and is small")]
            let whole = self.0 as i64;
            return whole.fmt(f);
        }
        f.write_str(ryu_js::Buffer::new().format(self.0))
    }
}
