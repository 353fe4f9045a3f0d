//! A `/health` body becomes counters.
//!
//! The body and the meaning of its fields were observed on a running cli-bridge; it has the same shape under HTTP 200
//! and 503. [`BODY`] is the only place that knows where a counter stands: the JSON reader below walks it, and the
//! JavaScript face is handed its paths to read an already parsed object.

use std::borrow::Borrow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::json::{mend, number, raw, skip_all_but_objects};

/// The last character of ASCII.
const DEL: u16 = 0x7f;

/// A unit of text, DEL for all that is not ASCII: a unit of UTF-16, or a byte of UTF-8, valid or not. A body in which each
/// was narrowed reads the same: like what is not ASCII, DEL may stand inside a JSON string and nowhere else, and no wanted
/// key has one.
#[must_use]
pub fn narrow(unit: u16) -> u8 {
    unit.min(DEL) as u8
}

/// The names of the counters that a refusal also prints.
pub mod field {
    /// Slots taken at a semaphore.
    pub const IN_FLIGHT: &str = "in_flight";
    /// Slots of a semaphore.
    pub const MAX: &str = "max";
    /// Spawns that wait for a slot.
    pub const QUEUED: &str = "queued";
    /// Slots of the scoped-host semaphore taken by bulk spawns.
    pub const BULK_IN_FLIGHT: &str = "bulk_in_flight";
    /// Slots of the scoped-host semaphore open to bulk spawns.
    pub const BULK_MAX: &str = "bulk_max";
    /// Turns admitted, of all classes or of one.
    pub const ACTIVE: &str = "active";
    /// Turns that may be admitted at once.
    pub const MAX_ACTIVE: &str = "maxActive";
    /// Bulk turns that may be admitted at once.
    pub const BULK_MAX_ACTIVE: &str = "bulkMaxActive";
}

/// The counters of one executor semaphore. A counter that the body does not report as a finite number is NaN.
#[derive(Clone, Copy, Debug)]
pub struct Semaphore {
    /// Slots taken.
    pub in_flight: f64,
    /// Slots in all.
    pub max: f64,
    /// Spawns (and orphaned health probes) that wait for a slot.
    pub queued: f64,
    /// How long a spawn waits for a slot before it is refused, in ms.
    pub acquire_deadline_ms: f64,
}

/// What a `/health` body reports, as the doubles that JavaScript would read. NaN is unreported.
#[derive(Clone, Copy, Debug)]
pub struct Health {
    /// `executor`: the host semaphore.
    pub host: Semaphore,
    /// `executor.scoped_host`: the second, separate semaphore.
    pub scoped_host: Semaphore,
    /// `executor.scoped_host.acquires`: slots taken there since the bridge started, health probes included.
    pub scoped_host_acquires: f64,
    /// `executor.scoped_host.bulk_in_flight`.
    pub scoped_host_bulk_in_flight: f64,
    /// `executor.scoped_host.bulk_max`.
    pub scoped_host_bulk_max: f64,
    /// `admission.active`.
    pub active: f64,
    /// `admission.maxActive`.
    pub max_active: f64,
    /// `admission.activeByClass.bulk`.
    pub bulk_active: f64,
    /// `admission.bulkMaxActive`.
    pub bulk_max_active: f64,
}

/// What stands behind a key of the body.
#[derive(Debug)]
pub enum Node {
    /// A number that counts.
    Counter(fn(&mut Health) -> &mut f64),
    /// An object with counters in it.
    Object(&'static [(&'static str, Node)]),
}

use Node::{Counter, Object};

/// Where every counter stands in the body. All other keys are skipped unread.
pub static BODY: Node = Object(&[
    (
        "executor",
        Object(&[
            (field::IN_FLIGHT, Counter(|health| &mut health.host.in_flight)),
            (field::MAX, Counter(|health| &mut health.host.max)),
            (field::QUEUED, Counter(|health| &mut health.host.queued)),
            ("acquire_deadline_ms", Counter(|health| &mut health.host.acquire_deadline_ms)),
            (
                "scoped_host",
                Object(&[
                    (field::IN_FLIGHT, Counter(|health| &mut health.scoped_host.in_flight)),
                    (field::MAX, Counter(|health| &mut health.scoped_host.max)),
                    (field::QUEUED, Counter(|health| &mut health.scoped_host.queued)),
                    ("acquire_deadline_ms", Counter(|health| &mut health.scoped_host.acquire_deadline_ms)),
                    ("acquires", Counter(|health| &mut health.scoped_host_acquires)),
                    (field::BULK_IN_FLIGHT, Counter(|health| &mut health.scoped_host_bulk_in_flight)),
                    (field::BULK_MAX, Counter(|health| &mut health.scoped_host_bulk_max)),
                ]),
            ),
        ]),
    ),
    (
        "admission",
        Object(&[
            (field::ACTIVE, Counter(|health| &mut health.active)),
            (field::MAX_ACTIVE, Counter(|health| &mut health.max_active)),
            (field::BULK_MAX_ACTIVE, Counter(|health| &mut health.bulk_max_active)),
            ("activeByClass", Object(&[("bulk", Counter(|health| &mut health.bulk_active))])),
        ]),
    ),
]);

impl Health {
    /// A body that reports nothing.
    pub const UNREPORTED: Self = {
        let semaphore =
            Semaphore { in_flight: f64::NAN, max: f64::NAN, queued: f64::NAN, acquire_deadline_ms: f64::NAN };
        Self {
            host: semaphore,
            scoped_host: semaphore,
            scoped_host_acquires: f64::NAN,
            scoped_host_bulk_in_flight: f64::NAN,
            scoped_host_bulk_max: f64::NAN,
            active: f64::NAN,
            max_active: f64::NAN,
            bulk_active: f64::NAN,
            bulk_max_active: f64::NAN,
        }
    };

    /// Reads the JSON bytes of a body as [`Health::from_text`] reads its text. Invalid UTF-8 inside strings is tolerated.
    #[must_use]
    pub fn from_json(body: &[u8]) -> Option<Self> {
        let narrowed = body.iter().map(|byte| narrow((*byte).into())).collect();
        Self::from_text(&String::from_utf8(narrowed).ok()?)
    }

    /// Reads the JSON text of a body, with the semantics of `JSON.parse`: the last of equal keys wins, lone surrogate
    /// escapes are text like any other, a number too large is infinite and so unreported. `None` where the text is not
    /// one JSON object: no evidence.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        Self::read(text).or_else(|| {
            // What serde_json skips, and refuses to read: lone surrogates, and numbers beyond the doubles.
            let IgnoredAny = serde_json::from_str(text).ok()?;
            Self::read(&mend(text))
        })
    }

    /// Takes the counters in the order of [`counter_paths`]. Numbers that are missing are unreported.
    #[must_use]
    pub fn from_counters<N: Borrow<f64>>(counters: impl IntoIterator<Item = N>) -> Self {
        let mut health = Self::UNREPORTED;
        let mut next = counters.into_iter();
        BODY.each_counter(&mut |counter| {
            if let Some(number) = next.next() {
                set(counter(&mut health), *number.borrow());
            }
        });
        health
    }

    fn read(text: &str) -> Option<Self> {
        if !text.trim_ascii_start().starts_with('{') {
            return None;
        }
        let mut health = Self::UNREPORTED;
        let mut json = serde_json::Deserializer::from_str(text);
        Place { node: &BODY, health: &mut health }.deserialize(&mut json).ok()?;
        json.end().ok().map(|()| health)
    }
}

/// The path of every counter, in the order in which [`Health::from_counters`] takes them.
#[must_use]
pub fn counter_paths() -> Vec<Vec<&'static str>> {
    fn walk(node: &Node, path: &mut Vec<&'static str>, paths: &mut Vec<Vec<&'static str>>) {
        match node {
            Counter(_) => paths.push(path.clone()),
            Object(fields) => {
                for (name, node) in *fields {
                    path.push(name);
                    walk(node, path, paths);
                    path.pop();
                }
            }
        }
    }
    let mut paths = Vec::new();
    walk(&BODY, &mut Vec::new(), &mut paths);
    paths
}

/// Infinity is what `JSON.parse` makes of a number too large. It counts nothing.
fn set(counter: &mut f64, number: f64) {
    *counter = if number.is_finite() { number } else { f64::NAN };
}

impl Node {
    fn each_counter(&self, visit: &mut impl FnMut(fn(&mut Health) -> &mut f64)) {
        match self {
            Counter(counter) => visit(*counter),
            Object(fields) => fields.iter().for_each(|(_, node)| node.each_counter(visit)),
        }
    }
}

/// A place in the body, about to be read into the counters.
struct Place<'a> {
    node: &'static Node,
    health: &'a mut Health,
}

impl<'de> DeserializeSeed<'de> for Place<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        match self.node {
            Object(_) => json.deserialize_any(self),
            // Nothing but a number parses.
            Counter(counter) => {
                set(counter(self.health), number(raw(json)?).unwrap_or(f64::NAN));
                Ok(())
            }
        }
    }
}

impl<'de> Visitor<'de> for Place<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a /health body")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let fields = match self.node {
            Object(fields) => *fields,
            Counter(_) => &[],
        };
        while let Some(node) = map.next_key_seed(Key { fields })? {
            if let Some(node) = node {
                // The last of equal keys wins, with all that stands below it.
                node.each_counter(&mut |counter| *counter(self.health) = f64::NAN);
                map.next_value_seed(Place { node, health: self.health })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    skip_all_but_objects!();
}

/// Finds a key among the wanted ones.
struct Key {
    fields: &'static [(&'static str, Node)],
}

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Option<&'static Node>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Key {
    type Value = Option<&'static Node>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.fields.iter().find(|(name, _)| *name == key).map(|(_, node)| node))
    }
}
