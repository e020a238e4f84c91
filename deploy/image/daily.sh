#!/bin/bash
# The daily job. First it copies to the bucket what no backup of Firestore has. Then it audits the mirror, unless PROGRAM is
# empty. It logs only the audit's summary, because findings contain wallets, which must not be logged. Admins see the
# findings by running the audit themselves. The audit reads the address of the chain's endpoint from RPC_URL.
set -euo pipefail
poh() { node "$(dirname "$0")/admin.mjs" "$@"; }

# copy NAME COMMAND...: a copy is complete or missing.
copy() {
  local file
  file=$(mktemp)
  poh "${@:2}" >"$file"
  cp "$file" "$COPIES/$(date -u +%FT%H%M)-$1"
}
# Lookups by e-mail address find the wallet in Authentication, which has no backup.
copy accounts.json users export
# After a restore of Firestore, keys and admins that were revoked since are active. These lists revoke them again.
copy keys.json keys list --json
copy admins.json admins list --json

# Admins see how much each key is used. The log gets the keys that end soon, and records with wrong fields. If this fails,
# the job does too, after the audit.
failed=0
{ poh --yes keys use && poh keys check; } || failed=1

[[ -n ${PROGRAM-} ]] || exit "$failed"
# It succeeds despite findings (exit status 1), because another alert reports them.
{ poh attestations audit --program "$PROGRAM" --both-ways --json || [[ $? == 1 ]]; } | grep '^{"message":"audit",'
exit "$failed"
