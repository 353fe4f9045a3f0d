# Completion of bridge-admission for bash. Files are offered where nothing else is.
_bridge_admission() {
  local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} verb= i
  COMPREPLY=()
  offer() { COMPREPLY=($(compgen -W "$1" -- "$cur")); }
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      --) ((i + 1 == COMP_CWORD)) && COMPREPLY=($(compgen -c -- "$cur")); return ;;
      check | classify | watch) verb=${verb:-${COMP_WORDS[i]}} ;;
    esac
  done
  case ${COMP_WORDS[COMP_CWORD-1]} in
    -n | --intended) compopt +o default 2>/dev/null; return ;;
    --lane) offer $'bulk\nreserved\nnone'; return ;;
    --executor) offer $'host\nscoped-host\nnone'; return ;;
    --model) compopt +o default 2>/dev/null; return ;;
    --timeout) compopt +o default 2>/dev/null; return ;;
    --wait) compopt +o default 2>/dev/null; return ;;
    --bearer-file) return ;;
  esac
  if [[ $cur == -* ]]; then
    case ${verb:-check} in
      check) offer $'-n\n--intended\n--lane\n--executor\n--model\n--timeout\n--bearer-file\n--fail-open\n--wait\n--exec\n--json\n-q\n--quiet\n--ascii\n-h\n--help\n-V\n--version' ;;
      classify) offer $'--json\n-q\n--quiet\n-h\n--help\n-V\n--version' ;;
      watch) offer $'-n\n--intended\n--lane\n--executor\n--model\n--timeout\n--bearer-file\n--ascii\n-h\n--help\n-V\n--version' ;;
    esac
  elif [[ -z $verb ]]; then
    offer $'check\nclassify\nwatch'
  fi
}
complete -o default -F _bridge_admission bridge-admission
