//! The classification of failures: the worked cases, the captured bodies at every cut, and what must not be capacity.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test fails by panicking"
)]

use std::fs;
use std::path::{Path, PathBuf};

use bridge_admission::failure::{
    Classification, DEPTH, Event, ExecutorState, FIELDS, Kind, MEMBERS, Message, Reason, Record, classify,
    tables,
};
use serde_json::{Value, json};

const NOW_MS: f64 = 784_111_777_000.0;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("__test__").join(name)
}

fn read(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap()
}

fn of_text(text: &str) -> Classification {
    classify(&Record::from_text(text), NOW_MS)
}

fn of_value(value: &Value) -> Classification {
    classify(&Record::from_events(events(value)), NOW_MS)
}

/// A message as the bridge's own error body carries it.
fn of_message(message: &str) -> Classification {
    of_value(&json!({ "message": message }))
}

/// What the gatherer hands over for a plain object.
fn events(value: &Value) -> Vec<Event> {
    let mut events = Vec::new();
    push(0.0, value, &mut events);
    events
}

fn push(row: f64, value: &Value, events: &mut Vec<Event>) {
    match value {
        Value::Object(object) => {
            events.push(Event::Number(-1.0 - row));
            for (at, field) in FIELDS.iter().enumerate() {
                let row = f64::from(u32::try_from(at).unwrap());
                match object.get(field.name) {
                    Some(Value::Array(members)) => {
                        for member in members {
                            push(row, member, events);
                        }
                    }
                    Some(Value::Object(headers)) if field.role.name() == "headers" => {
                        if let Some((_, value)) =
                            headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("retry-after"))
                        {
                            push(row, value, events);
                        }
                    }
                    Some(value) => push(row, value, events),
                    None => {}
                }
            }
            events.push(Event::Flag(false));
        }
        Value::String(text) => events.extend([Event::Number(row), Event::Text(text.clone())]),
        Value::Number(number) => events.extend([Event::Number(row), Event::Number(number.as_f64().unwrap())]),
        Value::Bool(flag) => events.extend([Event::Number(row), Event::Flag(*flag)]),
        Value::Null | Value::Array(_) => {}
    }
}

/// The classification as JavaScript sees it.
fn in_javascript(answer: &Classification) -> Value {
    let mut object = json!({
        "kind": answer.kind.name(),
        "capacity": answer.kind == Kind::Capacity,
        "retrySafe": answer.retry_safe,
        "code": answer.code,
        "reason": answer.reason.map(Reason::name),
        "status": answer.status,
        "providerDispatch": answer.provider_dispatch,
        "waitedMs": answer.waited_ms,
        "retryAfterMs": answer.retry_after_ms,
    });
    if let Some(executor) = &answer.executor {
        object["executor"] = json!({
            "name": executor.name,
            "inFlight": executor.in_flight,
            "max": executor.max,
            "queued": executor.queued,
            "deadlineMs": executor.deadline_ms,
        });
    }
    object
}

/// Equal, where 4 and 4.0 are one number.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        _ => a == b,
    }
}

#[track_caller]
fn assert_message(answer: &Classification, message: &str) {
    assert_eq!(answer.message, Message::Text(message.to_owned()));
}

#[test]
fn every_case() {
    for line in read("cases/failure.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let failure = &case["failure"];
        let answer = if let Some(http) = failure.get("http") {
            let mut http = http.clone();
            if let Some(file) = http.get("body_file") {
                http["body"] = read(file.as_str().unwrap()).into();
            }
            of_value(&http)
        } else if let Some(file) = failure.get("text_file") {
            of_text(&read(file.as_str().unwrap()))
        } else if let Some(text) = failure.get("text") {
            of_text(text.as_str().unwrap())
        } else {
            of_value(failure.get("value").or(failure.get("error")).unwrap())
        };
        let answer = in_javascript(&answer);
        for (field, wanted) in case["expect"].as_object().unwrap() {
            assert!(
                same(&answer[field], wanted),
                "{}: {field} is {}, not {wanted}",
                case["id"],
                answer[field]
            );
        }
    }
}

/// Name, text, and where the evidence ends if it is a capacity refusal.
fn captures() -> Vec<(String, String, Option<usize>)> {
    // The words that prove it, the first that the text has. The order of the fields differs between body and frame.
    let evidence = [
        "\"type\":\"executor_saturated\"",
        "cli-bridge is saturated: bulk admission queue is full",
        "cli-bridge admission timed out after 700ms",
        "host-executor: acquire timeout after",
        "container-pool: queue full",
    ];
    let mut captures = Vec::new();
    for entry in fs::read_dir(path("captures")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !matches!(Path::new(&name).extension().and_then(|ending| ending.to_str()), Some("json" | "sse")) {
            continue;
        }
        let text = read(&format!("captures/{name}"));
        let is_refusal =
            name.contains("refuse") && !name.contains("aborted") && !name.contains("same-run-id");
        let end = is_refusal.then(|| {
            let ends = evidence.iter().filter_map(|words| Some(text.find(words)? + words.len()));
            ends.min().unwrap_or_else(|| panic!("{name} has no evidence"))
        });
        captures.push((name, text, end));
    }
    assert_eq!(captures.len(), 85);
    assert_eq!(captures.iter().filter(|(_, _, end)| end.is_some()).count(), 25);
    captures
}

#[test]
fn every_capture_at_every_cut() {
    for (name, text, end) in captures() {
        for cut in 1..=text.len() {
            let Some(part) = text.get(..cut) else { continue };
            let framed = format!("bridgeExecutor: bridge 502: {part}");
            let twice = serde_json::to_string(part).unwrap();
            let mut answers = vec![of_text(part), of_value(&json!({ "status": 502, "body": part }))];
            if part.starts_with('{') && cut <= 500 {
                // Only JSON is read in a message and in a JSON string, and the runtime keeps less than this of it.
                answers.extend([
                    of_message(&framed),
                    of_text(&twice),
                    of_text(twice.strip_suffix('"').unwrap()),
                ]);
            }
            for answer in answers {
                let is_capacity = answer.kind == Kind::Capacity;
                match end {
                    Some(end) if cut >= end => assert!(is_capacity, "{name} at {cut}: {answer:?}"),
                    Some(_) => {}
                    None => assert!(!is_capacity, "{name} at {cut}: {answer:?}"),
                }
                assert!(is_capacity || !answer.retry_safe, "{name} at {cut}: {answer:?}");
            }
        }
    }
}

#[test]
fn numbers_that_a_cut_may_have_shortened_are_not_read() {
    let whole = of_text(&read("captures/refuse-executor-429-nonstream.json")).executor.unwrap();
    for (name, text, end) in captures() {
        let Some(end) = end else { continue };
        let full = in_javascript(&of_text(&text));
        for cut in end..text.len() {
            let answer = in_javascript(&of_text(&text[..cut]));
            for field in ["waitedMs", "retryAfterMs", "status"] {
                let is_read = answer[field].is_null() || answer[field] == full[field];
                assert!(is_read, "{name} at {cut}: {field} is {}", answer[field]);
            }
            for field in ["name", "inFlight", "max", "queued", "deadlineMs"] {
                let (part, full) = (&answer["executor"][field], &full["executor"][field]);
                assert!(part.is_null() || part == full, "{name} at {cut}: {field} is {part}");
            }
        }
    }
    assert_eq!(whole.deadline_ms, Some(1500.0));
}

#[test]
fn one_word_changed_is_not_capacity() {
    let mut changed = 0;
    for (name, text, end) in captures() {
        if end.is_none() {
            continue;
        }
        let mut mutants = Vec::new();
        for word in ["executor_saturated", "admission_rejected", "server_error"] {
            mutants.push(text.replace(&format!("\"type\":\"{word}\""), "\"type\":\"upstream\""));
        }
        if !text.contains("\"capacity\":true") {
            mutants.push(text.replace("host-executor: ", "gpu-executor: "));
            mutants.push(text.replace("host-executor: ", "host-executor "));
            mutants.push(text.replace("acquire timeout", "acquire failure"));
            mutants.push(text.replace("cli-bridge is", "db-bridge is"));
            for (open, close) in [("\\\"", "\\\""), ("'", "'"), ("`", "`"), ("“", "”"), ("log: \\\"", "\\\"")]
            {
                for signature in [
                    "host-executor: acquire timeout",
                    "cli-bridge is saturated: bulk admission queue is full",
                ] {
                    mutants.push(text.replace(signature, &format!("{open}{signature}{close}")));
                }
            }
        }
        for mutant in mutants.iter().filter(|mutant| **mutant != text) {
            let answer = of_text(mutant);
            assert_ne!(answer.kind, Kind::Capacity, "{name}: {mutant}");
            assert!(!answer.retry_safe, "{name}: {mutant}");
            changed += 1;
        }
    }
    assert_eq!(changed, 60);
}

#[test]
fn sentences() {
    let sentence = |middle: &str| {
        format!("capacity refusal, not a provider failure: {middle}; nothing was dispatched to the provider")
    };
    for (message, middle) in [
        (
            "host-executor: acquire timeout after 60000ms (in_flight=4/4, queued=1)",
            "host executor full (4 of 4 in flight, 1 queued) after waiting 60000 ms",
        ),
        ("host-executor: acquire timeout after 60000ms", "host executor full after waiting 60000 ms"),
        (
            "host-executor: acquire timeout after 60000ms (in_flight=-4/4, queued=+1, bulk=.5/1)",
            "host executor full after waiting 60000 ms",
        ),
        ("host-executor: acquire timeout", "host executor full"),
        (
            "scoped-host-executor: acquire timeout after 1500ms (lane=bulk, bulk=2/2, in_flight=2/4, queued=1)",
            "scoped-host executor full (bulk lane 2 of 2, 2 of 4 in flight, 1 queued) after waiting 1500 ms",
        ),
        (
            "scoped-host-executor: acquire timeout after 1500ms (lane=bulk, in_flight=2/4, bulk=2/2, queued=1). Reduce",
            "scoped-host executor full (bulk lane 2 of 2, 2 of 4 in flight, 1 queued) after waiting 1500 ms",
        ),
        (
            "scoped-host-executor: acquire timeout after 1500ms (lane=reserved, bulk=1/2, in_flight=4/4, queued=1)",
            "scoped-host executor full (4 of 4 in flight, 1 queued) after waiting 1500 ms",
        ),
        (
            "container-pool: acquire timeout after 1500ms (in_flight=2/2, queued=0)",
            "container pool full (2 of 2 in flight, 0 queued) after waiting 1500 ms",
        ),
        (
            "container-pool: queue full (depth=1/1, in_flight=2/2)",
            "container pool queue full (2 of 2 in flight, 1 queued)",
        ),
        (
            "cli-bridge admission timed out after 700ms in the bulk lane",
            "bulk admission lane full after waiting 700 ms",
        ),
        (
            "cli-bridge is saturated: bulk admission queue is full (1/1)",
            "bulk admission queue full (1 of 1 queued)",
        ),
        ("cli-bridge is saturated: reserved admission queue is full", "reserved admission queue full"),
        (
            "bridge executor is full: in_flight 4 of max 4 (queued 1, acquire deadline 60000 ms)",
            "refused before the spawn: bridge executor is full: in_flight 4 of max 4 \
             (queued 1, acquire deadline 60000 ms)",
        ),
        (
            "bridgeExecutor: bridge http://127.0.0.1:3344 admission can never fit 9: active 0 of maxActive 8",
            "refused before the spawn: bridge http://127.0.0.1:3344 admission can never fit 9: active 0 of maxActive 8",
        ),
    ] {
        assert_message(&of_message(message), &sentence(middle));
    }
    for (value, middle) in [
        (json!({ "capacity": true }), "bridge full"),
        (json!({ "type": "executor_saturated" }), "bridge full"),
        (json!({ "type": "executor_saturated", "deadline_ms": 0 }), "bridge queue full"),
        (
            json!({ "type": "executor_saturated", "executor": "gpu", "in_flight": 2 }),
            "gpu executor full (2 in flight)",
        ),
        (
            json!({
                "type": "executor_saturated",
                "executor": "host",
                "in_flight": 1e21,
                "max": 2.5,
                "deadline_ms": 1e-7,
            }),
            "host executor full (1e+21 of 2.5 in flight) after waiting 1e-7 ms",
        ),
        (json!({ "type": "admission_rejected" }), "admission lane full"),
        (json!({ "type": "admission_rejected", "admissionClass": "bulk" }), "bulk admission lane full"),
        (json!({ "type": "admission_rejected", "reason": "queue_full" }), "admission queue full"),
    ] {
        assert_message(&of_value(&value), &sentence(middle));
    }
}

#[test]
fn own_refusals_say_which_executor() {
    let answer = of_message(
        "bridge scoped-host executor bulk lane has no room for 2: bulk_in_flight 1 of bulk_max 2 \
         (in_flight 1 of max 4, queued 0, acquire deadline 60000 ms)",
    );
    let executor = answer.executor.unwrap();
    assert_eq!(executor.name, "scoped-host");
    assert_eq!((executor.in_flight, executor.max), (Some(1.0), Some(4.0)));
    assert_eq!((executor.queued, executor.deadline_ms), (Some(0.0), Some(60000.0)));
    assert_eq!((answer.reason, answer.waited_ms), (Some(Reason::PreSpawn), None));

    let executor = of_message("bridge executor has no room for 4: in_flight 3 of max 4").executor.unwrap();
    assert_eq!((executor.name.as_str(), executor.in_flight, executor.max), ("host", Some(3.0), Some(4.0)));
    assert_eq!((executor.queued, executor.deadline_ms), (None, None));

    let lane = of_message(
        "bridge bulk admission is full: active 6 of bulkMaxActive 6 (total active 6 of maxActive 8)",
    );
    assert_eq!((lane.kind, lane.executor), (Kind::Capacity, None));
}

#[test]
fn reasons_and_waits() {
    let full = "container-pool: queue full (depth=1/1, in_flight=2/2)";
    for (value, reason, waited_ms) in [
        (json!({ "capacity": true }), None, None),
        (json!({ "capacity": true, "deadline_ms": 60000 }), None, None),
        (json!({ "type": "executor_saturated" }), Some(Reason::AcquireTimeout), None),
        (
            json!({ "type": "executor_saturated", "deadline_ms": 60000 }),
            Some(Reason::AcquireTimeout),
            Some(60000.0),
        ),
        (json!({ "type": "executor_saturated", "deadline_ms": 0 }), Some(Reason::QueueFull), None),
        (json!({ "type": "executor_saturated", "message": full }), Some(Reason::QueueFull), None),
        (json!({ "type": "admission_rejected" }), None, None),
        (json!({ "type": "admission_rejected", "reason": "queue_full" }), Some(Reason::QueueFull), None),
        (
            json!({ "type": "admission_rejected", "reason": "queue_timeout" }),
            Some(Reason::QueueTimeout),
            None,
        ),
    ] {
        let answer = of_value(&value);
        assert_eq!((answer.kind, answer.reason), (Kind::Capacity, reason), "{value}");
        assert_eq!(answer.waited_ms, waited_ms, "{value}");
    }
}

#[test]
fn fields_and_prose_complete_each_other_about_one_executor() {
    let of = |executor: &str| {
        let value = json!({
            "type": "executor_saturated",
            "executor": executor,
            "message": "host-executor: acquire timeout after 60000ms (in_flight=4/4, queued=1)",
        });
        let answer = of_value(&value);
        (answer.waited_ms, answer.executor.unwrap())
    };
    let host = ExecutorState {
        name: "host".to_owned(),
        in_flight: Some(4.0),
        max: Some(4.0),
        queued: Some(1.0),
        deadline_ms: Some(60000.0),
    };
    // A body has the executor's name and counts side by side, a frame has them in one object.
    for mut value in [
        json!({ "executor": "host", "in_flight": 4, "max": 4, "queued": 1, "deadline_ms": 60000 }),
        json!({ "executor": { "name": "host", "in_flight": 4, "max": 4, "queued": 1, "deadline_ms": 60000 } }),
        json!({ "executor": { "name": "host", "inFlight": 4, "max": 4, "queued": 1, "deadlineMs": 60000 } }),
        json!({ "executor": { "name": "host", "in_flight": 4, "max": 4 }, "queued": 1, "deadline_ms": 60000 }),
        json!({ "executor": { "name": "host", "queued": 1, "max": 4 }, "queued": 9, "in_flight": 4, "deadline_ms": 60000 }),
    ] {
        value["type"] = "executor_saturated".into();
        for answer in [of_value(&value), of_text(&value.to_string())] {
            assert_eq!(answer.executor.as_ref(), Some(&host), "{value}");
        }
    }
    assert_eq!(of("host"), (Some(60000.0), host));
    let other = ExecutorState {
        name: "scoped-host".to_owned(),
        in_flight: None,
        max: None,
        queued: None,
        deadline_ms: None,
    };
    assert_eq!(of("scoped-host"), (None, other));
}

#[test]
fn refusals_complete_each_other_from_the_strongest_and_outermost_inwards() {
    let answer = of_value(&json!({
        "message": "host-executor: acquire timeout after 5000ms (in_flight=9/9, queued=2)",
        "cause": {
            "type": "executor_saturated",
            "in_flight": 4,
            "error": { "type": "executor_saturated", "executor": "host", "in_flight": 5, "max": 4 },
        },
    }));
    assert_eq!((answer.waited_ms, answer.reason), (Some(5000.0), Some(Reason::AcquireTimeout)));
    assert_eq!(
        answer.executor,
        Some(ExecutorState {
            name: "host".to_owned(),
            in_flight: Some(4.0),
            max: Some(4.0),
            queued: Some(2.0),
            deadline_ms: Some(5000.0),
        })
    );
}

#[test]
fn prose_counts_only_where_the_bridge_puts_it() {
    let refusal = "host-executor: acquire timeout after 60000ms (in_flight=4/4, queued=1)";
    for before in [
        "",
        " \n",
        "\u{feff}",
        "bridgeExecutor: ",
        "bridgeExecutor: bridge stream error: ",
        "bridge 500: ",
        "worker \"a\": ",
        "worker “a”: ",
        "worker ‘a’: ",
        "worker «a»: ",
        "worker `a`: ",
        "worker 'a': ",
        "it didn't start: ",
        "it didn’t start: ",
    ] {
        assert_eq!(of_message(&format!("{before}{refusal}")).kind, Kind::Capacity, "{before:?}");
    }
    for before in [
        "my ",
        "x",
        "\"",
        "'",
        "`",
        "“",
        "log: \"",
        "log \"a: ",
        "log \"a\" \"b: ",
        "log: “a: ",
        "log: ‘a: ",
        "log: «a: ",
        "log 'a: ",
        "log `a: ",
        "opencode exited 1: ",
        "opencode exited null: ",
        "opencode exited: ",
        "Command failed: pi\nstderr: ",
        "a:",
        "a:  ",
    ] {
        assert_eq!(of_message(&format!("{before}{refusal}")).kind, Kind::Unknown, "{before:?}");
    }
    for other in [
        "host-executor: acquire timeout soon",
        "host-executor: acquire timeout after a while",
        "host-executor: acquire timeout after 60000 s",
        "host-executor: acquire timeouts are set in the environment",
        "container-pool: queue fullness is not reported",
        "container-pool: all 4 slots dead after repeated provisioning failures.",
        "cli-bridge admission timed outside",
        "cli-bridge is saturated: bulk admission is slow",
        "bridge executor is fully tested: in_flight 4 of max 4",
        "bridge executor is full: in_flight many of max 4",
        "bridge executor is full: active 4 of maxActive 4",
        "bridge a b executor is full: in_flight 4 of max 4",
        "bridge has no room for 4: in_flight 3 of max 4",
        "the bridge executor is full: in_flight 4 of max 4",
    ] {
        assert_eq!(of_message(other).kind, Kind::Unknown, "{other}");
    }
}

#[test]
fn a_type_shields_its_message() {
    let refusal = "host-executor: acquire timeout after 60000ms (in_flight=4/4, queued=1)";
    let framed =
        format!("bridge 429: {}", json!({ "error": { "type": "executor_saturated", "capacity": true } }));
    for message in [refusal, &framed] {
        // JSON in the runtime's framing is the answer itself, and stronger than a word beside it.
        let beside = if message == refusal { Kind::Request } else { Kind::Capacity };
        // Somebody's error that quotes such an answer is no refusal, but the status of the framing is one.
        let quoted = if message == refusal { Kind::Unknown } else { Kind::Provider };
        for (field, word, kind) in [
            ("type", "server_error", Kind::Capacity),
            ("type", "backend_not_ready", Kind::Capacity),
            // The class of the caller's own error is no type of the bridge's.
            ("code", "config", Kind::Capacity),
            ("type", "upstream", Kind::Provider),
            ("code", "provider_rate_limited", Kind::Provider),
            ("type", "tool_error", quoted),
            ("code", "ECONNRESET", Kind::Capacity),
            ("upstreamCode", "parse_error", beside),
        ] {
            let answer = of_value(&json!({ field: word, "message": message }));
            assert_eq!(answer.kind, kind, "{field} {word}: {message}");
        }
        // In a body it is whoever the word names that quotes.
        for (field, word, kind) in [
            ("type", "server_error", Kind::Capacity),
            ("code", "config", Kind::Capacity),
            ("type", "upstream", Kind::Provider),
            ("type", "tool_error", Kind::Unknown),
            ("code", "ECONNRESET", Kind::Bridge),
            ("upstreamCode", "parse_error", Kind::Request),
        ] {
            let body = json!({ "error": { field: word, "message": message } });
            let answer = of_text(&body.to_string());
            assert_eq!((answer.kind, answer.retry_safe), (kind, kind == Kind::Capacity), "{body}");
        }
    }
    let cut = of_text(
        r#"{"error":{"message":"nested: host-executor: acquire timeout after 60000ms (in_flight=4/4"#,
    );
    assert_eq!(cut.kind, Kind::Unknown);
    let cut =
        of_text(r#"{"error":{"message":"host-executor: acquire timeout after 60000ms","type":"server_er"#);
    assert_eq!(cut.kind, Kind::Capacity);
    for typed in ["server_error", "backend_not_ready"] {
        let cut = format!(r#"{{"error":{{"type":"{typed}","message":"nested: {refusal}"#);
        assert_eq!(of_text(&cut).kind, Kind::Capacity, "{typed}");
    }
    let whole =
        of_text(r#"{"error":{"message":"nested: host-executor: acquire timeout after 60000ms"},"more":"#);
    assert_eq!(whole.kind, Kind::Capacity);
}

#[test]
fn what_somebody_else_carries_is_not_the_bridges() {
    let prose = "host-executor: acquire timeout after 60000ms (in_flight=4/4, queued=1)";
    let refused = json!({ "type": "executor_saturated", "capacity": true });
    for (value, kind) in [
        (json!({ "type": "upstream", "error": refused }), Kind::Provider),
        (json!({ "type": "upstream", "body": { "error": refused } }), Kind::Provider),
        (json!({ "type": "upstream", "body": json!({ "error": refused }).to_string() }), Kind::Provider),
        (json!({ "event": { "type": "tool_result", "error": prose } }), Kind::Unknown),
        (json!({ "event": { "type": "tool_result", "error": { "message": prose } } }), Kind::Unknown),
        (json!({ "type": "delta", "data": prose }), Kind::Unknown),
        (json!({ "event": { "type": "text", "message": prose, "detail": prose } }), Kind::Unknown),
        (json!({ "event": { "type": "status", "status": "running", "detail": prose } }), Kind::Unknown),
        (json!({ "type": "tool_result", "error": { "code": "ECONNREFUSED" } }), Kind::Bridge),
        (
            json!({ "event": { "type": "tool_result", "error": { "type": "run_admission_closed" } } }),
            Kind::Bridge,
        ),
        (
            json!({ "choices": [{ "message": refused }], "usage": refused, "stored_binding": refused }),
            Kind::Unknown,
        ),
        (json!({ "executor": refused }), Kind::Unknown),
    ] {
        for answer in [of_value(&value), of_text(&value.to_string()), of_text(&format!("data: {value}\n\n"))]
        {
            assert_eq!((answer.kind, answer.retry_safe), (kind, false), "{value}");
        }
    }
    for value in [
        json!({ "type": "error", "error": refused }),
        json!({ "type": "error", "error": { "message": prose } }),
        json!({ "type": "server_error", "error": refused }),
        json!({ "type": "upstream", "cause": refused }),
    ] {
        assert_eq!(of_value(&value).kind, Kind::Capacity, "{value}");
        assert_eq!(of_text(&value.to_string()).kind, Kind::Capacity, "{value}");
    }
    // An object of JavaScript may have a type of its own, as a `Response` has: the words in its body still count.
    for (value, kind) in [
        (json!({ "type": "basic", "body": { "error": refused } }), Kind::Capacity),
        (json!({ "type": "basic", "body": { "error": { "message": prose } } }), Kind::Unknown),
        (
            json!({ "type": "system", "error": { "name": "Error", "code": "executor_saturated" } }),
            Kind::Capacity,
        ),
        (json!({ "type": "system", "error": { "code": "executor_saturated" } }), Kind::Unknown),
    ] {
        assert_eq!(of_value(&value).kind, kind, "{value}");
    }
    // A connection that was not made, told by one who was reached.
    let value = json!({ "error": { "code": "ECONNREFUSED" } });
    assert!(!of_value(&value).retry_safe);
    assert!(of_value(&json!({ "error": { "name": "Error", "code": "ECONNREFUSED" } })).retry_safe);
    assert!(!of_text(&value.to_string()).retry_safe);
    assert!(!of_value(&json!({ "status": 502, "body": value.to_string() })).retry_safe);
}

#[test]
fn what_contradicts_itself_proves_nothing() {
    let answer = of_value(&json!({ "type": "upstream", "capacity": true }));
    assert_eq!(answer.kind, Kind::Provider);
    let answer = of_value(&json!({ "type": "admission_rejected", "capacity": true, "reason": "aborted" }));
    assert_eq!((answer.kind, answer.code.as_deref()), (Kind::Aborted, Some("admission_rejected")));
    let answer =
        of_value(&json!({ "message": "cli-bridge admission aborted while queued", "type": "server_error" }));
    assert_eq!((answer.kind, answer.retry_safe), (Kind::Aborted, false));
    // What a cut took away may have said that it was the caller who gave up.
    for (cut, kind) in [
        (r#"{"error":{"capacity":true"#, Kind::Unknown),
        (r#"{"error":{"message":"odd","capacity":true"#, Kind::Unknown),
        (r#"{"error":{"type":"admission_rejected","capacity":true,"rea"#, Kind::Unknown),
        (r#"{"error":{"message":"od"#, Kind::Unknown),
        (r#"{"error":{"capacity":true,"message":"od"#, Kind::Unknown),
        (r#"{"error":{"type":"admission_rejected","message":"od"#, Kind::Unknown),
        (r#"{"error":{"message":"odd","type":"admission_rejected","rea"#, Kind::Capacity),
        (r#"{"error":{"capacity":true,"reason":"queue_full","mess"#, Kind::Capacity),
        (r#"{"error":{"type":"admission_rejected","reason":"queue_timeout","mess"#, Kind::Capacity),
        (r#"{"error":{"type":"admission_rejected","reason":"aborted","mess"#, Kind::Aborted),
        (r#"{"error":{"type":"executor_saturated","mess"#, Kind::Capacity),
    ] {
        assert_eq!(of_text(cut).kind, kind, "{cut}");
    }
    // Its message tells it too, to those who trust the body's words alone.
    let told = r#"{"error":{"message":"host-executor: acquire timeout after 60000ms","capacity":true,"rea"#;
    assert_eq!(of_value(&json!({ "type": "system", "body": told })).kind, Kind::Capacity);
    assert_eq!(of_text(r#"{"error":{"capacity":true}}"#).kind, Kind::Capacity);
    // Of equal keys the last one counts, with all that stands in it.
    for (text, kind) in [
        (r#"{"error":{"type":"executor_saturated","type":null}}"#, Kind::Unknown),
        (r#"{"error":{"type":"upstream"},"error":{"type":"executor_saturated"}}"#, Kind::Capacity),
        (r#"{"error":{"type":"executor_saturated"},"error":[]}"#, Kind::Unknown),
        (r#"{"errors":[{"type":"upstream"}],"errors":[{"type":"executor_saturated"}]}"#, Kind::Capacity),
        (r#"{"errors":[{"type":"executor_saturated"}],"errors":null}"#, Kind::Unknown),
        (r#"{"errors":[{"type":"upstream"},{"type":"timeout"}],"message":"odd"}"#, Kind::Provider),
    ] {
        assert_eq!(of_text(text).kind, kind, "{text}");
    }
    assert_eq!(
        of_text(r#"{"error":{"type":"upstream","t\u0079pe":"executor_saturated"}}"#).kind,
        Kind::Capacity
    );
}

#[test]
fn the_frame_around_a_harness_is_the_providers() {
    let long = "x".repeat(400);
    for text in [
        format!(r#"{{"error":{{"message":"opencode exited 1: {long}"#),
        format!("data: {{\"error\":{{\"message\":\"opencode exited SIGKILL: {long}"),
    ] {
        assert_eq!(of_text(&text).kind, Kind::Provider);
    }
    let framed =
        json!({ "status": 502, "message": "bridgeExecutor: bridge stream error: opencode exited 1: oops" });
    assert_eq!(of_value(&framed).kind, Kind::Provider);
    assert_eq!(of_message("opencode exited 1: oops").kind, Kind::Unknown);
    for other in [
        "the harness exited 1: oops",
        "(node:7) exited 1: oops",
        "opencode exited : oops",
        "opencode exited with code 1: oops",
        "opencode exited 1:oops",
        "opencode exited",
    ] {
        let text = json!({ "error": { "message": other } }).to_string();
        assert_eq!(of_text(&text).kind, Kind::Unknown, "{other}");
    }
}

#[test]
fn lists_are_what_all_their_members_are() {
    let refused = json!({ "type": "executor_saturated" });
    let prose = json!({ "message": "host-executor: acquire timeout after 60000ms" });
    let reset = json!({ "code": "ECONNRESET" });
    let unreached = json!({ "code": "ECONNREFUSED" });
    let silent = json!({ "message": "?" });
    let of = |members: &[&Value]| of_value(&json!({ "errors": members }));
    for (members, kind, retry_safe) in [
        (vec![&refused, &prose], Kind::Capacity, true),
        (vec![&refused, &reset], Kind::Unknown, false),
        (vec![&refused, &silent], Kind::Unknown, false),
        (vec![&unreached, &unreached], Kind::Bridge, true),
        (vec![&unreached, &reset], Kind::Bridge, false),
        (vec![&silent], Kind::Unknown, false),
    ] {
        let answer = of(&members);
        assert_eq!((answer.kind, answer.retry_safe), (kind, retry_safe), "{members:?}");
    }
    // What stands beside a list cannot make it capacity, or safe.
    for (beside, kind) in [
        (
            json!({ "name": "AggregateError", "code": "executor_saturated", "errors": [refused, reset] }),
            Kind::Unknown,
        ),
        (json!({ "cause": refused, "errors": [refused, reset] }), Kind::Unknown),
        (json!({ "name": "E", "code": "executor_saturated", "errors": [silent] }), Kind::Unknown),
        (json!({ "code": "ECONNREFUSED", "errors": [silent] }), Kind::Bridge),
        (json!({ "type": "invalid_request_error", "errors": [silent] }), Kind::Request),
        (json!({ "cause": unreached, "errors": [refused, reset] }), Kind::Bridge),
        // A list is as strong as its weakest member: the bridge's prose yields to a word.
        (json!({ "cause": { "type": "upstream" }, "errors": [refused, prose] }), Kind::Provider),
    ] {
        let answer = of_value(&beside);
        assert_eq!((answer.kind, answer.retry_safe), (kind, false), "{beside}");
    }
    assert_eq!(of_value(&json!({ "code": "ECONNREFUSED", "errors": [] })).kind, Kind::Bridge);
    // But the list in a body is a detail of it.
    let detailed = json!({ "error": { "type": "executor_saturated", "errors": ["x"] } });
    assert_eq!(of_value(&detailed).kind, Kind::Capacity);
    assert_eq!(of_text(&detailed.to_string()).kind, Kind::Capacity);
    // The same in a text, where a list that is cut is not known to its end.
    let text = json!({ "errors": [refused, prose] }).to_string();
    assert_eq!(of_text(&text).kind, Kind::Capacity);
    assert_eq!(of_text(&text[..text.len() - 3]).kind, Kind::Unknown);
    // A member that is no failure at all still is one.
    for member in ["null", "true", "-1", "0", "1.5", "\"\"", "{}", "[]", r#"[{"type":"executor_saturated"}]"#]
    {
        let text = format!(r#"{{"errors":[{refused},{member}]}}"#);
        assert_eq!(of_text(&text).kind, Kind::Unknown, "{text}");
    }
    // A text is one that is read.
    let texts = json!({ "errors": [refused, "host-executor: acquire timeout after 60000ms"] });
    assert_eq!(of_value(&texts).kind, Kind::Capacity);
    assert_eq!(of_text(&texts.to_string()).kind, Kind::Capacity);
    // More than are looked at prove nothing.
    assert_eq!(of(&vec![&refused; MEMBERS]).kind, Kind::Capacity);
    assert_eq!(of(&vec![&refused; MEMBERS + 1]).kind, Kind::Unknown);
}

#[test]
fn statuses() {
    for (value, status) in [
        (json!({ "message": "bridge 502: x" }), Some(502)),
        (json!({ "message": "bridge 199: x" }), Some(199)),
        (json!({ "message": "bridge 099: x" }), None),
        (json!({ "message": "bridge 600: x" }), None),
        (json!({ "message": "bridge 4040: x" }), None),
        (json!({ "message": "bridge 40: x" }), None),
        (json!({ "message": "bridge 502: x", "status": 503 }), Some(503)),
        // The one of the failure, not of the answer that carried it.
        (json!({ "status": 200, "body": { "status": 502, "error": { "type": "upstream" } } }), Some(502)),
        (json!({ "status": 200, "error": { "type": "upstream" } }), Some(200)),
    ] {
        assert_eq!(of_value(&value).status, status, "{value}");
    }
}

#[test]
fn stronger_signs_win_from_any_depth() {
    for (value, kind) in [
        (json!({ "status": 401, "cause": { "type": "upstream" } }), Kind::Provider),
        (json!({ "type": "upstream", "cause": { "type": "executor_saturated" } }), Kind::Capacity),
        (json!({ "name": "AbortError", "cause": { "type": "timeout" } }), Kind::Provider),
        (json!({ "name": "AbortError", "cause": { "code": "ECONNRESET" } }), Kind::Aborted),
        (json!({ "code": "UND_ERR_ABORTED", "status": 502 }), Kind::Aborted),
        (
            json!({ "name": "TypeError", "message": "fetch failed", "cause": { "code": "UND_ERR_SOCKET" } }),
            Kind::Bridge,
        ),
        (json!({ "name": "TypeError", "message": "fetch failed", "status": 401 }), Kind::Bridge),
        (json!({ "status": 503, "cause": { "status": 400 } }), Kind::Bridge),
        (json!({ "status": 200, "response": { "status": 404 } }), Kind::Request),
        (json!({ "status": 499 }), Kind::Aborted),
        (json!({ "status": 501 }), Kind::Request),
        (json!({ "status": 529 }), Kind::Provider),
        (json!({ "status": "503" }), Kind::Unknown),
        (json!({ "status": 503.5 }), Kind::Unknown),
        (json!({ "status": 1503 }), Kind::Unknown),
        (json!({ "message": "bridge 404: nothing here" }), Kind::Request),
        (json!({ "message": "\"bridge 404: nothing here\"" }), Kind::Unknown),
        (json!({ "type": "run_admission_closed", "status": 503 }), Kind::Bridge),
    ] {
        assert_eq!(of_value(&value).kind, kind, "{value}");
    }
    assert!(of_value(&json!({ "type": "run_admission_closed" })).retry_safe);
    assert!(!of_value(&json!({ "type": "service_unavailable" })).retry_safe);
}

#[test]
fn tables_are_disjoint() {
    let words: Vec<_> = tables::ALL.iter().flat_map(|table| table.words).map(|row| row.word).collect();
    for word in &words {
        assert_eq!(words.iter().filter(|other| *other == word).count(), 1, "{word} stands twice");
    }
    let prefixes: Vec<_> = tables::ALL.iter().flat_map(|table| table.prefixes).collect();
    for word in words.iter().copied().chain(prefixes.iter().map(|prefix| **prefix)) {
        let owners = tables::ALL.iter().filter(|table| table.find(word).is_some()).count();
        assert_eq!(owners, 1, "{word}");
        let begins = prefixes.iter().filter(|prefix| word.starts_with(**prefix)).count();
        assert!(begins <= 1, "{word} begins with {begins} prefixes");
    }
    assert_eq!(tables::ABORT_CODES.find("UND_ERR_ABORTED"), Some(false));
    assert_eq!(tables::NETWORK_CODES.find("UND_ERR_ABORTED"), None);
    assert_eq!(tables::NETWORK_CODES.find("UND_ERR_SOCKET"), Some(false));
    assert_eq!(tables::PROVIDER.find("provider_rate_limited"), Some(false));
    assert_eq!(tables::PROVIDER.find("timeouts"), None);
}

/// Every word of the wire, as it is known of the bridge and of those before and behind it: the kind, whether the same
/// request can be sent again, and the words.
const WORDS: &[(Kind, bool, &[&str])] = &[
    (Kind::Capacity, true, &["executor_saturated", "admission_rejected"]),
    (
        Kind::Provider,
        false,
        &[
            "upstream",
            "upstream_error",
            "timeout",
            "run_lifetime_exceeded",
            "unattributed_backend_error",
            "rate_limit_error",
            "overloaded_error",
            "rate_limit_exceeded",
            "server_overloaded",
            "insufficient_quota",
            "provider_rate_limited",
        ],
    ),
    (
        Kind::Request,
        false,
        &[
            "session_binding_conflict",
            "session_identity_conflict",
            "run_identity_conflict",
            "parse_error",
            "invalid_request_error",
            "invalid_authentication_error",
            "not_found_error",
            "not_found",
            "capability_denied",
            "mode_not_supported",
            "not_configured",
            "executor_misconfigured",
            "invalid_replay_cursor",
            "expired_replay_cursor",
        ],
    ),
    (
        Kind::Bridge,
        true,
        &[
            "run_admission_closed",
            "ECONNREFUSED",
            "ENOTFOUND",
            "EAI_AGAIN",
            "EHOSTUNREACH",
            "ENETUNREACH",
            "ConnectionRefused",
        ],
    ),
    (
        Kind::Bridge,
        false,
        &[
            "service_unavailable",
            "transport_error",
            "ECONNRESET",
            "ECONNABORTED",
            "EPIPE",
            "ETIMEDOUT",
            "EPROTO",
            "EHOSTDOWN",
            "ENETDOWN",
            "ENETRESET",
            "ENOTCONN",
            "EADDRNOTAVAIL",
            "EAI_FAIL",
            "EAI_NODATA",
            "EAI_NONAME",
            "ERR_STREAM_PREMATURE_CLOSE",
            "DEPTH_ZERO_SELF_SIGNED_CERT",
            "SELF_SIGNED_CERT_IN_CHAIN",
            "UNABLE_TO_GET_ISSUER_CERT",
            "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
            "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
            "HOSTNAME_MISMATCH",
            "ConnectionClosed",
            "FailedToOpenSocket",
            "UND_ERR_SOCKET",
            "HPE_INVALID_CONSTANT",
            "ERR_HTTP2_STREAM_ERROR",
            "ERR_SOCKET_CLOSED",
            "ERR_TLS_CERT_ALTNAME_INVALID",
            "CERT_HAS_EXPIRED",
            "ERR_SSL_WRONG_VERSION_NUMBER",
        ],
    ),
    (Kind::Aborted, false, &["run_cancelled", "interaction_cancelled", "ABORT_ERR", "UND_ERR_ABORTED"]),
];

#[test]
fn every_word_is_its_kind() {
    let mut named = 0;
    for (kind, retry_safe, words) in WORDS {
        for word in *words {
            named += 1;
            for field in ["type", "code", "upstreamCode"] {
                let answer = of_value(&json!({ field: word, "status": 418 }));
                assert_eq!((answer.kind, answer.retry_safe), (*kind, *retry_safe), "{field} {word}");
                assert_eq!(answer.code.as_deref(), Some(*word));
            }
        }
    }
    // One of each prefix stands among the words.
    let known: usize = tables::ALL.iter().map(|table| table.words.len() + table.prefixes.len()).sum();
    assert_eq!(named, known);
}

#[test]
fn the_statuses_of_a_request() {
    let kind = |status: u16| of_value(&json!({ "status": status })).kind;
    assert_eq!(kind(400), Kind::Request);
    assert_eq!(kind(428), Kind::Request);
    assert_eq!(kind(498), Kind::Request);
}

#[test]
fn the_record_of_a_failed_run_is_a_status() {
    let answer = of_value(&json!({ "type": "timeout", "status": "failed", "message": "x", "detail": "y" }));
    assert_eq!((answer.kind, answer.code.as_deref()), (Kind::Provider, Some("timeout")));
}

#[test]
fn a_harness_by_its_path() {
    let answer = of_value(&json!({ "error": { "message": "/usr/bin/opencode exited 1: out of memory" } }));
    assert_eq!(answer.kind, Kind::Provider);
}

#[test]
fn codes_where_no_word_decided() {
    let prose = "host-executor: acquire timeout after 60000ms";
    for (value, code) in [
        (json!({ "message": prose }), None),
        (json!({ "type": "server_error", "message": prose }), Some("server_error")),
        (json!({ "type": "server_error", "code": "E_MINE" }), Some("server_error")),
        (json!({ "code": "ECONNRESET", "message": prose }), Some("ECONNRESET")),
        (json!({ "code": "E_MINE", "status": 502 }), Some("E_MINE")),
        (json!({ "type": "system", "code": "E_MINE", "message": "odd" }), Some("E_MINE")),
        // A type alone may be that of anything; with a message it is an error's.
        (json!({ "type": "system", "message": "odd" }), Some("system")),
        (json!({ "type": "system", "status": 502 }), None),
        (json!({ "type": "status", "status": "failed", "detail": "odd" }), None),
        (json!({ "status": 502, "cause": { "code": "E_MINE" } }), Some("E_MINE")),
    ] {
        assert_eq!(of_value(&value).code.as_deref(), code, "{value}");
    }
}

#[test]
fn waits_before_another_try() {
    let of = |value: &Value| of_value(value).retry_after_ms;
    let date = |date: &str| of(&json!({ "status": 429, "headers": { "Retry-After": date } }));
    assert_eq!(date("7"), Some(7000.0));
    assert_eq!(date(" 7 "), Some(7000.0));
    assert_eq!(date("0"), Some(0.0));
    assert_eq!(date("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10_000.0));
    assert_eq!(date("Sun, 06 Nov 1994 08:49:27 GMT"), Some(0.0));
    for nonsense in ["", "soon", "-1", "1.5", "1e3", "7 s"] {
        assert_eq!(date(nonsense), None, "{nonsense}");
    }
    assert_eq!(date(&"9".repeat(400)), None);
    assert_eq!(
        of(&json!({ "headers": { "retry-after": 7 }, "body": { "error": { "retry_after_ms": 5 } } })),
        Some(5.0)
    );
    assert_eq!(of(&json!({ "headers": { "retry-after": 7 }, "retryAfterMs": "5" })), Some(7000.0));
    assert_eq!(of(&json!({ "retry_after_ms": -1 })), None);
    for (header, wait) in [
        (r#"["7","8"]"#, Some(7000.0)),
        ("7", Some(7000.0)),
        ("1.5", Some(1500.0)),
        ("-7", None),
        (r#"{"a":7}"#, None),
        ("null", None),
        ("true", None),
    ] {
        let text = format!(r#"{{"status":429,"headers":{{"content-type":"5","RETRY-AFTER":{header}}}}}"#);
        assert_eq!(of_text(&text).retry_after_ms, wait, "{text}");
    }
}

#[test]
fn server_sent_events() {
    let error = r#"data: {"error":{"type":"executor_saturated","capacity":true}}"#;
    let other = r#"data: {"error":{"type":"upstream","message":"later"}}"#;
    let chunk = r#"data: {"choices":[{"message":{"type":"executor_saturated"}}]}"#;
    for text in [
        format!("{error}\n\n{other}\n\ndata: [DONE]\n\n"),
        format!(": hello\r\n\r\nid: 1\r\n{error}\r\n\r\ndata: [DONE]\r\n\r\n"),
        format!("id: 1\r\r{chunk}\r\r{error}\rid: 2\r\r{other}\r\r"),
        format!("\u{feff}retry: 10\n{chunk}\n\nevent: error\n{error}"),
        "data:{\"error\":\ndata:{\"type\":\"executor_saturated\"}}\n\n".to_owned(),
        "data:{\"error\":\r\ndata:{\"type\":\"executor_saturated\"}}\r\n\r\n".to_owned(),
    ] {
        assert_eq!(of_text(&text).kind, Kind::Capacity, "{text}");
    }
    assert_eq!(of_text(&format!("{other}\n\n{error}\n\n")).kind, Kind::Provider);
    assert_eq!(of_text(&format!("{chunk}\n\ndata: [DONE]\n\n")).kind, Kind::Unknown);
    assert_eq!(of_text("data: {\"type\":\"status\",\"status\":\"running\"}\n\n").kind, Kind::Unknown);
    // Plain words are a failure only in an event that says so; one without words is none.
    let prose = "host-executor: acquire timeout after 60000ms";
    assert_eq!(of_text(&format!("event: error\ndata: {prose}\n\n")).kind, Kind::Capacity);
    assert_eq!(of_text(&format!("event: ping\ndata: {prose}\n\n")).kind, Kind::Unknown);
    assert_eq!(of_text(&format!("event: error\n\n{error}\n\n")).kind, Kind::Capacity);
    assert_message(&of_text("event: error\ndata: one\ndata:\ndata:  two\n\n"), "one\n\n two");
    assert_message(&of_text("event: error\ndata: {\"message\":\"odd\"}\n\n"), "odd");
    // The first error counts, whatever it says; what is none does not end the search.
    let odd = of_text(&format!("data: {{\"error\":{{\"message\":\"odd\"}}}}\n\n{error}\n\n"));
    assert_eq!(odd.kind, Kind::Unknown);
    assert_message(&odd, "odd");
    for none in [r#"{"error":null}"#, r#"{"event":{"type":"status","status":"running"}}"#, "[DONE]"] {
        assert_eq!(of_text(&format!("data: {none}\n\n{error}\n\n")).kind, Kind::Capacity, "{none}");
    }
}

#[test]
fn bodies_that_are_not_quite_json() {
    let saturated = r#""type":"executor_saturated""#;
    for text in [
        format!(r#"{{"error":{{"x":"\ud83d",{saturated}}}}}"#),
        format!(r#"{{"error":{{"x":"\ud83d\ude00\udc00",{saturated}}}}}"#),
        format!(r#"{{"error":{{"retry_after_ms":1e400,{saturated}}}}}"#),
        format!(r#"{{"error":{{{saturated},"x":"\ud83"#),
        format!(r#"{{"error":{{{saturated},"x":"\"#),
        format!(r#"{{"error":{{{saturated}}}}} and more"#),
        format!("\u{feff} {{\"error\":{{{saturated}}}}}"),
        format!(r#"{{"error":{{{saturated},"x":{}"#, "[".repeat(100_000)),
    ] {
        assert_eq!(of_text(&text).kind, Kind::Capacity, "{}", &text[..60]);
    }
    let deep = format!(r#"{}"type":"executor_saturated"{}"#, r#"{"error":"#.repeat(5000), "}".repeat(5000));
    assert_eq!(of_text(&deep).kind, Kind::Unknown);
    // What a cut leaves of an escape is dropped, one that is whole is read.
    for (escaped, message) in [
        (r"caf\u00e9 \ud83d!", "café \u{fffd}!"),
        (r"caf\u00e9", "café"),
        (r"caf\u00e", "caf"),
        (r"caf\u", "caf"),
        ("caf\\", "caf"),
        (r"a\n", "a\n"),
        (r"\ud83d\ude00 \udc00", "\u{1f600} \u{fffd}"),
        (r"\ud83d\ude0", "\u{fffd}"),
        (r"\ud83d\u00e9", "\u{fffd}é"),
    ] {
        assert_message(&of_text(&format!(r#"{{"error":{{"message":"{escaped}"#)), message);
    }
}

#[test]
fn fields_of_another_shape_are_no_fields() {
    let prose = "host-executor: acquire timeout after 60000ms";
    // As a word, the first of these would be the provider's; as a list, the last would have a member that says nothing.
    for (field, shape) in [
        ("type", r#"["upstream"]"#),
        ("type", r#"{"type":"upstream"}"#),
        ("type", "null"),
        ("code", r#"{"code":"upstream"}"#),
        ("headers", r#"{"retry-after":{"a":1}}"#),
        ("headers", r#"["retry-after",7]"#),
        ("errors", "null"),
        ("errors", r#"{"type":"upstream"}"#),
        ("errors", r#""upstream""#),
        ("errors", "1"),
    ] {
        let text = format!(r#"{{"error":{{"message":"{prose}","{field}":{shape}}}}}"#);
        let answer = of_text(&text);
        assert_eq!((answer.kind, answer.retry_after_ms), (Kind::Capacity, None), "{text}");
    }
    for text in [
        r#"{"type":["executor_saturated"]}"#,
        r#"{"type":{"type":"executor_saturated"}}"#,
        r#"{"capacity":"true"}"#,
        r#"{"capacity":[true]}"#,
    ] {
        assert_eq!(of_text(text).kind, Kind::Unknown, "{text}");
    }
}

#[test]
fn encoded_again_and_again() {
    let mut text = json!({ "error": { "type": "executor_saturated" } }).to_string();
    for times in 0..4 {
        assert_eq!(of_text(&text).kind, Kind::Capacity, "{times}");
        assert_eq!(
            of_message(&format!("bridgeExecutor: bridge 429: {text}")).kind,
            Kind::Capacity,
            "{times}"
        );
        text = serde_json::to_string(&text).unwrap();
    }
    let quoted = serde_json::to_string("host-executor: acquire timeout after 60000ms").unwrap();
    assert_eq!(of_text(&quoted).kind, Kind::Unknown);
    let mentioned =
        format!("{} is what it said", serde_json::to_string(r#"{"type":"executor_saturated"}"#).unwrap());
    assert_eq!(of_text(&mentioned).kind, Kind::Unknown);
}

#[test]
fn depth_ends() {
    let mut value = json!({ "type": "executor_saturated" });
    for _ in 0..DEPTH {
        value = json!({ "cause": value });
    }
    assert_eq!(of_value(&value).kind, Kind::Capacity);
    assert_eq!(of_text(&value.to_string()).kind, Kind::Capacity);
    let deeper = json!({ "cause": value });
    assert_eq!(of_value(&deeper).kind, Kind::Unknown);
    assert_eq!(of_text(&deeper.to_string()).kind, Kind::Unknown);
    // A list that is too deep to be read is not taken for one without members.
    let mut list = json!({
        "name": "AggregateError",
        "message": "host-executor: acquire timeout after 60000ms",
        "errors": [{ "type": "upstream" }],
    });
    for _ in 0..DEPTH {
        list = json!({ "cause": list });
    }
    assert_eq!(of_value(&list).kind, Kind::Unknown);
    assert_eq!(of_text(&list.to_string()).kind, Kind::Unknown);
    let cause = FIELDS.iter().position(|field| field.name == "cause").unwrap();
    let opens =
        std::iter::repeat_n(Event::Number(-1.0 - f64::from(u32::try_from(cause).unwrap())), 1_000_000);
    let closes = std::iter::repeat_n(Event::Flag(false), 1_000_000);
    assert_eq!(classify(&Record::from_events(opens.chain(closes)), NOW_MS).kind, Kind::Unknown);
}

#[test]
fn events_that_make_no_sense_are_skipped() {
    for events in [
        vec![],
        vec![Event::Flag(true)],
        vec![Event::Text("x".to_owned())],
        vec![Event::Number(3.0)],
        vec![Event::Number(f64::NAN), Event::Text("x".to_owned())],
        vec![Event::Number(-1.0), Event::Number(1e300), Event::Number(1.0), Event::Flag(false)],
        vec![Event::Number(f64::NEG_INFINITY), Event::Flag(false), Event::Flag(false)],
    ] {
        assert_eq!(classify(&Record::from_events(events), f64::NAN).kind, Kind::Unknown);
    }
}

#[test]
fn a_megabyte_is_read_once() {
    let marks = "\u{10ffff}".repeat(250_000);
    for piece in [
        "a: ",
        "bridge ",
        "bridge x: ",
        "\"",
        "{\"",
        "data: {}\n\n",
        "host-executor: ",
        "\\",
        "[",
        "'",
        "exited ",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        assert_ne!(of_text(&text).kind, Kind::Capacity, "{piece:?}");
        assert_ne!(of_text(&format!("{{\"message\":\"{text}")).kind, Kind::Capacity, "{piece:?}");
        assert_ne!(of_text(&format!("{text}{marks}")).kind, Kind::Capacity, "{piece:?}");
    }
}

#[test]
fn messages_of_other_failures_are_their_own() {
    assert_message(
        &of_text(r#"{"error":{"message":"Unauthorized","type":"invalid_authentication_error"}}"#),
        "Unauthorized",
    );
    assert_message(&of_text("plain words"), "plain words");
    assert_message(&of_text(r#"{"a":1}"#), r#"{"a":1}"#);
    assert_message(&of_text(""), "no message");
    assert_message(&of_value(&json!({ "status": 503 })), "HTTP 503");
    assert_message(&of_value(&json!({ "status": 503, "body": "{\"error\":\"busy\"}" })), "busy");
    assert_message(&of_text("bridgeExecutor: bridge 401: {\"error\":{\"message\":\"no\"}}"), "no");
    // One that was handed over is given back by its place.
    let framed = json!({ "message": "bridge 401: {\"error\":{\"message\":\"no\"}}" });
    assert_eq!(of_value(&framed).message, Message::At(2));
}
