//! The bridge's prose, and this package's own refusals: where they may stand in a text, and what they say.

use super::Reason;
use super::detail::Detail;
use crate::capacity::{GATES, Gate};
use crate::health::field;
use crate::intent::{HOST_NAME, SCOPED_HOST_NAME};
use crate::json::CUT;
use crate::refusal::{FULL, NEVER, NO_ROOM};

/// One executor of the bridge.
#[derive(Debug)]
pub(crate) struct Executor {
    /// As it begins a refusal.
    prose: &'static str,
    /// As the structured words call it.
    pub(crate) name: &'static str,
    /// As a person calls it.
    pub(crate) spoken: &'static str,
}

/// The executors, from the bridge's source.
pub(crate) static EXECUTORS: [Executor; 3] = [
    Executor { prose: "host-executor: ", name: HOST_NAME, spoken: "host executor" },
    Executor { prose: "scoped-host-executor: ", name: SCOPED_HOST_NAME, spoken: "scoped-host executor" },
    Executor { prose: "container-pool: ", name: "container-pool", spoken: "container pool" },
];

/// A text of the bridge about a slot.
#[derive(Debug, Clone)]
pub(crate) enum Prose {
    /// There was no slot.
    Refused(Box<Detail>),
    /// The caller cancelled while it waited for one.
    Aborted,
}

/// How many bytes of marks stand at the end of `text`, where it was cut.
pub(crate) fn cut(text: &str) -> usize {
    text.len().saturating_sub(text.trim_end_matches(CUT).len())
}

/// The prose that `text` begins with. Only the end of a text may be missing: there it has `cut` bytes of marks, which the
/// caller counts once for all places in a text.
pub(crate) fn read(text: &str, cut: usize) -> Option<Prose> {
    let whole = text.get(..text.len().saturating_sub(cut)).unwrap_or_default();
    let ends = if cut == 0 { End::Whole } else { End::Cut };
    executor(whole, ends)
        .or_else(|| admission(whole, ends))
        .or_else(|| own_refusal(whole, ends))
        .map(|detail| Prose::Refused(Box::new(detail)))
        .or_else(|| whole.starts_with("cli-bridge admission aborted").then_some(Prose::Aborted))
}

/// How the text ends: a number at the end of a cut one may lack digits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    Cut,
}

fn executor(text: &str, ends: End) -> Option<Detail> {
    let (executor, text) = EXECUTORS
        .iter()
        .find_map(|executor| text.strip_prefix(executor.prose).map(|text| (executor, text)))?;
    let mut detail = Detail { executor: Some(executor.name.to_owned()), ..Detail::default() };
    let rest = if let Some(rest) = text.strip_prefix("acquire timeout") {
        let (wait, rest) = wait(rest)?;
        detail.reason = Some(Reason::AcquireTimeout);
        detail.wait = wait;
        rest
    } else {
        detail.reason = Some(Reason::QueueFull);
        word_end(text.strip_prefix("queue full")?)?
    };
    for item in parenthesis(rest) {
        let Some((key, value)) = item.split_once('=') else { continue };
        let (first, second) = pair(value, ends);
        match key {
            "in_flight" => (detail.in_flight, detail.max) = (first, second),
            "queued" => detail.queued = first,
            "depth" => (detail.queued, detail.queue_max) = (first, second),
            "bulk" => (detail.bulk, detail.bulk_max) = (first, second),
            "lane" => detail.lane = Some(value.to_owned()),
            _ => {}
        }
    }
    Some(detail)
}

fn admission(text: &str, ends: End) -> Option<Detail> {
    let mut detail = Detail { is_admission: true, ..Detail::default() };
    if let Some(rest) = text.strip_prefix("cli-bridge admission timed out") {
        let (wait, rest) = wait(rest)?;
        detail.reason = Some(Reason::QueueTimeout);
        detail.wait = wait;
        detail.lane = rest
            .strip_prefix(" in the ")
            .and_then(|rest| rest.split_once(" lane"))
            .map(|(lane, _)| lane.to_owned());
        return (rest.starts_with(" in the ") || " in the ".starts_with(rest)).then_some(detail);
    }
    let (lane, rest) = text.strip_prefix("cli-bridge is saturated: ")?.split_once(' ')?;
    let rest = word_end(rest.strip_prefix("admission queue is full")?)?;
    detail.reason = Some(Reason::QueueFull);
    detail.lane = Some(lane.to_owned());
    if let Some(counts) = parenthesis(rest).next() {
        (detail.queued, detail.queue_max) = pair(counts, ends);
    }
    Some(detail)
}

/// `{bridge} {gate} is full: {active} A of {limit} M…`, as the refusals of this package say it.
fn own_refusal(text: &str, ends: End) -> Option<Detail> {
    let rest = text.strip_prefix("bridge ")?;
    let (gate, rest) = own_gate(rest).or_else(|| own_gate(rest.split_once(' ')?.1))?;
    let (verdict, rest) = rest.split_once(": ")?;
    let slots = [NEVER, NO_ROOM].iter().find_map(|verb| verdict.strip_prefix(verb)?.strip_prefix(' '));
    if verdict != FULL && slots.and_then(number).is_none() {
        return None;
    }
    // Word by word, so that a text full of beginnings is not searched to its end from each of them.
    let (active, limit) = rest.strip_prefix(gate.active)?.strip_prefix(' ')?.split_once(' ')?;
    number(active)?;
    let limit = limit.strip_prefix("of ")?.strip_prefix(gate.limit)?.strip_prefix(' ')?;
    if !limit.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut detail = Detail {
        reason: Some(Reason::PreSpawn),
        executor: gate.executor.map(str::to_owned),
        refusal: Some(text.lines().next().unwrap_or_default().trim_end().to_owned()),
        ..Detail::default()
    };
    if gate.executor.is_some() {
        let (main, tail) = rest.find(" (").and_then(|at| rest.split_at_checked(at)).unwrap_or((rest, ""));
        for item in std::iter::once(main).chain(parenthesis(tail)) {
            let value = |name: &str| item.strip_prefix(name)?.strip_prefix(' ');
            if let Some((in_flight, max)) = value(field::IN_FLIGHT).and_then(|value| value.split_once(" of "))
            {
                let max = max.strip_prefix(field::MAX).and_then(|max| max.strip_prefix(' '));
                (detail.in_flight, detail.max) = (number(in_flight), max.and_then(|max| ended(max, ends)));
            } else if let Some(queued) = value(field::QUEUED) {
                detail.queued = number(queued);
            } else if let Some(wait) =
                item.strip_prefix("acquire deadline ").and_then(|item| item.strip_suffix(" ms"))
            {
                detail.deadline = number(wait);
            }
        }
    }
    Some(detail)
}

fn own_gate(text: &str) -> Option<(&'static Gate, &str)> {
    GATES.iter().find_map(|gate| {
        let rest = text.strip_prefix(gate.name)?.strip_prefix(' ')?;
        // One gate's name begins another's.
        [FULL, NEVER, NO_ROOM].iter().any(|verb| rest.starts_with(verb)).then_some((gate, rest))
    })
}

/// `rest`, if the word before it ends there.
fn word_end(rest: &str) -> Option<&str> {
    (!rest.starts_with(char::is_alphanumeric)).then_some(rest)
}

/// The wait in ` after 60000ms`, and what comes behind. The wait is missing where the text ends within it.
fn wait(text: &str) -> Option<(Option<f64>, &str)> {
    if " after ".starts_with(text) {
        return Some((None, ""));
    }
    let text = text.strip_prefix(" after ")?;
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.strip_suffix(rest).filter(|digits| !digits.is_empty())?;
    match rest.strip_prefix("ms") {
        Some(rest) => Some((number(digits), rest)),
        None => "ms".starts_with(rest).then_some((None, "")),
    }
}

/// The items of the parenthesis that `text` begins with. One that is not closed lacks its last item.
fn parenthesis(text: &str) -> impl Iterator<Item = &str> {
    let text = text.strip_prefix(" (").unwrap_or_default();
    let items = match text.split_once(')') {
        Some((items, _)) => items,
        None => text.rsplit_once(", ").map_or("", |(items, _)| items),
    };
    items.split(", ").filter(|item| !item.is_empty())
}

/// `a/b`, or `a` alone.
fn pair(text: &str, ends: End) -> (Option<f64>, Option<f64>) {
    match text.split_once('/') {
        Some((first, second)) => (number(first), number(second)),
        None => (ended(text, ends).or_else(|| number(text)), None),
    }
}

/// A number at the end of the text.
fn ended(text: &str, ends: End) -> Option<f64> {
    number(text.lines().next()?).filter(|_| ends == End::Whole)
}

/// A number as JavaScript prints one that is not negative.
fn number(text: &str) -> Option<f64> {
    let begins = text.starts_with(|c: char| c.is_ascii_digit());
    text.parse().ok().filter(|number: &f64| begins && number.is_finite())
}

/// The places in `text` where a sentence of the bridge may stand, each with what stands there: the beginning, and
/// behind every `: ` of the first line that is not within quotes. A harness's own words end it: the bridge frames them
/// as `opencode exited 1: …`, and other programs print more than one line.
pub(crate) fn places(text: &str) -> impl Iterator<Item = &str> {
    let mut quotes = Quotes::default();
    let mut chars = text.char_indices();
    let mut before = ['\0'; 2];
    std::iter::from_fn(move || {
        loop {
            let (at, c) = chars.next()?;
            let rest = text.get(at..)?;
            let place = (at == 0 || before == [':', ' ']) && quotes.are_closed();
            if c == '\n' || rest.starts_with(" exited") {
                return None;
            }
            let next = chars.clone().next().map(|(_, next)| next);
            quotes.see(before[1], c, next);
            before = [before[1], c];
            if place {
                return Some(rest);
            }
        }
    })
}

/// Which quotation marks are open.
#[derive(Default)]
struct Quotes {
    double: bool,
    single: bool,
    back: bool,
    /// Typographic ones, by how many more were opened than closed.
    typographic: u32,
}

impl Quotes {
    fn see(&mut self, before: char, c: char, next: Option<char>) {
        match c {
            '"' => self.double = !self.double,
            '`' => self.back = !self.back,
            // Between letters it is an apostrophe.
            '\'' if !(before.is_alphanumeric() && next.is_some_and(char::is_alphanumeric)) => {
                self.single = !self.single;
            }
            '\u{201c}' | '\u{201e}' | '\u{2018}' | '\u{201a}' | '\u{ab}' => {
                self.typographic = self.typographic.saturating_add(1);
            }
            '\u{201d}' | '\u{2019}' | '\u{bb}' => self.typographic = self.typographic.saturating_sub(1),
            _ => {}
        }
    }

    fn are_closed(&self) -> bool {
        !self.double && !self.single && !self.back && self.typographic == 0
    }
}

/// Whether `text` begins with the bridge's frame around a harness that ran: `opencode exited 1: `.
pub(crate) fn is_harness_frame(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
    };
    let Some((harness, rest)) = text.split_once(' ') else { return false };
    let Some((exit, _)) = rest.strip_prefix("exited ").and_then(|rest| rest.split_once(": ")) else {
        return false;
    };
    is_word(harness) && is_word(exit)
}
