# shellcheck shell=bash
# Runs one command after the other, prints each with its result, and stops at the first that fails.
# Sourced by apply.sh, which sets the project and whether this is a dry run.

listed=
found=

heading() { printf '\n# %s\n' "$1"; }

# Prints a command as it can be typed.
show() {
  printf '+'
  local word
  for word; do
    if [[ $word =~ ^[A-Za-z0-9_./:=@,%+~-]+$ ]]; then printf ' %s' "$word"; else printf " '%s'" "${word//\'/\'\\\'\'}"; fi
  done
  printf '\n'
}

# stop REASON HINT
stop() {
  printf '\nStopped: %s\n%s\n' "$1" "$2" >&2
  exit 1
}

run() {
  show "$@"
  if "$dry_run"; then return; fi
  local output status=0
  output=$("$@" 2>&1 </dev/null) || status=$?
  if [[ -n $output ]]; then printf '%s\n' "$output" | sed 's/^/    /'; fi
  if ((status == 0)); then
    printf '    done\n'
  else
    stop "the last command ended with status $status." \
      'Nothing after it was run. Fix the cause, then run the same again. What is done already is kept.'
  fi
}

gc() { run gcloud "$@" --project "$project"; }

# list COMMAND...: sets `listed` to what the command prints, one line per resource: KEY, then what else
# its --format names, separated by tabs. Google's own filters are not used, because they match loosely:
# name:repositories/poh also finds repositories/poh-images.
list() {
  set -- "$@" --project "$project"
  show gcloud "$@"
  listed=
  if "$dry_run"; then return; fi
  local status=0
  listed=$(gcloud "$@" </dev/null) || status=$?
  ((status == 0)) || stop "the last command ended with status $status." \
    'Nothing was changed by it, and nothing after it was run. Fix the cause, then run the same again.'
  [[ -z $listed ]] || printf '%s\n' "$listed" | sed 's/^/    /'
}

# find_listed KEY: sets `found` to the line of `listed` that begins with exactly this key; empty where none does.
find_listed() {
  found=$(awk -F '\t' -v key="$1" '$1 == key' <<<"$listed")
  [[ $found != *$'\n'* ]] || stop "there is more than one $1." \
    "This script cannot know which one is meant. Rename all but one of them, then run the same again."
}

# column NUMBER: of the line that was found.
column() { cut -f "$1" <<<"$found"; }

# upsert KEY ::create CREATE... [::update UPDATE...]
# Creates what `listed` does not have, and updates what it has. {} stands for its second column.
upsert() {
  local key=$1 part='' word
  local -a create=() update=()
  shift
  for word; do
    case $word in
      ::*) part=${word#::} ;;
      *) if [[ $part == create ]]; then create+=("$word"); else update+=("$word"); fi ;;
    esac
  done
  find_listed "$key"
  local name=NAME
  if "$dry_run"; then
    printf '  if there is no %s:\n' "$key"
    gc "${create[@]}"
    ((${#update[@]} == 0)) || printf '  if there is:\n'
  elif [[ -z $found ]]; then
    gc "${create[@]}"
    return
  else
    name=$(column 2)
  fi
  ((${#update[@]} == 0)) || gc "${update[@]//\{\}/$name}"
}
