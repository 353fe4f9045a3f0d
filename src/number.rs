//! Numbers as JavaScript prints them.

use std::fmt;

/// A double, printed as JavaScript prints it.
pub(crate) struct Number(pub(crate) f64);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(ryu_js::Buffer::new().format(self.0))
    }
}
