//! Any bytes, any intent: no panic, and the refusal, the gates and the free slots agree.

#![no_main]

use bridge_admission::capacity::{gates, is_counter, limiting};
use bridge_admission::health::Health;
use bridge_admission::intent::{EXECUTORS, Intent, LANES};
use bridge_admission::refusal::refusal;
use libfuzzer_sys::fuzz_target;

const SLOTS: [f64; 4] = [1.0, 2.0, 4.0, 9_007_199_254_740_991.0];

fuzz_target!(|body: &[u8]| {
    let Some(health) = Health::from_json(body) else { return };
    for (_, lane) in LANES {
        for (_, executor) in EXECUTORS {
            for slots in SLOTS {
                check(&health, &Intent::new(slots, lane, executor).unwrap());
            }
        }
    }
});

fn check(health: &Health, intent: &Intent) {
    let text = refusal(health, intent, None);
    let free = limiting(health, intent).map(|gate| gate.free());
    assert_eq!(text.is_some(), free.is_some_and(|free| free < intent.slots()), "{text:?}, free {free:?}");
    for gate in gates(health, intent) {
        assert!(is_counter(gate.active) && is_counter(gate.limit) && is_counter(gate.free()), "{gate:?}");
    }
    let first = gates(health, intent).find(|gate| !gate.has_room(intent.slots()));
    assert_eq!(text.is_some(), first.is_some());
    if let (Some(text), Some(gate)) = (text, first) {
        assert!(text.starts_with(&format!("bridge {} ", gate.gate.name)), "{text}");
    }
}
