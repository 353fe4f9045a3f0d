//! Whose failure it was.
//!
//! A failure is read into a tree of [`Record`]s, from a text ([`Record::from_text`]) or from what the JavaScript face
//! found on an object ([`Record::from_events`]); [`classify`] decides from the tree alone. Nothing here fails.

mod detail;
mod json;
mod prose;
mod record;
mod sentence;
pub mod tables;
mod text;

use std::time::{Duration, SystemTime};

use detail::Detail;
use prose::Prose;
use record::{Field, Trust};

pub use record::{DEPTH, Event, FIELDS, LONGEST, MEMBERS, RECORDS, RETRY_AFTER, Record, Role, Row};

use crate::json::CUT;

/// Whose failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The bridge had no slot; nothing ran.
    Capacity,
    /// The harness, the model or the provider failed, or its time ran out after it had started.
    Provider,
    /// Refused for what it asked, or for a setting: the same request fails again.
    Request,
    /// The bridge, or the way to it.
    Bridge,
    /// The caller cancelled.
    Aborted,
    /// Nothing proves anything.
    Unknown,
}

impl Kind {
    /// The kind's name in JavaScript.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Capacity => "capacity",
            Self::Provider => "provider",
            Self::Request => "request",
            Self::Bridge => "bridge",
            Self::Aborted => "aborted",
            Self::Unknown => "unknown",
        }
    }
}

/// How there was no slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The turn waited for an executor's slot and gave up.
    AcquireTimeout,
    /// There was no place left to wait in.
    QueueFull,
    /// The turn waited in an admission lane and gave up.
    QueueTimeout,
    /// This package refused before anything was sent.
    PreSpawn,
}

impl Reason {
    /// The reason's name in JavaScript.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AcquireTimeout => "acquire-timeout",
            Self::QueueFull => "queue-full",
            Self::QueueTimeout => "queue-timeout",
            Self::PreSpawn => "pre-spawn",
        }
    }
}

/// The message of a classification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    /// This text.
    Text(String),
    /// The text at this place of the list that [`Record::from_events`] was given, unchanged: JavaScript's strings may
    /// hold what Rust's cannot.
    At(usize),
}

/// The executor that had no slot. What the failure does not say is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecutorState {
    /// `host`, `scoped-host` or `container-pool`, or what else the bridge calls it.
    pub name: String,
    /// Slots taken.
    pub in_flight: Option<f64>,
    /// Slots there are.
    pub max: Option<f64>,
    /// Turns that waited.
    pub queued: Option<f64>,
    /// How long a turn may wait, in milliseconds.
    pub deadline_ms: Option<f64>,
}

/// What a failure was.
#[derive(Debug, Clone, PartialEq)]
pub struct Classification {
    /// Whose failure it was.
    pub kind: Kind,
    /// True only where the failure proves that no provider call was made and that the same request can succeed later.
    pub retry_safe: bool,
    /// The failure in words.
    pub message: Message,
    /// The word that decided, or else the first type or code.
    pub code: Option<String>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// What the bridge says of the provider call, such as `not_started`.
    pub provider_dispatch: Option<String>,
    /// How long to wait before another try, in milliseconds.
    pub retry_after_ms: Option<f64>,
    /// How there was no slot. Only for capacity.
    pub reason: Option<Reason>,
    /// How long the turn waited, in milliseconds. Only for capacity.
    pub waited_ms: Option<f64>,
    /// The executor that had no slot. Only for capacity.
    pub executor: Option<ExecutorState>,
}

/// How strong a sign is, the strongest first. A weaker one never overturns a stronger one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    /// The bridge's own words for capacity.
    CapacityWord,
    /// Any other type or code.
    Word,
    /// The bridge's prose, and its frame around a harness that ran.
    Prose,
    /// The runtime's cancellation.
    Abort,
    /// A code of the network.
    Network,
    /// `fetch failed`, without a reason.
    FetchFailed,
    /// The HTTP status.
    Status,
}

/// One sign of what the failure was.
#[derive(Debug, Clone, Copy)]
struct Sign<'r> {
    strength: Strength,
    depth: usize,
    kind: Kind,
    retry_safe: bool,
    word: Option<&'r str>,
    record: &'r Record,
}

/// What the failure in `record` was. `now_ms` is the time as `Date.now()` tells it, for a `Retry-After` that is a date.
#[must_use]
pub fn classify(record: &Record, now_ms: f64) -> Classification {
    let signs = signs(record, 0);
    let sign = signs.first().copied();
    let kind = sign.map_or(Kind::Unknown, |sign| sign.kind);
    let tree = outermost_first(record);
    let from_sign = sign.map(|sign| sign.record);
    let by_sign = || from_sign.into_iter().chain(tree.iter().copied());

    let retry_after_ms = tree
        .iter()
        .find_map(|record| record.count(Field::RetryAfterMs))
        .or_else(|| tree.iter().find_map(|record| retry_after(record, now_ms)));
    let status = from_sign
        .and_then(Record::status)
        .or_else(|| tree.iter().filter_map(|record| record.status()).find(|status| *status >= 400))
        .or_else(|| tree.iter().find_map(|record| record.status()));
    let mut answer = Classification {
        kind,
        retry_safe: sign.is_some_and(|sign| {
            // As sure as the least sure of its equals.
            let mut equals =
                signs.iter().filter(|other| (other.strength, other.kind) == (sign.strength, sign.kind));
            equals.all(|equal| equal.retry_safe)
        }),
        message: own_message(&tree, status),
        code: sign
            .and_then(|sign| sign.word)
            .or_else(|| tree.iter().find_map(|record| record.code()))
            .map(str::to_owned),
        status,
        provider_dispatch: by_sign().find_map(|record| record.word(Field::Dispatch)).map(str::to_owned),
        retry_after_ms,
        reason: None,
        waited_ms: None,
        executor: None,
    };
    if kind == Kind::Capacity {
        let refusals = signs.iter().filter(|sign| sign.kind == kind).map(|sign| sign.record);
        let detail = Detail::of_all(refusals);
        answer.message = Message::Text(sentence::of(&detail));
        answer.reason = detail.reason;
        answer.waited_ms = detail.waited();
        answer.executor = detail.state();
    }
    answer
}

/// Every sign in `record`, the strongest first, among equals the outermost first.
fn signs(record: &Record, depth: usize) -> Vec<Sign<'_>> {
    let mut found = Vec::new();
    collect(record, depth, &mut found);
    // Rank by rank, since there are few. (A sort would do, with 6 KB more of code.)
    let rank = |sign: &Sign| (sign.strength, sign.depth);
    let mut signs = Vec::with_capacity(found.len());
    let mut next = found.iter().map(rank).min();
    while let Some(first) = next {
        signs.extend(found.iter().filter(|sign| rank(sign) == first));
        next = found.iter().map(rank).filter(|rank| *rank > first).min();
    }
    signs
}

fn collect<'r>(record: &'r Record, depth: usize, signs: &mut Vec<Sign<'r>>) {
    let inner = depth.saturating_add(1);
    let before = signs.len();
    for (field, child) in record.matter() {
        let before = signs.len();
        collect(child, inner, signs);
        let matter = signs.split_off(before).into_iter();
        match record.trust(field, child) {
            Trust::Whole => signs.extend(matter),
            Trust::Words => signs.extend(matter.filter(|sign| sign.strength != Strength::Prose)),
            Trust::NoRefusal => signs.extend(
                matter
                    .filter(|sign| sign.kind != Kind::Capacity)
                    .map(|sign| Sign { retry_safe: false, ..sign }),
            ),
        }
    }
    for cause in record.causes() {
        collect(cause, inner, signs);
    }
    let own = own_signs(record, depth);
    // The list of a body that has a word of its own is a detail of it; only an error of JavaScript is its members.
    let is_settled = || own.clone().any(|sign| sign.strength <= Strength::Word);
    if record.members().is_empty() || (record.word(Field::Name).is_none() && is_settled()) {
        return signs.extend(own);
    }
    // A list is what all its members are, and as sure as the least sure of them. Where they differ it is nothing, and
    // whatever stands beside the list cannot make it capacity: a member may have reached the provider.
    let members: Vec<_> = record.members().iter().map(|member| self::signs(member, inner)).collect();
    let verdicts: Vec<_> = members.iter().map(|signs| signs.first().copied()).collect();
    let kind = |verdict: &Option<Sign>| verdict.map(|sign| sign.kind);
    let first = verdicts.first().and_then(kind);
    let agree = verdicts.iter().all(|verdict| kind(verdict) == first);
    let retry_safe = agree && first.is_some() && verdicts.iter().flatten().all(|sign| sign.retry_safe);
    if agree {
        signs.extend(own);
    }
    let beside = signs.split_off(before);
    let is_capacity = agree && first == Some(Kind::Capacity);
    let beside = beside.into_iter().filter(|sign| is_capacity || sign.kind != Kind::Capacity);
    signs.extend(beside.map(|sign| Sign { retry_safe: sign.retry_safe && retry_safe, ..sign }));
    if let (true, Some(weakest)) = (agree, verdicts.iter().flatten().map(|sign| sign.strength).max()) {
        let of_first = members
            .into_iter()
            .next()
            .unwrap_or_default()
            .into_iter()
            .filter(|sign| Some(sign.kind) == first);
        signs.extend(of_first.map(|sign| Sign { strength: sign.strength.max(weakest), retry_safe, ..sign }));
    }
}

/// What `record` itself says, whatever is nested in it. The order of evidence is [`Strength`]'s.
fn own_signs(record: &Record, depth: usize) -> impl Iterator<Item = Sign<'_>> + Clone {
    let sign =
        move |strength, kind, retry_safe, word| Sign { strength, depth, kind, retry_safe, word, record };
    let by_table = move |strength, table: &tables::Table| {
        record.find(table).map(|(word, retry_safe)| sign(strength, table.kind, retry_safe, Some(word)))
    };
    let prose = record.said.prose.as_ref().map(|prose| match prose {
        Prose::Refused(_) => sign(Strength::Prose, Kind::Capacity, true, None),
        Prose::Aborted => sign(Strength::Prose, Kind::Aborted, false, None),
    });
    let is_abort = record.word(Field::Name) == Some(tables::ABORT_NAME);
    let (name, message) = tables::FETCH_FAILED;
    let is_fetch_failed =
        record.word(Field::Name) == Some(name) && record.message().is_some_and(|own| own.text == message);
    [
        capacity_word(record)
            .map(|(kind, word)| sign(Strength::CapacityWord, kind, kind == Kind::Capacity, word)),
        structured_word(record)
            .map(|(kind, word, retry_safe)| sign(Strength::Word, kind, retry_safe, Some(word))),
        prose,
        record.said.ran.then(|| sign(Strength::Prose, Kind::Provider, false, None)),
        by_table(Strength::Abort, &tables::ABORT_CODES),
        is_abort.then(|| sign(Strength::Abort, Kind::Aborted, false, None)),
        // In a body it is somebody else's connection that was not made.
        by_table(Strength::Network, &tables::NETWORK_CODES)
            .map(|sign| Sign { retry_safe: sign.retry_safe && !record.is_body, ..sign }),
        is_fetch_failed.then(|| sign(Strength::FetchFailed, Kind::Bridge, false, None)),
        record.status().and_then(tables::of_status).map(|kind| sign(Strength::Status, kind, false, None)),
    ]
    .into_iter()
    .flatten()
}

/// The bridge's own words for capacity, and the word itself where it is one.
fn capacity_word(record: &Record) -> Option<(Kind, Option<&str>)> {
    let word = record.find(&tables::CAPACITY).map(|(word, _)| word);
    // A record that is marked as capacity and says that the harness ran contradicts itself, and proves nothing.
    let is_marked = record.flag(Field::Capacity) && record.find(&tables::PROVIDER).is_none();
    if word.is_none() && !is_marked {
        return None;
    }
    let reason = record.word(Field::Reason);
    if reason == Some("aborted") || matches!(record.said.prose, Some(Prose::Aborted)) {
        return Some((Kind::Aborted, word));
    }
    // An admission refusal says only in its reason, or in its message, that it was the caller who gave up.
    let is_told = word == Some(tables::EXECUTOR_SATURATED)
        || reason.is_some()
        || record.said.prose.is_some()
        || (word.is_some() && record.has_whole_message());
    (is_told || !record.cut).then_some((Kind::Capacity, word))
}

/// The first word that names another kind.
fn structured_word(record: &Record) -> Option<(Kind, &str, bool)> {
    record.words().find_map(|word| {
        tables::STRUCTURED
            .iter()
            .find_map(|table| table.find(word).map(|retry_safe| (table.kind, word, retry_safe)))
    })
}

/// Whether anything in `record` is a sign.
fn says_something(record: &Record) -> bool {
    !signs(record, 0).is_empty()
}

/// The records of the tree, the outermost first.
fn outermost_first(record: &Record) -> Vec<&Record> {
    let mut tree = vec![record];
    let mut next = 0;
    while let Some(record) = tree.get(next).copied() {
        tree.extend(record.children().chain(record.members()));
        next = next.saturating_add(1);
    }
    tree
}

/// The outermost message. A text that is structured is one only where nothing inside it is.
fn own_message(tree: &[&Record], status: Option<u16>) -> Message {
    let is_envelope = |record: &Record| record.is_text && record.said.structured;
    let plain = tree.iter().filter(|record| !is_envelope(record)).find_map(|record| record.message());
    match plain.or_else(|| tree.iter().find_map(|record| record.message())) {
        Some(text) => match text.at {
            Some(at) => Message::At(at),
            None => Message::Text(text.text.trim_end_matches(CUT).to_owned()),
        },
        None => {
            Message::Text(status.map_or_else(|| "no message".to_owned(), |status| format!("HTTP {status}")))
        }
    }
}

/// The wait that a `Retry-After` header asks for: seconds, or a date.
fn retry_after(record: &Record, now_ms: f64) -> Option<f64> {
    if let Some(seconds) = record.count(Field::RetryAfter) {
        return Some(seconds * 1000.0).filter(|ms| ms.is_finite());
    }
    let text = record.word(Field::RetryAfter)?.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse::<f64>().ok().map(|seconds| seconds * 1000.0).filter(|ms| ms.is_finite());
    }
    let date = httpdate::parse_http_date(text).ok()?;
    let since_epoch = date.duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let wait = since_epoch.as_secs_f64() * 1000.0 - now_ms;
    wait.is_finite().then(|| wait.max(0.0))
}
