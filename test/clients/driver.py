"""Runs jobs with the clients in Python. See drivers.ts."""

import asyncio
import json
import os
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

from poh_attestations import AsyncClient, Client, PohError, RefusedError, wallet_mark


class Blocking:
    """`Client`, in threads, with the methods of `AsyncClient`."""

    def __init__(self, *address, **settings):
        self.client = Client(*address, **settings)

    async def look_up_with_evidence(self, **subject):
        return await asyncio.to_thread(self.client.look_up_with_evidence, **subject)

    async def look_up_many(self, *subjects, **settings):
        for found in await asyncio.to_thread(list, self.client.look_up_many(*subjects, **settings)):
            yield found


PROXY = os.environ["HTTPS_PROXY"]
ChosenClient = AsyncClient if sys.argv[1:] == ["async"] else Blocking


async def run(job):
    # One of many lookups has the limit of its client, and a single one its own.
    timeout, pause, subjects = job.get("timeout", 240), job.get("pause", 0.01), job.get("subjects")
    os.environ["HTTPS_PROXY"] = job.get("proxy", PROXY)
    client = ChosenClient(job["url"], job["key"], timeout=240 if subjects is None else timeout, pause=pause)
    if subjects is None:
        result, evidence = await client.look_up_with_evidence(**job["subject"], timeout=timeout)
        mark = wallet_mark(result)
        return {"result": result, "evidence": evidence, "walletMark": mark, "printed": f"{client!r} {client}"}
    return [
        {
            "token": found.subject.get("token"),
            "done": found.done,
            "total": found.total,
            "isHuman": found.result and found.result["hasVerifiedHuman"],
            "code": found.error.code if isinstance(found.error, RefusedError) else None,
        }
        async for found in client.look_up_many(subjects, at_once=job["atOnce"])
    ]


def kind_of(error):
    if isinstance(error, RefusedError):
        if error.is_about_subject:
            return "SubjectRefused"
        return "KeyRefused" if error.status in (401, 403) else "Refused"
    return {0: "ConnectionFailed", 429: "RateLimited"}.get(error.status, "Unavailable")


async def outcome(job):
    try:
        return {"kind": "ok", "text": "", "value": await run(job)}
    except PohError as error:
        return {
            "kind": kind_of(error),
            "text": traceback.format_exc() + repr(error),
            "status": error.status,
            "code": error.code,
            "requestId": error.request_id,
            "retryAfter": error.retry_after,
            "isAboutSubject": isinstance(error, RefusedError) and error.is_about_subject,
        }
    except ValueError:
        return {"kind": "invalid", "text": traceback.format_exc()}


async def main():
    groups = json.load(sys.stdin)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(max(map(len, groups))))
    print(json.dumps([each for jobs in groups for each in await asyncio.gather(*map(outcome, jobs))]))


asyncio.run(main())
