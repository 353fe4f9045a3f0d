'use strict'

/** Characters that steer a terminal, or turn the direction of what stands around them. */
const STEERING = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** Text of others on one line, without a character that a terminal obeys. */
function visible(text) {
  return text.replace(/\s+/g, ' ').trim().replace(STEERING, '\ufffd')
}

/**
 * The terminal cells that the text takes at most: two for each character beyond those that take one everywhere. What is
 * taken for too wide is wrapped early, which tears nothing.
 */
function cells(text) {
  let sum = 0
  for (const character of text) sum += isNarrow(character) ? 1 : 2
  return sum
}

/** Latin, Greek and Cyrillic, the dashes, quotes and dots, and the characters of the picture. */
const isNarrow = (character) => /[\u0020-\u007e\u00a0-\u04ff\u2010-\u2027\u2580-\u259f\u25b8]/.test(character)

/** The lines of the text at a width, broken at spaces, and within a word that is longer than a line. */
function wrap(text, width) {
  const lines = ['']
  const add = (word) => {
    const line = lines.at(-1) === '' ? word : `${lines.at(-1)} ${word}`
    if (cells(line) <= width) lines[lines.length - 1] = line
    else if (cells(word) <= width) lines.push(word)
    else addPieces(word)
  }
  const addPieces = (word) => {
    if (lines.at(-1) !== '') lines.push('')
    for (const character of word) {
      const line = lines.at(-1) + character
      if (cells(line) <= width || lines.at(-1) === '') lines[lines.length - 1] = line
      else lines.push(character)
    }
  }
  for (const word of text.split(' ')) add(word)
  return lines
}

/** The text, or as much of its beginning as a width holds with `more` after it. */
function clip(text, width, more) {
  if (cells(text) <= width) return text
  let held = ''
  for (const character of text) {
    if (cells(held + character + more) > width) break
    held += character
  }
  return cells(held + more) <= width ? held + more : ''
}

module.exports = { visible, cells, wrap, clip }
