"""Runs jobs with the clients in Python. See drivers.ts."""

import asyncio
import json
import os
import resource
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

import httpx
from poh_attestations import AsyncClient, Client, PohError, RefusedError, supports, voted_in, wallet_mark


class Blocking:
    """`Client`, in threads, with the methods of `AsyncClient`."""

    def __init__(self, *address, **settings):
        self.client = Client(*address, **settings)

    async def look_up_with_evidence(self, **subject):
        return await asyncio.to_thread(self.client.look_up_with_evidence, **subject)

    async def look_up_many(self, *subjects, **settings):
        for found in await asyncio.to_thread(list, self.client.look_up_many(*subjects, **settings)):
            yield found


class Through(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A user's own transport, which sends requests to another server."""

    def __init__(self, host):
        self.host, self.port = host.split(":")

    def turned(self, request):
        url = request.url.copy_with(host=self.host, port=int(self.port))
        return httpx.Request("GET", url, headers=request.headers, extensions=request.extensions)

    def handle_request(self, request):
        return httpx.HTTPTransport().handle_request(self.turned(request))

    async def handle_async_request(self, request):
        return await httpx.AsyncHTTPTransport().handle_async_request(self.turned(request))


ChosenClient = AsyncClient if sys.argv[1:] == ["async"] else Blocking


def look_up(client, **subject):
    if isinstance(client, Blocking):
        return client.client.look_up(**subject)
    return asyncio.run(client.look_up(**subject))


def in_processes(client, groups):
    """Looks up each group in a process of its own. Forks immediately after a lookup, which is the worst moment."""
    # Closed by the parent once all processes exist, so that they begin together.
    gate, opener = os.pipe()
    answers = []
    [mode] = groups[0][0]
    for group in groups:
        answer, writer = os.pipe()
        look_up(client, **{mode: "human-parent-0"})
        if os.fork() == 0:
            os.close(opener)
            os.read(gate, 1)
            try:
                found = [look_up(client, **subject)["hasVerifiedHuman"] for subject in group]
            except Exception as error:
                found = [repr(error)]
            os.write(writer, json.dumps(found).encode())
            os._exit(0)
        os.close(writer)
        answers.append(answer)
    os.close(opener)
    found = [json.loads(b"".join(iter(lambda: os.read(answer, 2**16), b""))) for answer in answers]
    look_up(client, **{mode: "human-parent-1"})
    return found


def read(job):
    result = job["result"]
    return {
        "votedIn": voted_in(result, job["proposal"]),
        "supports": supports(result, job["proposal"]),
        "walletMark": wallet_mark(result),
    }


async def run(job):
    if job["action"] == "read":
        return read(job)
    transport = Through(job["through"]) if "through" in job else None
    # One of many lookups has the limit of its client, and a single one its own.
    timeout = job.get("timeout", 240)
    limits = {"timeout": timeout if job["action"] == "many" else 240, "pause": 0.01}
    client = ChosenClient(job.get("url"), job.get("key"), transport=transport, **limits)
    if job["action"] == "processes":
        return await asyncio.to_thread(in_processes, client, job["groups"])
    if job["action"] == "many":
        found = [
            {
                "token": found.subject["token"],
                "done": found.done,
                "total": found.total,
                "isHuman": found.result and found.result["hasVerifiedHuman"],
                "code": found.error.code if isinstance(found.error, RefusedError) else None,
            }
            async for found in client.look_up_many(job["subjects"], at_once=job["atOnce"])
        ]
        return {"found": found, "peakKiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}
    result, evidence = await client.look_up_with_evidence(**job["subject"], timeout=timeout)
    return {"result": result, "evidence": evidence, "printed": f"{client!r} {client}"}


async def outcome(job):
    try:
        return {"kind": "ok", "text": "", "value": await run(job)}
    except PohError as error:
        more = {"retryAfter": error.retry_after} if error.retry_after else {}
        if isinstance(error, RefusedError):
            more["isAboutSubject"] = error.is_about_subject
        return {
            "kind": type(error).__name__.lower().removesuffix("error"),
            "text": traceback.format_exc() + repr(error),
            "status": error.status,
            "code": error.code,
            "requestId": error.request_id,
            **more,
        }
    except ValueError:
        return {"kind": "invalid", "text": traceback.format_exc()}


async def main():
    jobs = json.load(sys.stdin)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(len(jobs)))
    print(json.dumps(await asyncio.gather(*map(outcome, jobs))))


asyncio.run(main())
