"""Runs jobs with the clients in Python. See drivers.ts."""

import asyncio
import json
import os
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

from poh_attestations import AsyncClient, Client, PohError, SubjectRefused, wallet_mark


class Blocking:
    """`Client`, in threads, with the methods of `AsyncClient`."""

    def __init__(self, *address, **settings):
        self.client = Client(*address, **settings)

    @property
    def key_ends(self):
        return self.client.key_ends

    async def look_up_with_evidence(self, **subject):
        return await asyncio.to_thread(self.client.look_up_with_evidence, **subject)

    async def look_up_many(self, *subjects, **settings):
        for found in await asyncio.to_thread(list, self.client.look_up_many(*subjects, **settings)):
            yield found


PROXY = os.environ["HTTPS_PROXY"]
ChosenClient = AsyncClient if sys.argv[1:] == ["async"] else Blocking


async def run(job, told):
    # One of many lookups has the limit of its client, and a single one its own.
    timeout, pause, subjects = job.get("timeout", 240), job.get("pause", 0.01), job.get("subjects")
    os.environ["HTTPS_PROXY"] = job.get("proxy", PROXY)
    client = ChosenClient(
        job["url"],
        job["key"],
        timeout=240 if subjects is None else timeout,
        pause=pause,
        on_attempt=lambda attempt: told.append(attempt_of(attempt, client.key_ends)),
        allow_plain_http=job.get("allowPlainHttp", False),
    )
    if subjects is None:
        result, evidence = await client.look_up_with_evidence(**job["subject"], timeout=timeout)
        mark = wallet_mark(result)
        return {"result": result, "evidence": evidence, "walletMark": mark, "printed": f"{client!r} {client}"}
    names = {"atOnce": "at_once", "maxWait": "max_wait"}
    options = {names[name]: value for name, value in job.items() if name in names}
    return [
        {
            "token": found.subject.get("token"),
            "index": found.index,
            "done": found.done,
            "total": found.total,
            "isHuman": found.result and found.result["hasVerifiedHuman"],
            **(failure_of(found.error) if found.error else {"kind": "ok"}),
            "evidence": found.evidence,
        }
        async for found in client.look_up_many(subjects, **options)
    ]


def attempt_of(attempt, ends):
    names = {"seconds": "ms", "request_id": "requestId"}
    fields = {names.get(name, name): value for name, value in vars(attempt).items()}
    ends = ends and ends.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    return {**fields, "ms": attempt.seconds * 1000, "keyEnds": ends}


def failure_of(error):
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__)) + repr(error)
    if not isinstance(error, PohError):
        return {"kind": "invalid", "text": text}
    return {
        "kind": type(error).__name__,
        "text": text,
        "status": error.status,
        "code": error.code,
        "requestId": error.request_id,
        "retryAfter": error.retry_after,
        "evidence": error.evidence if isinstance(error, SubjectRefused) else None,
    }


async def outcome(job):
    told = []
    try:
        return {"kind": "ok", "text": "", "value": await run(job, told), "told": told}
    except (PohError, TypeError, ValueError) as error:
        return {**failure_of(error), "told": told}


async def main():
    groups = json.load(sys.stdin)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max(map(len, groups))))
    print(json.dumps([each for jobs in groups for each in await asyncio.gather(*map(outcome, jobs))]))


asyncio.run(main())
