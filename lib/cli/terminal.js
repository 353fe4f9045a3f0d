'use strict'

/** What is taken for the width where no terminal tells one. */
const USUAL_WIDTH = 80

/**
 * How to print to a stream: whether it is a terminal that can be steered, how wide it is, whether colours may be used,
 * whether ASCII only.
 *
 * @returns {{ terminal: boolean, width: number, colour: boolean, ascii: boolean }}
 */
function lookOf(stream, env, ascii = false) {
  const dumb = env.TERM === 'dumb'
  const terminal = stream.isTTY === true && !dumb
  return {
    terminal,
    width: (stream.isTTY === true && stream.columns) || USUAL_WIDTH,
    colour: terminal && !env.NO_COLOR,
    ascii: ascii || dumb || !speaksUnicode(env)
  }
}

/** A locale that is set decides; where none is, as in most containers, terminals are taken for today's. */
function speaksUnicode(env) {
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return !locale || /utf-?8/i.test(locale)
}

module.exports = { lookOf }
