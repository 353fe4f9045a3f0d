'use strict'

/** A command line that cannot be obeyed. The message says what was wanted, and what was given. */
class Usage extends Error {}

module.exports = { Usage }
