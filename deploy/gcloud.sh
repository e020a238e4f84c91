# shellcheck shell=bash
# Runs one command after the other: prints each with its result, and stops at the first that fails.
# Sourced by apply.sh, which sets the project and whether this is a dry run.

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
      'Nothing after it was run. Fix the cause, then run the same again: what is done already is kept.'
  fi
}

gc() { run gcloud "$@" --project "$project"; }

# Sets `found` to what a command that lists prints, one thing at most.
look_up() {
  # Below an error it would warn of each filter that finds nothing.
  set -- "$@" --project "$project" --verbosity error
  show gcloud "$@"
  found=
  if "$dry_run"; then return; fi
  local status=0
  found=$(gcloud "$@" </dev/null) || status=$?
  ((status == 0)) || stop "the last command ended with status $status." \
    'Nothing was changed by it, and nothing after it was run. Fix the cause, then run the same again.'
  printf '    %s\n' "${found:-(none)}"
  [[ $found != *$'\n'* ]] || stop 'there is more than one of these.' \
    'Delete all but one of them, then run the same again.'
}

# upsert LOOK... ::create CREATE... [::update UPDATE...]
# Creates what LOOK does not find, and updates what it finds. {} stands for what was found.
upsert() {
  local part=look word
  local -a look=() create=() update=()
  for word; do
    case $word in
      ::create) part=create ;;
      ::update) part=update ;;
      *) case $part in
        look) look+=("$word") ;;
        create) create+=("$word") ;;
        update) update+=("$word") ;;
      esac ;;
    esac
  done
  look_up "${look[@]}"
  if "$dry_run"; then
    printf '  where that finds none:\n'
    gc "${create[@]}"
    ((${#update[@]} == 0)) || printf '  where it finds one:\n'
  elif [[ -z $found ]]; then
    # Which location it is to have was not said, and is not ours to choose.
    [[ " ${create[*]} " != *' LOCATION '* ]] || stop 'there is no Firestore database, and its location can never be changed.' \
      'Choose one with --firestore-location (https://firebase.google.com/docs/firestore/locations).'
    gc "${create[@]}"
    return
  fi
  ((${#update[@]} == 0)) || gc "${update[@]//\{\}/${found:-NAME}}"
}
