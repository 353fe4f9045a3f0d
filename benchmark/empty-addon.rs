//! An addon that does nothing, to see what loading any addon costs.

use std::ffi::c_void;

/// Called by Node when it loads the addon; gives back the exports as they came.
#[unsafe(no_mangle)]
pub extern "C" fn napi_register_module_v1(_env: *mut c_void, exports: *mut c_void) -> *mut c_void {
    exports
}
