//! Admission to a local cli-bridge, decided before a spawn, and the classification of what failed after one.

#![cfg_attr(not(feature = "napi"), forbid(unsafe_code))]
#![deny(unsafe_code)]

pub mod failure;
