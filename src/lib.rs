//! Admission to a local cli-bridge, decided before a spawn, and the classification of what failed after one.
//!
//! The core is plain safe Rust: [`health`] reads a `/health` body, [`capacity`] holds the rule, [`refusal`] the texts,
//! [`failure`] the classification. With the feature `napi` (the default) the crate is also the Node addon.
//!
//! ```
//! use bridge_admission::{health::Health, intent::{Executor, Intent, Lane}, refusal::refusal};
//!
//! let health = Health::from_json(br#"{"executor":{"in_flight":3,"max":4,"queued":0}}"#).unwrap();
//! let play = Intent::new(4.0, Lane::Bulk, Executor::Unknown).unwrap();
//! assert_eq!(
//!     refusal(&health, &play, None).unwrap(),
//!     "bridge executor has no room for 4: in_flight 3 of max 4 (queued 0)",
//! );
//! ```
//!
//! # What is promised
//!
//! The same body and intent always give the same answer, and no input panics. A refusal names the first gate, in the
//! order of [`capacity::GATES`], that the intended spawns would not all pass at once.
//!
//! # What is not
//!
//! A check is not a reservation: a slot can go between the check and the spawn. The bridge's docker pool is not in
//! `/health`. A missing or unusable counter never refuses.

#![cfg_attr(not(feature = "napi"), forbid(unsafe_code))]
#![deny(unsafe_code)]

pub mod capacity;
pub mod error;
pub mod failure;
pub mod health;
pub mod intent;
mod json;
#[cfg(all(feature = "napi", not(test)))]
mod node;
mod number;
pub mod refusal;
