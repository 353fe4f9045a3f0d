//! Reads the text of a body in a file as often as told and decides over it, to be counted by valgrind: two runs that
//! differ in the number of calls tell what one call costs.
//!
//! `calls <file> <number>`

#![expect(clippy::expect_used, reason = "a command for those who measure")]

use std::hint::black_box;
use std::{env, fs};

use bridge_admission::health::Health;
use bridge_admission::intent::{Executor, Intent, Lane};
use bridge_admission::refusal::refusal;

fn main() {
    let [_, file, number] = env::args().collect::<Vec<_>>().try_into().expect("a file and a number of calls");
    let body = fs::read_to_string(file).expect("a readable file");
    let intent = Intent::new(1.0, Lane::Bulk, Executor::Unknown).expect("one slot");
    for _ in 0..number.parse::<u32>().expect("a number of calls") {
        let health = Health::from_text(black_box(&body));
        black_box(health.and_then(|health| refusal(&health, &intent, None)));
    }
}
