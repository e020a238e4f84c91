# pyright: reportUnnecessaryTypeIgnoreComment=true
"""Uses the client. A type checker reports each mark of a mistake that it does not find. See types.unit.test.ts."""

from typing import List, Optional

from poh_attestations import AsyncClient, Client, Evidence, PohError, Subject, UnavailableError, wallet_mark

poh = Client("https://poh.example", "key", timeout=5)
own = AsyncClient("https://poh.example", "key")


class Row(Subject, total=False):
    id: int


def right(token: Optional[str]) -> Optional[Evidence]:
    rows: List[Row] = [{"wallet": "W", "id": 1}]
    for found in poh.look_up_many(rows):
        print(found.done, found.total, found.subject, found.result and found.result["hasVerifiedHuman"], found.error)
    result, evidence = poh.look_up_with_evidence(email="e", timeout=1)
    print(result["requestId"], result.get("wallet"), result["attestations"][0]["status"], wallet_mark(result))
    return evidence


async def right_too(token: Optional[str]) -> bool:
    async for found in own.look_up_many([{"email": email} for email in ("a", "b")], at_once=2):
        print(found.subject)
    try:
        return (await own.look_up(token=token, timeout=1))["hasVerifiedHuman"]
    except PohError as error:
        return isinstance(error, UnavailableError) and error.retry_after > 0
    finally:
        await own.aclose()


async def wrong(token: str) -> None:
    own.look_up(token=token)["hasVerifiedHuman"]  # type: ignore
    subjects: List[Subject] = [{"walet": token}]  # type: ignore
    poh.look_up(walet=token)  # type: ignore
    print(subjects, poh.look_up(token=token)["hasVerifiedHumans"])  # type: ignore
