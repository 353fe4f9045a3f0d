'use strict'

/** The stream's bytes. Rejects where it fails, or gives more than `most`. */
async function collect(stream, most) {
  const chunks = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > most) throw new Error(`it is larger than ${most} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Why the reading failed, without the names that Node puts around it. */
const REASONS = {
  ENOENT: 'no such file',
  EISDIR: 'it is a directory',
  EACCES: 'permission denied'
}

function reasonOf(error) {
  return REASONS[error.code] ?? error.message
}

/** The bytes of a file, or of standard input for `-`. */
function readOperand(operand, most) {
  return collect(operand === '-' ? process.stdin : require('node:fs').createReadStream(operand), most)
}

module.exports = { collect, reasonOf, readOperand }
