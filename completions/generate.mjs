// Makes the completions for bash, zsh and fish from the tables of verbs and options: node completions/generate.mjs
import { writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import tables from '../lib/cli/options.js'

const { VERBS, OPTIONS } = tables
const NAME = 'bridge-admission'
const MADE = `# Completion of ${NAME} for`
const verbs = VERBS.map(({ name }) => name)
const [defaultVerb] = verbs
const optionsOf = (verb) => OPTIONS.filter((option) => option.verbs.includes(verb))
const flagsOf = ({ short, name }) => [...(short ? [`-${short}`] : []), `--${name}`]
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

function bash() {
  const lines = (words) => `$'${words.join('\\n')}'`
  const values = OPTIONS.filter(({ value, file }) => value && !file).map((option) => {
    const offer = option.choices ? `offer ${lines(option.choices())}` : 'compopt +o default 2>/dev/null'
    return `    ${flagsOf(option).join(' | ')}) ${offer}; return ;;`
  })
  const file = OPTIONS.filter(({ file }) => file).map((option) => `    ${flagsOf(option).join(' | ')}) return ;;`)
  const flags = verbs.map((verb) => `      ${verb}) offer ${lines(optionsOf(verb).flatMap(flagsOf))} ;;`)
  return `${MADE} bash. Files are offered where nothing else is.
_bridge_admission() {
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]} verb= i
  COMPREPLY=()
  offer() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --) ((i + 1 == COMP_CWORD)) && COMPREPLY=($(compgen -c -- "$cur")); return ;;
      ${verbs.join(' | ')}) verb=\${verb:-\${COMP_WORDS[i]}} ;;
    esac
  done
  case \${COMP_WORDS[COMP_CWORD-1]} in
${[...values, ...file].join('\n')}
  esac
  if [[ $cur == -* ]]; then
    case \${verb:-${defaultVerb}} in
${flags.join('\n')}
    esac
  elif [[ -z $verb ]]; then
    offer ${lines(verbs)}
  fi
}
complete -o default -F _bridge_admission ${NAME}
`
}

function zsh() {
  const escaped = (text) => text.replace(/[[\]:\\]/g, '\\$&')
  const spec = (option) => {
    const { value, choices, file, help } = option
    const flags = flagsOf(option).map((flag) => (value && flag.startsWith('--') ? `${flag}=` : flag))
    const values = choices ? `(${choices().join(' ')})` : file ? '_files' : ' '
    const action = value ? `:${value}:${values}` : ''
    const rest = quoted(`[${escaped(help)}]${action}`)
    return flags.length > 1 ? `'(${flagsOf(option).join(' ')})'{${flags.join(',')}}${rest}` : `${flags[0]}${rest}`
  }
  const cases = verbs.map(
    (verb) => `    ${verb})
      options=(
${optionsOf(verb)
  .map((option) => `        ${spec(option)}`)
  .join('\n')}
      )
      ;;`
  )
  const described = VERBS.map(({ name, help }) => quoted(`${name}:${escaped(help)}`))
  return `#compdef ${NAME}
${MADE} zsh.
_bridge_admission_operand() {
  local -a verbs=(${described.join(' ')})
  [[ -z $verb ]] && _describe verb verbs
  _files
}
_bridge_admission() {
  local verb= word
  local -a options
  local -i dashes=\${words[(i)--]}
  if ((dashes < CURRENT)); then
    shift dashes words
    ((CURRENT -= dashes))
    _normal
    return
  fi
  for word in \${words[2,CURRENT-1]}; do
    case $word in
      ${verbs.join('|')}) verb=\${verb:-$word} ;;
    esac
  done
  case \${verb:-${defaultVerb}} in
${cases.join('\n')}
  esac
  _arguments -s $options '*:operand:_bridge_admission_operand'
}
_bridge_admission "$@"
`
}

function fish() {
  const others = verbs.filter((verb) => verb !== defaultVerb)
  const condition = ({ verbs: having }) => {
    if (having.length === verbs.length) return ''
    const lacking = verbs.filter((verb) => !having.includes(verb))
    const seen = having.includes(defaultVerb)
      ? `not __fish_seen_subcommand_from ${lacking.join(' ')}`
      : `__fish_seen_subcommand_from ${having.join(' ')}`
    return ` -n ${quoted(seen)}`
  }
  const option = (row) => {
    const { short, name, value, choices, file, help } = row
    const values = choices ? ` -x -a ${quoted(choices().join(' '))}` : file ? ' -r -F' : value ? ' -x' : ''
    return `complete -c ${NAME}${condition(row)}${short ? ` -s ${short}` : ''} -l ${name}${values} -d ${quoted(help)}`
  }
  const first = `-n ${quoted(`not __fish_seen_subcommand_from ${[defaultVerb, ...others].join(' ')}`)}`
  return `${MADE} fish.
${VERBS.map(({ name, help }) => `complete -c ${NAME} ${first} -a ${name} -d ${quoted(help)}`).join('\n')}
${OPTIONS.map(option).join('\n')}
`
}

/** The files of this directory, as the tables have them. */
export const completions = {
  [`${NAME}.bash`]: bash(),
  [`_${NAME}`]: zsh(),
  [`${NAME}.fish`]: fish()
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of Object.entries(completions)) writeFileSync(new URL(file, import.meta.url), text)
}
