//! Prepares the link of the Node addon; the pure core needs nothing.

fn main() {
    #[cfg(feature = "napi")]
    napi_build::setup();
}
