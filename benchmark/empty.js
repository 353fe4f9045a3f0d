'use strict'

// A module that does nothing, to see what loading any module costs.
