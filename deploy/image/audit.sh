#!/bin/sh
# The scheduled audit. It logs only its summary, because findings contain wallets, which must not be logged. Admins see
# the findings by running the audit themselves. The audit reads the address of the chain's endpoint from RPC_URL.
exec node "$(dirname "$0")/admin.mjs" attestations audit --program "$PROGRAM" --try-both-ways --log
