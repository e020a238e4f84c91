"""What the guide does with votes, many lookups and evidence. Evidence needs the package cryptography."""

import json
import os
import sys
import time

from poh_attestations import Client, cast_poll_vote, supports, verify_evidence, voted_in

poh = Client(os.environ["POH_URL"], os.environ["POH_KEY"])


def votes() -> None:
    result = poh.look_up(token=os.environ["TOKEN"])
    voted = voted_in(result, os.environ["PROPOSAL"])
    supported = supports(result, os.environ["PROPOSAL"])
    in_poll = cast_poll_vote(result, os.environ["NULLIFIER_HASH"])
    print(f"voted: {voted}, supports: {supported}, in the poll: {in_poll}")


def many() -> None:
    wallets = [{"wallet": wallet} for wallet in (os.environ["WALLET"], "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi")]
    humans = 0
    for found in poh.look_up_many(wallets):
        if found.error:
            print(f"{found.done} of {found.total}: {found.error}", file=sys.stderr)
        elif found.result["hasVerifiedHuman"]:
            humans += 1
    print(f"{humans} of {len(wallets)} are verified humans")


def evidence() -> None:
    _, evidence = poh.look_up_with_evidence(token=os.environ["TOKEN"])
    stored = json.dumps({"evidence": evidence, "keys": poh.public_keys(), "storedAt": time.time()})
    kept = json.loads(stored)
    print("signed:", verify_evidence(kept["evidence"], kept["keys"]).isoformat())


votes()
many()
evidence()
