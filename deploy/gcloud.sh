# shellcheck shell=bash
# Functions that print each command, run it, print its result, and stop at the first failure.
# Sourced by apply.sh, which sets the project and whether this is a dry run.

heading() { printf '\n# %s\n' "$1"; }

# stop REASON HINT: prints why the script stops and what to do, and exits.
stop() {
  printf '\nStopped: %s\n%s\n' "$1" "$2" >&2
  exit 1
}

# What Google says of an account that is younger than a minute, and of a metric that is younger than ten minutes.
too_young='service account .* does not exist|cannot find metric'

# run COMMAND...: sets `output` to what the command prints on standard output.
run() {
  printf '+'
  printf ' %q' "$@"
  printf '\n'
  output=
  if "$dry_run"; then return; fi
  local status try
  # 36 tries take 12 minutes.
  for ((try = 1; try <= 36; try += 1)); do
    status=0
    output=$("$@" 2>"$work/stderr" </dev/null) || status=$?
    { printf '%s\n' "$output" && cat "$work/stderr"; } | sed '/^$/d; s/^/    /'
    if ((status == 0)); then printf '    done\n' && return; fi
    grep -qiE "$too_young" "$work/stderr" || break
    printf '    It is new, and Google needs some minutes. Trying again in 20 seconds.\n'
    sleep 20
  done
  stop "the last command ended with status $status." \
    'Later commands were not run. Fix the cause, then run the same command again. Earlier changes are kept.'
}

gc() { run gcloud "$@" --project "$project"; }

# list COMMAND...: sets `listed` to the output of the command. Each line is a resource: its KEY and the
# other values of --format, separated by tabs. Google's own filters are not used, because they match
# loosely; for example, name:repositories/poh also finds repositories/poh-images.
list() {
  gc "$@"
  listed=$output
}

# find_listed KEY: sets `found` to the line of `listed` with exactly this key, or to nothing.
find_listed() {
  found=$(awk -F '\t' -v key="$1" '$1 == key' <<<"$listed")
  [[ $found != *$'\n'* ]] || stop "there is more than one $1." \
    "This script cannot decide which one to use. Rename all but one of them, then run the same command again."
}

# column NUMBER: prints this column of the found line.
column() { cut -f "$1" <<<"$found"; }

# upsert KEY ::create CREATE... [::update UPDATE...]
# Creates the resource if `listed` does not have its key, and otherwise updates it. In UPDATE, {} is
# replaced with the second column.
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
    printf '  if "%s" does not exist:\n' "$key"
    gc "${create[@]}"
    ((${#update[@]} == 0)) || printf '  if it exists:\n'
  elif [[ -z $found ]]; then
    gc "${create[@]}"
    return
  else
    name=$(column 2)
  fi
  ((${#update[@]} == 0)) || gc "${update[@]//\{\}/$name}"
}
