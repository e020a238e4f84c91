# pyright: reportUnnecessaryTypeIgnoreComment=true
"""Uses the client. A type checker reports each mark of a mistake that it does not find. See types.unit.test.ts."""

import csv
from typing import AsyncIterator, Dict, List, Optional

from poh_attestations import AsyncClient, Client, Evidence, Subject


class Row(Subject, total=False):
    id: int


async def each() -> AsyncIterator[Row]:
    yield {"wallet": "W", "id": 1}


async def use(poh: Client, own: AsyncClient, token: Optional[str]) -> Optional[Evidence]:
    async for found in own.look_up_many(each()):
        if found.error is None:
            print(found.subject.get("id"), found.result["hasVerifiedHuman"], (await own.look_up(token=token))["count"])
    rows: List[Dict[str, str]] = [{"wallet": "W", "name": "own column"}]
    for row in poh.look_up_many(csv.DictReader([]), max_wait=60):
        print(row.subject["name"])
    for one in poh.look_up_many(rows):
        if one.error is not None:
            print(one.index, one.error)
        else:
            print(one.result["hasVerifiedHuman"], one.evidence)
            print(one.result["hasVerifiedHumans"])  # type: ignore
        print(one.result["hasVerifiedHuman"])  # type: ignore
    own.look_up(token=token)["hasVerifiedHuman"]  # type: ignore
    subjects: List[Subject] = [{"walet": "W"}]  # type: ignore
    poh.look_up(walet=token)  # type: ignore
    print(subjects, poh.look_up(token=token)["hasVerifiedHumans"])  # type: ignore
    return poh.look_up_with_evidence(email="e", timeout=1)[1]
