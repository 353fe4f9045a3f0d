//! The words that prove something, one table per kind. Adding a word is one line.

use super::Kind;

/// One word on the wire, and whether it proves that the same request can be sent again.
#[derive(Debug)]
pub struct Word {
    /// The word, letter for letter.
    pub word: &'static str,
    /// True where it proves that no provider call was made and that a later try can succeed.
    pub retry_safe: bool,
}

/// Every word that means one kind.
#[derive(Debug)]
pub struct Table {
    /// Whose failure these words name.
    pub kind: Kind,
    /// Whole words.
    pub words: &'static [Word],
    /// Beginnings: a word that starts with one belongs to the table too.
    pub prefixes: &'static [&'static str],
}

const fn word(word: &'static str) -> Word {
    Word { word, retry_safe: false }
}

const fn again(word: &'static str) -> Word {
    Word { word, retry_safe: true }
}

/// The executor semaphores and the container pool of the bridge, since `cd1486d`.
pub(crate) const EXECUTOR_SATURATED: &str = "executor_saturated";
/// The admission lane of the bridge, in every version.
pub(crate) const ADMISSION_REJECTED: &str = "admission_rejected";

/// The bridge had no slot; nothing ran.
pub static CAPACITY: Table = Table {
    kind: Kind::Capacity,
    words: &[again(EXECUTOR_SATURATED), again(ADMISSION_REJECTED)],
    prefixes: &[],
};

/// The harness, the model or the provider failed, or its time ran out after it had started.
pub static PROVIDER: Table = Table {
    kind: Kind::Provider,
    words: &[
        // The bridge's frame around a harness that exited with a failure.
        word("upstream"),
        // The bridge's passthrough: what the provider's own API answered.
        word("upstream_error"),
        // The bridge: execution.timeoutMs ran out after the start.
        word("timeout"),
        // The bridge: the run outlived its lease.
        word("run_lifetime_exceeded"),
        // The bridge: the harness failed and did not say why.
        word("unattributed_backend_error"),
        // Anthropic's API, and harnesses that hand its errors on.
        word("rate_limit_error"),
        word("overloaded_error"),
        // OpenAI's API, and codex.
        word("rate_limit_exceeded"),
        word("server_overloaded"),
        word("insufficient_quota"),
    ],
    // The bridge's names for what a provider said: provider_rate_limited and others.
    prefixes: &["provider_"],
};

/// Refused for what it asked, or for a setting: the same request fails again.
pub static REQUEST: Table = Table {
    kind: Kind::Request,
    words: &[
        // The bridge: the identity of sessions and runs.
        word("session_binding_conflict"),
        word("session_identity_conflict"),
        word("run_identity_conflict"),
        // The bridge: the request itself, checked before any backend.
        word("parse_error"),
        word("invalid_request_error"),
        word("invalid_authentication_error"),
        word("not_found_error"),
        word("not_found"),
        // The bridge: what the backend cannot do, or is not set up for.
        word("capability_denied"),
        word("mode_not_supported"),
        word("not_configured"),
        word("executor_misconfigured"),
        // The bridge: replay of a run's events.
        word("invalid_replay_cursor"),
        word("expired_replay_cursor"),
    ],
    prefixes: &[],
};

/// The bridge, or the way to it.
pub static BRIDGE: Table = Table {
    kind: Kind::Bridge,
    words: &[
        // The bridge shuts down; the run was not taken.
        again("run_admission_closed"),
        // The bridge: a dependency of its own is away.
        word("service_unavailable"),
        // The runtime and the bridge: the connection between the two broke.
        word("transport_error"),
    ],
    prefixes: &[],
};

/// The caller cancelled.
pub static ABORTED: Table = Table {
    kind: Kind::Aborted,
    // The bridge: a cancelled run, and a cancelled question of a run.
    words: &[word("run_cancelled"), word("interaction_cancelled")],
    prefixes: &[],
};

/// The name of the error that Node, undici and browsers throw when the caller cancelled.
pub(crate) const ABORT_NAME: &str = "AbortError";
/// The name and the message of the error with which `fetch` fails. Its reason, if it is told, is the cause.
pub(crate) const FETCH_FAILED: (&str, &str) = ("TypeError", "fetch failed");

/// What Node and undici put into `code` when the caller cancelled.
pub static ABORT_CODES: Table = Table {
    kind: Kind::Aborted,
    // Node's AbortError; undici's RequestAbortedError.
    words: &[word("ABORT_ERR"), word("UND_ERR_ABORTED")],
    prefixes: &[],
};

/// What Node, undici and Bun put into `code` when the network failed.
pub static NETWORK_CODES: Table = Table {
    kind: Kind::Bridge,
    words: &[
        // Node: no connection was made, so nothing was sent.
        again("ECONNREFUSED"),
        again("ENOTFOUND"),
        again("EAI_AGAIN"),
        again("EHOSTUNREACH"),
        again("ENETUNREACH"),
        // Bun's name for ECONNREFUSED.
        again("ConnectionRefused"),
        // Node: may come after the request was sent.
        word("ECONNRESET"),
        word("ECONNABORTED"),
        word("EPIPE"),
        word("ETIMEDOUT"),
        word("EPROTO"),
        word("EHOSTDOWN"),
        word("ENETDOWN"),
        word("ENETRESET"),
        word("ENOTCONN"),
        word("EADDRNOTAVAIL"),
        word("EAI_FAIL"),
        word("EAI_NODATA"),
        word("EAI_NONAME"),
        word("ERR_STREAM_PREMATURE_CLOSE"),
        // OpenSSL through Node: the certificate of the other end.
        word("DEPTH_ZERO_SELF_SIGNED_CERT"),
        word("SELF_SIGNED_CERT_IN_CHAIN"),
        word("UNABLE_TO_GET_ISSUER_CERT"),
        word("UNABLE_TO_GET_ISSUER_CERT_LOCALLY"),
        word("UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
        word("HOSTNAME_MISMATCH"),
        // Bun's names.
        word("ConnectionClosed"),
        word("FailedToOpenSocket"),
    ],
    // undici; Node's HTTP parser, HTTP/2, sockets and TLS; OpenSSL's certificate and protocol errors.
    prefixes: &["UND_ERR_", "HPE_", "ERR_HTTP2_", "ERR_SOCKET_", "ERR_TLS_", "CERT_", "ERR_SSL_"],
};

/// Every table. No word is in two of them: see [`find`].
pub static ALL: [&Table; 7] =
    [&CAPACITY, &PROVIDER, &REQUEST, &BRIDGE, &ABORTED, &ABORT_CODES, &NETWORK_CODES];

/// The bridge's own words, in the order in which they are looked up.
pub(crate) static STRUCTURED: [&Table; 4] = [&PROVIDER, &REQUEST, &BRIDGE, &ABORTED];

/// Types that say nothing of whose failure it was: behind them the bridge's prose still counts.
const NEUTRAL: [&str; 2] = ["server_error", "backend_not_ready"];

/// True where `word` says nothing of whose failure it was.
pub(crate) fn is_neutral(word: &str) -> bool {
    NEUTRAL.contains(&word)
}

/// The one table that `word` belongs to, and whether the word is retry-safe. Whole words are looked for before
/// beginnings, so that a table may name an exception to another's.
#[must_use]
pub fn find(word: &str) -> Option<(&'static Table, bool)> {
    let whole = |table: &&'static Table| {
        table.words.iter().find(|row| row.word == word).map(|row| (*table, row.retry_safe))
    };
    let begins = |table: &&&Table| table.prefixes.iter().any(|prefix| word.starts_with(prefix));
    ALL.iter().find_map(whole).or_else(|| ALL.iter().find(begins).map(|table| (*table, false)))
}

impl Table {
    /// The kind's predicate: whether `word` is evidence of this table, and if so whether it is retry-safe.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<bool> {
        find(word).filter(|(table, _)| std::ptr::eq(*table, self)).map(|(_, retry_safe)| retry_safe)
    }
}

/// What a bare HTTP status says: a rate limit is the provider's, other refusals are the request's, the rest of the
/// server errors are the bridge's.
pub(crate) fn of_status(status: u16) -> Option<Kind> {
    match status {
        // 529 is Anthropic's "overloaded".
        429 | 529 => Some(Kind::Provider),
        // nginx's "client closed request"; the bridge uses it too.
        499 => Some(Kind::Aborted),
        400..=498 | 501 => Some(Kind::Request),
        500..=599 => Some(Kind::Bridge),
        _ => None,
    }
}
