#!/bin/sh
# The scheduled audit: logs the summary alone. The findings name wallets, which belong in no log; an
# admin sees them by running the audit by hand.
set -u
report=$(mktemp)
node "$(dirname "$0")/admin.mjs" attestations audit --rpc "$RPC_URL" --program "$PROGRAM" --json >"$report"
status=$?
node -e '
  const text = require("node:fs").readFileSync(process.argv[1], "utf8");
  if (text) console.log(JSON.stringify({ message: "audit", ...JSON.parse(text).summary }));
' "$report"
exit "$status"
