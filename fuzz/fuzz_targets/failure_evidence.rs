//! Any evidence that a gatherer may hand over, in any order: no panic, no contradiction.

#![no_main]

use arbitrary::Arbitrary;
use bridge_admission::failure::{Event, FIELDS, Record, tables};
use bridge_admission_fuzz::checked;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
enum Item<'a> {
    Value(u8, Value<'a>),
    Begin(u8),
    End,
    Any(Value<'a>),
}

#[derive(Arbitrary, Debug)]
enum Value<'a> {
    Text(&'a str),
    Word(u8),
    Number(f64),
    Status(u16),
    Flag(bool),
}

fn event(value: Value) -> Event {
    let tables = [&tables::CAPACITY, &tables::PROVIDER, &tables::REQUEST, &tables::BRIDGE, &tables::ABORTED];
    let words = || tables.iter().flat_map(|table| table.words);
    match value {
        Value::Text(text) => Event::Text(text.to_owned()),
        Value::Word(pick) => {
            let word = words().nth(usize::from(pick) % words().count());
            Event::Text(word.map_or_else(String::new, |word| word.word.to_owned()))
        }
        Value::Number(number) => Event::Number(number),
        Value::Status(status) => Event::Number(f64::from(status)),
        Value::Flag(flag) => Event::Flag(flag),
    }
}

fuzz_target!(|items: Vec<Item>| {
    let row = |pick: u8| f64::from(u32::from(pick) % u32::try_from(FIELDS.len()).unwrap());
    let mut events = vec![Event::Number(-1.0)];
    for item in items {
        match item {
            Item::Value(pick, value) => events.extend([Event::Number(row(pick)), event(value)]),
            Item::Begin(pick) => events.push(Event::Number(-1.0 - row(pick))),
            Item::End => events.push(Event::Flag(false)),
            Item::Any(value) => events.push(event(value)),
        }
    }
    checked(&Record::from_events(events));
});
