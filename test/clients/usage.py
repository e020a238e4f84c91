"""Uses the client as the guide does. types.unit.test.ts checks its types, and that each line marked WRONG is one."""

from typing import List

from poh_attestations import Client, Evidence, Refused, Subject, Unavailable, voted_in

poh = Client("https://poh.example", "key")


class Row(Subject, total=False):
    id: int


def right(token: str, evidence: Evidence) -> bool:
    try:
        result = poh.look_up(token=token)
    except Refused as error:
        return error.code == "token_not_found"
    except Unavailable as error:
        print(error.status, error.code, error.request_id, error.retry_after)
        return False
    rows: List[Row] = [{"wallet": "W", "id": 1}]
    for found in poh.look_up_many(rows):
        if found.result:
            print(found.done, found.total, found.result["hasVerifiedHuman"], found.subject)
    for found in poh.look_up_many([{"wallet": wallet} for wallet in ("a", "b")]):
        print(found.error)
    print(evidence["signature"], poh.public_keys()[0]["kid"])
    print(result["requestId"], result.get("wallet"), result["attestations"][0]["status"])
    return result["hasVerifiedHuman"] and voted_in(result, "P")


def wrong(token: str) -> None:
    subjects: List[Subject] = [{"walet": token}]  # WRONG
    poh.look_up(walet=token)  # WRONG
    print(subjects, poh.look_up(token=token)["hasVerifiedHumans"])  # WRONG
