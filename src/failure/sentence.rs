//! A capacity refusal in words.

use super::Reason;
use super::detail::Detail;
use super::prose::EXECUTORS;
use crate::number::Number;

/// The sentence for `detail`.
pub(crate) fn of(detail: &Detail) -> String {
    format!(
        "capacity refusal, not a provider failure: {}; nothing was dispatched to the provider",
        match &detail.refusal {
            Some(refusal) => format!("refused before the spawn: {refusal}"),
            None => full(detail),
        }
    )
}

/// What was full, how full, and how long the turn waited.
fn full(detail: &Detail) -> String {
    let is_queue_full = detail.reason == Some(Reason::QueueFull);
    let mut counts = Vec::new();
    let place = if detail.is_admission {
        if is_queue_full {
            counts.extend(taken("", detail.queued, detail.queue_max, " queued"));
        }
        let lane = detail.lane.as_ref().map(|lane| format!("{lane} ")).unwrap_or_default();
        format!("{lane}admission {}", if is_queue_full { "queue" } else { "lane" })
    } else {
        if detail.lane.as_deref() != Some("reserved") {
            counts.extend(taken("bulk lane ", detail.bulk, detail.bulk_max, ""));
        }
        counts.extend(taken("", detail.in_flight, detail.max, " in flight"));
        counts.extend(detail.queued.map(|queued| format!("{} queued", Number(queued))));
        let executor = detail.executor.as_ref().map_or_else(|| "bridge".to_owned(), |name| spoken(name));
        format!("{executor}{}", if is_queue_full { " queue" } else { "" })
    };
    let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
    let wait = detail.waited().map(|ms| format!(" after waiting {} ms", Number(ms))).unwrap_or_default();
    format!("{place} full{counts}{wait}")
}

/// An executor as a person calls it.
fn spoken(name: &str) -> String {
    let known = EXECUTORS.iter().find(|executor| executor.name == name);
    known.map_or_else(|| format!("{name} executor"), |executor| executor.spoken.to_owned())
}

fn taken(before: &str, taken: Option<f64>, limit: Option<f64>, after: &str) -> Option<String> {
    let limit = limit.map(|limit| format!(" of {}", Number(limit))).unwrap_or_default();
    taken.map(|taken| format!("{before}{}{limit}{after}", Number(taken)))
}
