// Preloaded into the command: it crashes once it has drawn its picture.
const { write } = process.stdout
process.stdout.write = function (text, ...rest) {
  if (String(text).includes('room for')) setImmediate(() => { throw new Error('crash on purpose') })
  return write.call(this, text, ...rest)
}
