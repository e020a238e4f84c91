"""Runs jobs with the client in Python. See drivers.ts."""

import http.client
import json
import os
import resource
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

from poh_attestations import (
    Client, Refused, Unavailable, cast_poll_vote, supports, voted_in, wallet_mark,
)


def in_processes(client, groups):
    """Looks up each group in a process of its own. Forks immediately after a lookup, which is the worst moment."""
    # Closed by the parent once all processes exist, so that they begin together.
    gate, opener = os.pipe()
    answers = []
    for group in groups:
        answer, writer = os.pipe()
        client.look_up(token="human-parent-0")
        if os.fork() == 0:
            os.close(opener)
            os.read(gate, 1)
            try:
                found = [client.look_up(**subject)["hasVerifiedHuman"] for subject in group]
            except Exception as error:
                found = [repr(error)]
            os.write(writer, json.dumps(found).encode())
            os._exit(0)
        os.close(writer)
        answers.append(answer)
    os.close(opener)
    found = [json.loads(b"".join(iter(lambda: os.read(answer, 2**16), b""))) for answer in answers]
    client.look_up(token="human-parent-1")
    return found


def run(job):
    if job["action"] == "read":
        result = job["result"]
        return {
            "votedIn": voted_in(result, job["proposal"]),
            "supports": supports(result, job["proposal"]),
            "castPollVote": cast_poll_vote(result, job["hash"]),
            "walletMark": wallet_mark(result),
        }
    through = job.get("through")
    connect = (lambda: http.client.HTTPConnection(through)) if through else None
    limits = {"timeout": job.get("timeout", 15), "pause": job.get("pause", 0.01)}
    client = Client(job.get("url"), job.get("key"), connect=connect, **limits)
    if job["action"] == "processes":
        return in_processes(client, job["groups"])
    if job["action"] == "many":
        found = [
            {
                "token": found.subject["token"],
                "done": found.done,
                "total": found.total,
                "isHuman": found.result and found.result["hasVerifiedHuman"],
                "code": found.error.code if isinstance(found.error, Refused) else None,
            }
            for found in client.look_up_many(job["subjects"], at_once=job["atOnce"])
        ]
        return {"found": found, "peakKiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}
    result, evidence = client.look_up_with_evidence(**job["subject"])
    return {"result": result, "evidence": evidence, "printed": f"{client!r} {client}"}


def outcome(job):
    try:
        return {"kind": "ok", "text": "", "value": run(job)}
    except (Refused, Unavailable) as error:
        kind = type(error).__name__.lower()
        text = traceback.format_exc() + repr(error)
        more = {"retryAfter": error.retry_after} if getattr(error, "retry_after", None) else {}
        if isinstance(error, Refused):
            more["isAboutSubject"] = error.is_about_subject
        return {"kind": kind, "text": text, "status": error.status, "code": error.code, "requestId": error.request_id, **more}
    except ValueError:
        return {"kind": "invalid", "text": traceback.format_exc()}


jobs = json.load(sys.stdin)
with ThreadPoolExecutor(len(jobs)) as executor:
    print(json.dumps(list(executor.map(outcome, jobs))))
