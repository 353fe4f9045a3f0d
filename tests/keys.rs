//! Keys that hold control characters: JSON where they are escaped, no JSON where they are bare.

use bridge_admission::health::Health;

fn in_flight(body: &[u8]) -> Option<f64> {
    Health::from_json(body).map(|health| health.host.in_flight)
}

#[test]
fn a_bare_control_character_in_a_key_is_no_json() {
    assert_eq!(in_flight(b"{\"a\n\":1,\"executor\":{\"in_flight\":4}}"), None);
    assert_eq!(in_flight(b"{\"\x1f\":1}"), None);
    assert_eq!(in_flight(b"{\"executor\":{\"a\\n\n\":1,\"in_flight\":4}}"), None);
    assert_eq!(in_flight(b"{\"\xff\x00\":1,\"executor\":{\"in_flight\":4}}"), None);
}

#[test]
fn an_escaped_one_is() {
    assert_eq!(in_flight(b"{\"a\\n\":1,\"executor\":{\"in_flight\":4}}"), Some(4.0));
    assert_eq!(
        in_flight(b"{\"\\ud83d\\n\" : 1,\"exec\\u0075tor\":{\"\xff\\n\":1,\"in_\\u0066light\":4}}"),
        Some(4.0)
    );
}
