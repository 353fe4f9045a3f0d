//! The worked cases, the reading of JSON and every text, verbatim.

mod common;

use bridge_admission::capacity::{gates, limiting};
use bridge_admission::error::{Class, Misuse, Wanted};
use bridge_admission::health::{Health, counter_paths};
use bridge_admission::intent::{Executor, Intent, Lane, Route};
use bridge_admission::refusal::refusal;
use common::{cases, intent, read, refused};
use serde_json::Value;

#[test]
fn every_case_has_its_answer() {
    let rows = cases("admission.jsonl");
    assert_eq!(rows.len(), 144);
    for row in rows {
        let body = match (&row["health"], &row["health_text"], &row["health_file"]) {
            (Value::Null, Value::String(text), _) => text.clone(),
            (Value::Null, _, Value::String(file)) => read(file),
            (body, ..) => body.to_string(),
        };
        let options = &row["options"];
        let intent =
            intent(row["slots"].as_f64().unwrap(), options["lane"].as_str(), options["executor"].as_str());
        let answer = Health::from_json(body.as_bytes())
            .and_then(|health| refusal(&health, &intent, row["url"].as_str()));
        assert_eq!(answer.as_deref(), row["refusal"].as_str(), "{}: {}", row["id"], row["why"]);
    }
}

#[test]
fn counters_are_taken_in_the_order_of_their_paths() {
    let paths: Vec<String> = counter_paths().iter().map(|path| path.join(".")).collect();
    assert_eq!(
        paths,
        [
            "executor.in_flight",
            "executor.max",
            "executor.queued",
            "executor.acquire_deadline_ms",
            "executor.scoped_host.in_flight",
            "executor.scoped_host.max",
            "executor.scoped_host.queued",
            "executor.scoped_host.acquire_deadline_ms",
            "executor.scoped_host.acquires",
            "executor.scoped_host.bulk_in_flight",
            "executor.scoped_host.bulk_max",
            "admission.active",
            "admission.maxActive",
            "admission.bulkMaxActive",
            "admission.activeByClass.bulk",
        ]
    );
    let counters: Vec<f64> = (1..=15).map(f64::from).collect();
    let health = Health::from_counters(&counters);
    let read = [
        health.host.in_flight,
        health.host.max,
        health.host.queued,
        health.host.acquire_deadline_ms,
        health.scoped_host.in_flight,
        health.scoped_host.max,
        health.scoped_host.queued,
        health.scoped_host.acquire_deadline_ms,
        health.scoped_host_acquires,
        health.scoped_host_bulk_in_flight,
        health.scoped_host_bulk_max,
        health.active,
        health.max_active,
        health.bulk_max_active,
        health.bulk_active,
    ];
    assert_eq!(read.as_slice(), counters);
    assert!(Health::from_counters([1.0]).host.max.is_nan(), "a missing number is unreported");
}

const FULL: &str = "bridge executor is full: in_flight 4 of max 4";

/// What `JSON.parse` takes, and how.
#[test]
fn json_is_read_as_javascript_reads_it() {
    let full = Some(FULL);
    let rows: &[(&str, &[u8], Option<&str>)] = &[
        ("white space around", b" \t\r\n{\"executor\" : {\"in_flight\" :4 , \"max\": 4 } } ", full),
        ("other white space", b"\x0b{\"executor\":{\"in_flight\":4,\"max\":4}}", None),
        ("negative zero", b"{\"executor\":{\"in_flight\":-0,\"max\":4}}", None),
        ("exponents", b"{\"executor\":{\"in_flight\":0.4e1,\"max\":40E-1}}", full),
        ("a leading zero", b"{\"executor\":{\"in_flight\":04,\"max\":4}}", None),
        ("a leading plus", b"{\"executor\":{\"in_flight\":+4,\"max\":4}}", None),
        ("a bare point", b"{\"executor\":{\"in_flight\":4.,\"max\":4}}", None),
        ("NaN", b"{\"executor\":{\"in_flight\":4,\"max\":4},\"x\":NaN}", None),
        ("a comment", b"{\"executor\":{\"in_flight\":4,\"max\":4}/**/}", None),
        ("a trailing comma", b"{\"executor\":{\"in_flight\":4,\"max\":4,}}", None),
        ("single quotes", b"{'executor':{'in_flight':4,'max':4}}", None),
        ("a control character in a string", b"{\"x\":\"\x01\",\"executor\":{\"in_flight\":4,\"max\":4}}", None),
        ("invalid UTF-8 in a skipped string", b"{\"x\":\"\xff\",\"executor\":{\"in_flight\":4,\"max\":4}}", full),
        ("invalid UTF-8 in a key", b"{\"\xff\":1,\"executor\":{\"in_flight\":4,\"max\":4}}", full),
        (
            "invalid UTF-8 for a counter",
            b"{\"executor\":{\"queued\":\"\xff\",\"in_flight\":4,\"max\":4}}",
            full,
        ),
        ("invalid UTF-8 for an object", b"{\"admission\":\"\xff\",\"executor\":{\"in_flight\":4,\"max\":4}}", full),
        ("half a character before a quote", b"{\"x\":\"\xe3\",\"executor\":{\"in_flight\":4,\"max\":4}}", full),
        ("a character with a quote's low byte", "{\"x\":\"\u{122}\",\"executor\":{\"in_flight\":4,\"max\":4}}".as_bytes(), full),
        ("a wanted key with a character behind it", "{\"executoré\":{\"in_flight\":4,\"max\":4}}".as_bytes(), None),
        ("a wanted key with DEL behind it", b"{\"executor\x7f\":{\"in_flight\":4,\"max\":4}}", None),
        ("a byte order mark", "\u{feff}{\"executor\":{\"in_flight\":4,\"max\":4}}".as_bytes(), None),
        ("invalid UTF-8 outside of strings", b"{\"executor\":{\"in_flight\":4,\"max\":4}}\xff", None),
        (
            "a lone surrogate for a counter",
            br#"{"executor":{"queued":"\ud83d","in_flight":4,"max":4}}"#,
            full,
        ),
        ("a lone surrogate for an object", br#"{"admission":"\udc00","executor":{"in_flight":4,"max":4}}"#, full),
        ("half a surrogate escape", br#"{"admission":"\ud8","executor":{"in_flight":4,"max":4}}"#, None),
        ("too large for a double", br#"{"executor":{"queued":1e400,"in_flight":4,"max":4}}"#, full),
        ("too large, negative", br#"{"executor":{"queued":-1e400,"in_flight":4,"max":4}}"#, full),
        ("too small for a double", br#"{"executor":{"queued":1e-400,"in_flight":4,"max":4}}"#, Some(
            "bridge executor is full: in_flight 4 of max 4 (queued 0)",
        )),
        ("arrays and objects for counters", br#"{"executor":{"queued":[[1],{}],"in_flight":4,"max":4,"acquire_deadline_ms":{"in_flight":0}}}"#, full),
        ("arrays and objects for counters, read again", br#"{"executor":{"queued":[[1],{}],"in_flight":4,"max":4,"acquire_deadline_ms":{"in_flight":0}},"admission":{"active":1e400}}"#, full),
        ("a later object replaces an earlier one whole", br#"{"executor":{"in_flight":4,"max":4,"queued":1},"executor":{"in_flight":4,"max":4}}"#, full),
        ("a later object replaces one whole, read again", br#"{"executor":{"in_flight":4,"max":4,"queued":1},"executor":{"in_flight":4,"max":4},"admission":"\ud83d"}"#, full),
        ("a later null takes the object away", br#"{"executor":{"in_flight":4,"max":4},"executor":null}"#, None),
        ("a later string takes the counter away", br#"{"executor":{"in_flight":4,"max":4,"max":"4"}}"#, None),
        ("names at the wrong place", br#"{"in_flight":4,"max":4,"admission":{"in_flight":4,"max":4},"executor":{"executor":{"in_flight":4,"max":4}}}"#, None),
        ("names of another case", br#"{"Executor":{"in_flight":4,"max":4}}"#, None),
    ];
    for (what, body, expected) in rows {
        assert_eq!(refused(body).as_deref(), *expected, "{what}");
    }
}

/// Neither a skipped part nor one that stands where a counter should be is read by recursion.
#[test]
fn a_million_levels_do_not_overflow_the_stack() {
    const DEEP: usize = 1_000_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}0{}", open.repeat(DEEP), close.repeat(DEEP));
        for place in ["\"x\"", "\"executor\"", "\"admission\""] {
            let body = format!("{{{place}:{deep},\"executor\":{{\"in_flight\":4,\"max\":4}}}}");
            assert_eq!(refused(body.as_bytes()).as_deref(), Some(FULL), "{open} at {place}");
        }
        let body = format!("{{\"executor\":{{\"queued\":{deep},\"in_flight\":4,\"max\":4}}}}");
        assert_eq!(refused(body.as_bytes()).as_deref(), Some(FULL), "{open} for a counter");
        let unclosed = format!("{{\"x\":{}", open.repeat(DEEP));
        assert_eq!(refused(unclosed.as_bytes()), None, "{open} never closed");
        assert_eq!(refused(deep.as_bytes()), None, "{open} alone");
    }
}

/// The three verbs at their borders, and what each gate tells around its counters.
#[test]
fn texts() {
    let rows: &[(&str, f64, &str)] = &[
        (r#"{"executor":{"in_flight":4,"max":4}}"#, 5.0, "bridge executor is full: in_flight 4 of max 4"),
        (
            r#"{"executor":{"in_flight":3,"max":4}}"#,
            4.0,
            "bridge executor has no room for 4: in_flight 3 of max 4",
        ),
        (
            r#"{"executor":{"in_flight":3,"max":4}}"#,
            5.0,
            "bridge executor can never fit 5: in_flight 3 of max 4",
        ),
        (
            r#"{"executor":{"in_flight":4,"max":4,"acquire_deadline_ms":60000}}"#,
            1.0,
            "bridge executor is full: in_flight 4 of max 4 (acquire deadline 60000 ms)",
        ),
        (
            r#"{"executor":{"in_flight":4,"max":4,"queued":-1,"acquire_deadline_ms":"60000"}}"#,
            1.0,
            "bridge executor is full: in_flight 4 of max 4",
        ),
        (
            r#"{"executor":{"scoped_host":{"acquires":1,"bulk_in_flight":2,"bulk_max":2}}}"#,
            1.0,
            "bridge scoped-host executor bulk lane is full: bulk_in_flight 2 of bulk_max 2",
        ),
        (
            r#"{"executor":{"scoped_host":{"acquires":1,"bulk_in_flight":2,"bulk_max":2,"in_flight":3,"max":4}}}"#,
            1.0,
            "bridge scoped-host executor bulk lane is full: bulk_in_flight 2 of bulk_max 2 (in_flight 3 of max 4)",
        ),
        (
            r#"{"executor":{"scoped_host":{"in_flight":4,"max":4,"queued":2,"acquire_deadline_ms":1500}}}"#,
            1.0,
            "bridge scoped-host executor is full: in_flight 4 of max 4 (queued 2, acquire deadline 1500 ms)",
        ),
        (
            r#"{"admission":{"activeByClass":{"bulk":6},"bulkMaxActive":6,"active":-1,"maxActive":8}}"#,
            1.0,
            "bridge bulk admission is full: active 6 of bulkMaxActive 6 (total active -1 of maxActive 8)",
        ),
        (
            r#"{"admission":{"activeByClass":{"bulk":6},"bulkMaxActive":6,"active":6}}"#,
            1.0,
            "bridge bulk admission is full: active 6 of bulkMaxActive 6",
        ),
        (
            r#"{"admission":{"active":7,"maxActive":8}}"#,
            9_007_199_254_740_991.0,
            "bridge admission can never fit 9007199254740991: active 7 of maxActive 8",
        ),
        (
            r#"{"executor":{"in_flight":1e21,"max":123456789012345680000}}"#,
            1.0,
            "bridge executor is full: in_flight 1e+21 of max 123456789012345680000",
        ),
        (
            r#"{"executor":{"in_flight":0.000001,"max":1e-7}}"#,
            1.0,
            "bridge executor is full: in_flight 0.000001 of max 1e-7",
        ),
        (
            r#"{"executor":{"in_flight":1,"max":1,"queued":-0.0}}"#,
            1.0,
            "bridge executor is full: in_flight 1 of max 1 (queued 0)",
        ),
    ];
    for (body, slots, text) in rows {
        let health = Health::from_json(body.as_bytes()).unwrap();
        assert_eq!(refusal(&health, &intent(*slots, None, None), None).as_deref(), Some(*text), "{body}");
    }
}

#[test]
fn the_url_is_shown_without_one_trailing_slash() {
    let health = Health::from_json(br#"{"executor":{"in_flight":4,"max":4}}"#).unwrap();
    for (url, shown) in [
        ("http://127.0.0.1:3344", "http://127.0.0.1:3344"),
        ("http://127.0.0.1:3344/", "http://127.0.0.1:3344"),
        ("http://127.0.0.1:3344//", "http://127.0.0.1:3344/"),
        ("https://h/a b\u{e9}", "https://h/a b\u{e9}"),
    ] {
        assert_eq!(
            refusal(&health, &intent(1.0, None, None), Some(url)).unwrap(),
            format!("bridge {shown} executor is full: in_flight 4 of max 4")
        );
    }
}

/// A gate's name and its free slots.
type Free = (&'static str, f64);

/// The applicable gates and their room, for each hint, on a bridge where both semaphores are busy.
#[test]
fn capacity_by_hint() {
    let health = Health::from_json(
        br#"{"executor":{"in_flight":1,"max":4,"scoped_host":{"in_flight":2,"max":4,"bulk_in_flight":1,"bulk_max":2}},
            "admission":{"active":5,"maxActive":8,"bulkMaxActive":6,"activeByClass":{"bulk":4}}}"#,
    )
    .unwrap();
    let executor = ("executor", 3.0);
    let lane = ("scoped-host executor bulk lane", 1.0);
    let scoped_host = ("scoped-host executor", 2.0);
    let bulk = ("bulk admission", 2.0);
    let admission = ("admission", 3.0);
    let rows: &[(Lane, Executor, &[Free], Option<Free>)] = &[
        (Lane::Bulk, Executor::Unknown, &[executor, lane, scoped_host, bulk, admission], Some(lane)),
        (Lane::Bulk, Executor::Host, &[executor, bulk, admission], Some(bulk)),
        (Lane::Bulk, Executor::ScopedHost, &[lane, scoped_host, bulk, admission], Some(lane)),
        (Lane::Bulk, Executor::None, &[bulk, admission], Some(bulk)),
        (Lane::Reserved, Executor::Unknown, &[executor, scoped_host, admission], Some(scoped_host)),
        (Lane::Reserved, Executor::Host, &[executor, admission], Some(executor)),
        (Lane::None, Executor::Unknown, &[executor, lane, scoped_host], Some(lane)),
        (Lane::None, Executor::None, &[], None),
    ];
    for (lane, executor, expected, least) in rows {
        let intent = Intent::new(1.0, *lane, *executor).unwrap();
        let read: Vec<Free> = gates(&health, &intent).map(|gate| (gate.gate.name, gate.free())).collect();
        assert_eq!(read, *expected, "{lane:?} {executor:?}");
        let tightest = limiting(&health, &intent).map(|gate| (gate.gate.name, gate.free()));
        assert_eq!(tightest, *least, "{lane:?} {executor:?}");
    }
}

#[test]
fn a_limit_lowered_under_load_leaves_no_room_and_no_debt() {
    let health = Health::from_json(br#"{"executor":{"in_flight":6,"max":1}}"#).unwrap();
    let one = intent(1.0, None, None);
    let free: Vec<f64> = gates(&health, &one).map(|gate| gate.free()).collect();
    assert_eq!(free, [0.0]);
}

#[test]
fn models_tell_their_executor() {
    let rows = [
        ("gemini/gemini-2.5-pro", Route::Executor(Executor::Host)),
        ("factory", Route::Executor(Executor::Host)),
        ("claude/sonnet", Route::Executor(Executor::ScopedHost)),
        ("Claude/Sonnet", Route::Executor(Executor::ScopedHost)),
        ("claudish/x/y", Route::Executor(Executor::ScopedHost)),
        ("codex", Route::Executor(Executor::ScopedHost)),
        ("kimi/k2", Route::Executor(Executor::ScopedHost)),
        ("kimi-code/k2", Route::Executor(Executor::ScopedHost)),
        ("opencode/fake", Route::Executor(Executor::ScopedHost)),
        ("pi/x", Route::Executor(Executor::ScopedHost)),
        ("prime/x", Route::Executor(Executor::ScopedHost)),
        ("hermes", Route::Executor(Executor::ScopedHost)),
        ("OPENCLAW", Route::Executor(Executor::ScopedHost)),
        ("amp/x", Route::Executor(Executor::None)),
        ("forge", Route::Executor(Executor::None)),
        ("nanoclaw", Route::Executor(Executor::None)),
        ("sandbox/anything/at/all", Route::Ungated),
        ("claude-code/sonnet", Route::Executor(Executor::Unknown)),
        ("passthrough/x", Route::Executor(Executor::Unknown)),
        ("acp/x", Route::Executor(Executor::Unknown)),
        (" claude/sonnet", Route::Executor(Executor::Unknown)),
        ("/claude", Route::Executor(Executor::Unknown)),
        ("", Route::Executor(Executor::Unknown)),
    ];
    for (model, route) in rows {
        assert_eq!(Route::of_model(model), route, "{model:?}");
    }
}

#[test]
fn slots_are_positive_safe_integers() {
    for slots in [1.0, 2.0, 9_007_199_254_740_991.0] {
        assert_eq!(
            Intent::new(slots, Lane::Bulk, Executor::Unknown).unwrap().slots().to_bits(),
            slots.to_bits()
        );
    }
    for (slots, got) in [
        (0.0, "0"),
        (-1.0, "-1"),
        (1.5, "1.5"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "Infinity"),
        (f64::NEG_INFINITY, "-Infinity"),
        (9_007_199_254_740_992.0, "9007199254740992"),
    ] {
        let misuse = Intent::new(slots, Lane::Bulk, Executor::Unknown).unwrap_err();
        assert_eq!(misuse.to_string(), format!("intended slots must be a positive safe integer, got {got}"));
        assert_eq!(misuse.class(), Class::Range);
    }
}

#[test]
fn misuse_says_what_was_wanted() {
    let slots = "intended slots must be a positive safe integer, got 5";
    let timeout = "options.timeoutMs must be a number of ms above 0 that a timer can hold, got 5";
    let rows = [
        (
            Wanted::Health,
            Class::Type,
            "health must be a parsed /health body, its JSON text or its bytes, got 5",
        ),
        (
            Wanted::Intended,
            Class::Type,
            "intended must be a positive safe integer or { slots, lane?, executor? }, got 5",
        ),
        (Wanted::SlotsType, Class::Type, slots),
        (Wanted::Slots, Class::Range, slots),
        (Wanted::Lane, Class::Type, "intended lane must be one of 'bulk', 'reserved', 'none', got 5"),
        (
            Wanted::Executor,
            Class::Type,
            "intended executor must be one of 'host', 'scoped-host', 'none', got 5",
        ),
        (
            Wanted::Signal,
            Class::Type,
            "signal must be an AbortSignal (the intended slots go into options.intended), got 5",
        ),
        (Wanted::Options, Class::Type, "options must be an object { intended?, timeoutMs? }, got 5"),
        (Wanted::TimeoutType, Class::Type, timeout),
        (Wanted::Timeout, Class::Range, timeout),
        (
            Wanted::BridgeUrl,
            Class::Type,
            "bridgeUrl must be an http(s) URL without a query or fragment, got 5",
        ),
        (
            Wanted::BridgeBearer,
            Class::Type,
            "bridgeBearer must be a string that an HTTP header can carry, got 5",
        ),
    ];
    for (wanted, class, text) in rows {
        let misuse = Misuse { wanted, got: "5".to_owned() };
        assert_eq!(misuse.to_string(), text);
        assert_eq!(misuse.class(), class, "{text}");
        let code = if class == Class::Type { "ERR_INVALID_ARG_TYPE" } else { "ERR_OUT_OF_RANGE" };
        assert_eq!(misuse.code(), code, "{text}");
    }
}
