#!/bin/bash
# The hourly job. It runs every step, also after one has failed, logs each that failed, and then fails itself. The copies
# and the audit are made once a day, and tried again every hour until they succeed. Of the audit, the log has only the
# summary, because findings contain wallets. Admins see the findings by running the audit themselves. The audit reads
# the address of the chain's endpoint from RPC_URL.
# shellcheck disable=SC2317  # it does not see that `step` calls the functions
set -uo pipefail
# The log, also where the output is kept.
exec 3>&1
failed=0
poh() { node "$(dirname "$0")/admin.mjs" --yes "$@"; }

# step NAME COMMAND...
step() {
  "${@:2}" || {
    printf '{"severity":"ERROR","message":"step failed","step":"%s","exitStatus":%d}\n' "$1" $?
    failed=1
  }
}

newest() { find "$COPIES" -name "*-$1" -size +0 -printf '%f\n' | sort | tail -n 1; }
is_fresh() { [[ $(newest "$1") > $(date -u -d '23 hours ago' +%FT%H%M) ]]; }

# daily NAME COMMAND...: keeps what the command prints, unless there is a copy of the last 23 hours. A copy is complete or
# missing.
daily() {
  is_fresh "$1" && return
  local file
  file=$(mktemp)
  "${@:2}" >"$file" && cp "$file" "$COPIES/$(date -u +%FT%H%M)-$1" && is_fresh "$1"
}

# Logs the summary, and prints it. Findings are no failure of this step, because the next one reports them.
audit() {
  local summary
  summary=$(poh attestations audit --program "$PROGRAM" --both-ways --json | grep '^{"message":"audit",')
  printf '%s\n' "$summary" >&3
  printf '%s\n' "$summary"
  [[ $summary == *'"complete":true'* ]]
}

# What they print is kept, to tell when they were last done.
count_key_use() { poh keys use && date; }
check_keys() { poh keys check >&3 && date; }
check_project() { node "$(dirname "$0")/deploy/check.mjs" >&3 && date; }

# Lookups by e-mail address find the wallet in Authentication, which has no backup.
step accounts daily accounts.json poh users export
# After a restore of Firestore, keys and admins that were revoked since are active. These lists revoke them again.
step keys daily keys.json poh keys list --json
step admins daily admins.json poh admins list --json
[[ -z ${PROGRAM-} ]] || step audit daily audit.json audit
audited=$(newest audit.json)
step status poh status update ${audited:+--audit "$COPIES/$audited"} \
  ${MAX_SYNC_HOURS:+"--max-sync-hours=$MAX_SYNC_HOURS"}
# The emulators have neither metrics nor settings.
if [[ -z ${FIRESTORE_EMULATOR_HOST-} ]]; then
  step keyUse daily keyUse.txt count_key_use
  step drift daily drift.txt check_project
fi
step keyCheck daily keyCheck.txt check_keys
[[ -z ${CANARY_KEY-} ]] || step canary poh status canary --url "$CANARY_URL" --wallet "$CANARY_WALLET"
exit "$failed"
