"""What the guide does with failures, votes, many lookups and evidence."""

import json
import os
import sys
from typing import List

from poh_attestations import (
    Client,
    Refused,
    Subject,
    Unavailable,
    cast_poll_vote,
    supports,
    voted_in,
)

poh = Client(os.environ["POH_URL"], os.environ["POH_KEY"])


def votes() -> None:
    result = poh.look_up(token=os.environ["TOKEN"])
    voted = voted_in(result, os.environ["PROPOSAL"])
    supported = supports(result, os.environ["PROPOSAL"])
    in_poll = cast_poll_vote(result, os.environ["NULLIFIER_HASH"])
    print(f"voted: {voted}, supports: {supported}, in the poll: {in_poll}")


def many() -> None:
    waiting: List[Subject] = [
        {"wallet": os.environ["WALLET"]},
        {"wallet": "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"},
    ]
    humans: List[Subject] = []
    for attempt in range(1, 4):
        again: List[Subject] = []
        for found in poh.look_up_many(waiting, at_once=16):
            print(f"round {attempt}: {found.done} of {found.total}", file=sys.stderr)
            if found.result and found.result["hasVerifiedHuman"]:
                humans.append(found.subject)
            elif isinstance(found.error, Unavailable):
                again.append(found.subject)
            elif found.error:
                print(f"{found.subject}: {found.error}", file=sys.stderr)
        waiting = again
    print(f"verified humans: {len(humans)}, not looked up: {len(waiting)}")


def evidence() -> None:
    _, evidence = poh.look_up_with_evidence(token=os.environ["TOKEN"])
    if evidence is None:
        raise SystemExit("The platform does not sign its responses.")
    with open("evidence.json", "w", encoding="utf-8") as file:
        json.dump({"evidence": evidence, "keys": poh.public_keys()}, file)
    print("stored:", evidence["requestId"])


def failures() -> None:
    try:
        poh.look_up(token="00000000-0000-0000-0000-000000000000")
    except Unavailable:
        print("try again later")
    except Refused as failure:
        if failure.code != "token_not_found":
            raise
        print("ask for a new token")


votes()
many()
failures()
evidence()
