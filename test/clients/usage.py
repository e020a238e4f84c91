# pyright: reportUnnecessaryTypeIgnoreComment=true
"""Uses the client. A type checker reports each mark of a mistake that it does not find. See types.unit.test.ts."""

from typing import List, Optional

from poh_attestations import AsyncClient, Client, Evidence, Subject


class Row(Subject, total=False):
    id: int


async def use(poh: Client, own: AsyncClient, token: Optional[str]) -> Optional[Evidence]:
    rows: List[Row] = [{"wallet": "W", "id": 1}]
    for found in poh.look_up_many(rows):
        print(found.subject, (await own.look_up(token=token))["hasVerifiedHuman"])
    own.look_up(token=token)["hasVerifiedHuman"]  # type: ignore
    subjects: List[Subject] = [{"walet": "W"}]  # type: ignore
    poh.look_up(walet=token)  # type: ignore
    print(subjects, poh.look_up(token=token)["hasVerifiedHumans"])  # type: ignore
    return poh.look_up_with_evidence(email="e", timeout=1)[1]
