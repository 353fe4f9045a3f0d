//! Misuse: what a caller can only mend in its own code. A full bridge is never an error, it is an answer.

use thiserror::Error;

use crate::intent::{executor_names, lane_names};

/// The JavaScript class that a misuse is thrown as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `TypeError`: a value of the wrong type, or a name that is not known.
    Type,
    /// `RangeError`: a number out of bounds.
    Range,
}

/// A value that cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{wanted}, got {got}")]
pub struct Misuse {
    /// What was wanted instead.
    pub wanted: Wanted,
    /// The value, as a person would write it.
    pub got: String,
}

/// What a caller has to give. The text says it.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Wanted {
    /// The first argument has a type that no `/health` body has.
    #[error("health must be a parsed /health body, its JSON text or its bytes")]
    Health,
    /// `intended` is neither a number nor an object.
    #[error("intended must be a positive safe integer or {{ slots, lane?, executor? }}")]
    Intended,
    /// The number of slots is not a number.
    #[error("intended slots must be a positive safe integer")]
    SlotsType,
    /// The number of slots is not a positive safe integer.
    #[error("intended slots must be a positive safe integer")]
    Slots,
    /// `intended.lane` is not one of the lanes.
    #[error("intended lane must be one of {}", lane_names())]
    Lane,
    /// `intended.executor` is not one of the executors.
    #[error("intended executor must be one of {}", executor_names())]
    Executor,
    /// The second argument of the seam form is no `AbortSignal`.
    #[error("signal must be an AbortSignal (the intended slots go into options.intended)")]
    Signal,
    /// The third argument of the seam form is no object.
    #[error("options must be an object {{ intended?, timeoutMs? }}")]
    Options,
    /// `options.timeoutMs` is not a number.
    #[error("options.timeoutMs must be a number of ms above 0 that a timer can hold")]
    TimeoutType,
    /// `options.timeoutMs` is no delay that a timer can hold.
    #[error("options.timeoutMs must be a number of ms above 0 that a timer can hold")]
    Timeout,
    /// `seam.bridgeUrl` is not an http(s) URL.
    #[error("bridgeUrl must be an http(s) URL without a query or fragment")]
    BridgeUrl,
    /// `seam.bridgeBearer` cannot be sent in a header. Its value is never named.
    #[error("bridgeBearer must be a string that an HTTP header can carry")]
    BridgeBearer,
}

/// What can be misused, by the names that the JavaScript face has for it.
pub const WANTED: [(&str, Wanted); 12] = [
    ("health", Wanted::Health),
    ("intended", Wanted::Intended),
    ("slotsType", Wanted::SlotsType),
    ("slots", Wanted::Slots),
    ("lane", Wanted::Lane),
    ("executor", Wanted::Executor),
    ("signal", Wanted::Signal),
    ("options", Wanted::Options),
    ("timeoutType", Wanted::TimeoutType),
    ("timeout", Wanted::Timeout),
    ("bridgeUrl", Wanted::BridgeUrl),
    ("bridgeBearer", Wanted::BridgeBearer),
];

impl Misuse {
    /// The class of the JavaScript error.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.wanted {
            Wanted::Slots | Wanted::Timeout => Class::Range,
            _ => Class::Type,
        }
    }

    /// The `code` of the JavaScript error, as Node names these two kinds of misuse.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.class() {
            Class::Type => "ERR_INVALID_ARG_TYPE",
            Class::Range => "ERR_OUT_OF_RANGE",
        }
    }
}
