// A terminal's screen, as far as the command uses one. Throws at what would wrap, and at what it does not know.

/** The lines of both screens after the output: `main`, and `alternate` as it was when it was left, with the cursor. */
export function screenOf(output, columns) {
  const screens = { main: blank(), alternate: blank() }
  let screen = screens.main
  let cursorShown = true
  const control = {
    H: () => Object.assign(screen, { row: 0, column: 0 }),
    J: (count) => {
      screen.lines.length = count === '2' ? 0 : screen.row
    },
    K: () => {
      screen.lines[screen.row] = (screen.lines[screen.row] ?? []).slice(0, screen.column)
    },
    m: () => {},
    h: (mode) => switchTo(mode, true),
    l: (mode) => switchTo(mode, false)
  }
  function switchTo(mode, on) {
    if (mode === '?25') cursorShown = on
    else if (mode === '?1049') screen = on ? screens.alternate : screens.main
    else throw new Error(`unknown mode ${mode}`)
  }
  const pieces = output.matchAll(/\x1b\[([?\d;]*)([A-Za-z])|[\s\S]/gu)
  for (const [piece, parameters, final] of pieces) {
    if (final !== undefined) {
      if (!(final in control)) throw new Error(`unknown sequence ${JSON.stringify(piece)}`)
      control[final](parameters)
    } else if (piece === '\r') screen.column = 0
    else if (piece === '\n') screen.row += 1
    else put(piece)
  }
  function put(character) {
    if (character < ' ') throw new Error(`unknown control ${JSON.stringify(character)}`)
    if (screen.column === columns) throw new Error(`line ${screen.row} is wider than ${columns}: ${text(screen)}`)
    const line = (screen.lines[screen.row] ??= [])
    line[screen.column] = character
    screen.column += 1
  }
  return { main: text(screens.main), alternate: text(screens.alternate), cursorShown, onMain: screen === screens.main }
}

const blank = () => ({ lines: [], row: 0, column: 0 })

function text({ lines }) {
  const shown = Array.from(lines, (line = []) => Array.from(line, (cell = ' ') => cell).join('').trimEnd())
  return `${shown.join('\n').trimEnd()}\n`
}
