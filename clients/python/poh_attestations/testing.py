"""Stands in for the operator in an integrator's tests: a transport that gives each documented answer, without a network.

    transport = answering({"a-token": "human", "an-old-token": "token_not_found", "down": "unreachable"})
    poh = Client("https://poh.example", "a-key", pause=0, transport=transport)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Union

import httpx

from ._responses import CODES, Attestation, nobody

# "human", "pending", "nobody", "unreachable", a code of the contract, or the fields of a result that differ from a
# human's.
Answer = Union[str, Mapping[str, Any]]

_ADDRESS = "2mB2uMWTbvdLrVJLTqNDGJPySjGN3mPLQ8rDuoKPWyNn"
# What the service says of a subject that it does not know.
_UNKNOWN = {"wallet": "nobody", "email": "email_not_found", "token": "token_not_found"}


def answering(answers: Mapping[str, Answer]) -> httpx.MockTransport:
    """Answers lookups by their subject, others as the service answers unknown ones. For both clients."""
    for answer in answers.values():
        if isinstance(answer, str) and answer not in ("human", "pending", "nobody", "unreachable", *CODES):
            raise ValueError(f"{answer!r} is not an answer of the service.")

    def respond(request: httpx.Request) -> httpx.Response:
        ((mode, subject),) = request.url.params.items()
        answer = answers.get(subject, _UNKNOWN[mode])
        headers = {"X-Request-Id": "a-request"}
        if answer == "unreachable":
            raise httpx.ConnectError("unreachable", request=request)
        if isinstance(answer, str) and answer in CODES:
            status, error = CODES[answer]
            return httpx.Response(status, headers=headers, json={"error": error, "code": answer})
        body: dict[str, Any] = {**nobody(), **({"wallet": subject} if mode == "wallet" else {})}
        if answer != "nobody":
            is_human = answer != "pending"
            attestation = _attestation(subject, "confirmed" if is_human else "pending")
            body.update(attestations=[attestation], count=1, hasVerifiedHuman=is_human)
        return httpx.Response(200, headers=headers, json={**body, **(answer if isinstance(answer, Mapping) else {})})

    return httpx.MockTransport(respond)


def _attestation(subject: str, status: str) -> Attestation:
    """That of a human. Its address, the wallet's mark, differs between subjects."""
    return {
        "attestationType": 0,
        "contextHashHex": "0" * 64,
        "status": status,
        "onChainAddress": (re.sub(r"[^1-9A-HJ-NP-Za-km-z]", "", subject) + _ADDRESS)[:44],
        "syncedAt": "2026-10-01T12:00:02.000Z",
        "createdAt": "2026-10-01T12:00:00.000Z",
    }
