//! What a refusal says: of the place that was full, how full it was, and how long the turn waited.

use super::prose::Prose;
use super::record::{Field, Record};
use super::{ExecutorState, Reason, tables};

/// What a refusal says of the place that was full.
#[derive(Debug, Clone, Default)]
pub(crate) struct Detail {
    pub(crate) reason: Option<Reason>,
    pub(crate) executor: Option<String>,
    pub(crate) in_flight: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) queued: Option<f64>,
    pub(crate) queue_max: Option<f64>,
    pub(crate) bulk: Option<f64>,
    pub(crate) bulk_max: Option<f64>,
    pub(crate) wait: Option<f64>,
    pub(crate) deadline: Option<f64>,
    pub(crate) lane: Option<String>,
    pub(crate) is_admission: bool,
    pub(crate) refusal: Option<String>,
}

impl Detail {
    /// What `records` say: the first one, completed by the others where it is silent.
    pub(crate) fn of_all<'r>(records: impl Iterator<Item = &'r Record> + Clone) -> Self {
        let mut detail = records.clone().fold(Self::default(), |detail, record| detail.or(Self::of(record)));
        if detail.reason.is_none() && records.into_iter().any(is_saturated) {
            // The bridge does not say it: a full queue lets nobody wait.
            let waits = detail.deadline != Some(0.0);
            detail.reason = Some(if waits { Reason::AcquireTimeout } else { Reason::QueueFull });
        }
        detail
    }

    /// What `record` says, its fields before its prose.
    fn of(record: &Record) -> Self {
        let block = record.executor().unwrap_or(record);
        let count = |field| block.count(field).or_else(|| record.count(field));
        let name = record.word(Field::Executor).or_else(|| record.executor()?.word(Field::Name));
        let fields = Self {
            reason: match record.word(Field::Reason) {
                Some("queue_full") => Some(Reason::QueueFull),
                Some("queue_timeout") => Some(Reason::QueueTimeout),
                _ => None,
            },
            executor: name.map(str::to_owned),
            in_flight: count(Field::InFlight),
            max: count(Field::Max),
            queued: count(Field::Queued),
            deadline: count(Field::DeadlineMs),
            lane: record.word(Field::Lane).map(str::to_owned),
            is_admission: record.words().any(|word| word == tables::ADMISSION_REJECTED),
            ..Self::default()
        };
        match &record.said.prose {
            Some(Prose::Refused(prose)) => fields.or(Self::clone(prose)),
            _ => fields,
        }
    }

    /// This, completed by `other` where both are about one executor.
    fn or(self, other: Self) -> Self {
        if self.executor.is_some() && other.executor.is_some() && self.executor != other.executor {
            return self;
        }
        Self {
            reason: self.reason.or(other.reason),
            executor: self.executor.or(other.executor),
            in_flight: self.in_flight.or(other.in_flight),
            max: self.max.or(other.max),
            queued: self.queued.or(other.queued),
            queue_max: self.queue_max.or(other.queue_max),
            bulk: self.bulk.or(other.bulk),
            bulk_max: self.bulk_max.or(other.bulk_max),
            wait: self.wait.or(other.wait),
            deadline: self.deadline.or(other.deadline),
            lane: self.lane.or(other.lane),
            is_admission: self.is_admission || other.is_admission,
            refusal: self.refusal.or(other.refusal),
        }
    }

    /// How long the turn waited. Nobody waits for a place that is not there.
    pub(crate) fn waited(&self) -> Option<f64> {
        match self.reason {
            Some(Reason::AcquireTimeout) => self.wait.or(self.deadline),
            Some(Reason::QueueTimeout) => self.wait,
            _ => None,
        }
    }

    /// The executor, if the refusal names one.
    pub(crate) fn state(&self) -> Option<ExecutorState> {
        let is_timeout = self.reason == Some(Reason::AcquireTimeout);
        let name = self.executor.clone().filter(|_| !self.is_admission)?;
        Some(ExecutorState {
            name,
            in_flight: self.in_flight,
            max: self.max,
            queued: self.queued,
            deadline_ms: self.deadline.or(self.wait.filter(|_| is_timeout)),
        })
    }
}

fn is_saturated(record: &Record) -> bool {
    record.words().any(|word| word == tables::EXECUTOR_SATURATED)
}
