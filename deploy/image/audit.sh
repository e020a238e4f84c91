#!/bin/sh
# The scheduled audit. It logs only its summary, because findings contain wallets, which must not be logged. Admins see
# the findings by running the audit themselves.
exec node "$(dirname "$0")/admin.mjs" attestations audit --rpc "$RPC_URL" --program "$PROGRAM" --try-both-ways --log
