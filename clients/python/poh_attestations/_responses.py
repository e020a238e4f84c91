"""Reads a response: a result, or the failure that it means. Nothing else of the response reaches the caller."""

from __future__ import annotations

import contextlib
import json
import math
import re
import time
from collections.abc import Collection
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, Optional, TypedDict, cast, get_origin, get_type_hints

import httpx

from ._errors import ConnectionFailed, Evidence, KeyRefused, PohError, RateLimited, Refused, SubjectRefused, Unavailable


# generated from contract/schemas.ts by npm run generate
class Attestation(TypedDict):
    attestationType: int
    contextHashHex: str
    status: str
    onChainAddress: str
    syncedAt: str
    createdAt: str


class _RequiredResultBody(TypedDict):
    attestations: list[Attestation]
    count: int
    hasVerifiedHuman: bool
    hasVoted: bool
    votedCount: int
    hasSupportedProposal: bool
    supportedCount: int


class ResultBody(_RequiredResultBody, total=False):
    wallet: str


# The status of each code, what it means, and what to do.
CODES = {
    "malformed_request": (400, "The request is not valid HTTP/1.1. Send one Host header and at most 16 KiB of headers."),
    "method_not_allowed": (405, "This method is not allowed. Use GET or HEAD."),
    "not_found": (404, "This path does not exist. Call /pohAttestationsEndpoint, followed only by the query."),
    "unauthorized": (401, "The API key is missing or not valid. Send a current key in the header X-PoH-API-Key."),
    "rate_limited": (429, "This API key has used up its reads. Try again after the number of seconds in Retry-After."),
    "missing_subject": (400, "No subject was supplied. Add one of the query parameters wallet, email or token."),
    "repeated_parameter": (400, "A subject parameter is given more than once. Send wallet, email or token only once."),
    "mode_not_allowed": (403, "This API key does not allow this kind of lookup. Use another parameter, or ask us for the right."),
    "invalid_wallet": (400, "The wallet is not a base58 address of 32 bytes. Check that it was copied completely."),
    "email_not_found": (404, "No wallet is known for this e-mail address. Check it, or ask the user for a wallet or token."),
    "token_not_found": (404, "This verification token is not valid. Ask the user to generate a new one."),
    "internal": (500, "The lookup failed on our side. Try again, and report the requestId if it fails again."),
}

# Refused with one of these, another subject may get a result.
ABOUT_SUBJECT = ("missing_subject", "invalid_wallet", "email_not_found", "token_not_found")
# end of the generated part


class LookupResult(ResultBody):
    """The body of a response, whose fields openapi.json on the site describes, with the id of the response. Quote it
    when you ask for help; empty if the response has none."""

    requestId: str


class Response(NamedTuple):
    """A complete response."""

    status: int
    headers: httpx.Headers
    content: bytes


class Looked(NamedTuple):
    """A result with its evidence, which is None if the operator does not sign its responses."""

    result: LookupResult
    evidence: Optional[Evidence]


_TYPES = {
    kind: {name: get_origin(hint) or hint for name, hint in get_type_hints(kind).items()}
    for kind in (_RequiredResultBody, Attestation)
}
_TOO_LONG = (414, 431)  # the statuses with which servers on the way refuse a long URL
_TEMPORARY = (408, 425, 429)  # the statuses below 500 that another attempt may not get
_LONG = "The subject is too long. Check it."


def key_end(response: Response) -> datetime | None:
    """When the key ends; None if it has no end."""
    with contextlib.suppress(ValueError):
        text = response.headers.get("X-PoH-Key-Ends", "")
        return datetime.fromisoformat(re.sub("Z$", "+00:00", text)).astimezone(timezone.utc)
    return None


def parse_response(response: Response, url: str, wallet: str | None, secrets: Collection[str]) -> Looked:
    """Raises Unavailable if a retry may help, and otherwise Refused."""
    status, headers, text = response.status, response.headers, ""
    body: Any = None
    try:
        text = response.content.decode()
        body = json.loads(text, parse_float=_parse_number)
    except UnicodeDecodeError:
        if status == 200:
            raise ConnectionFailed("a response that is not UTF-8") from None
    except (ValueError, RecursionError):
        pass  # It is not from the service.
    # In the other modes, a wallet would mean that the response is for another request.
    if status == 200 and _is_result(body) and body.get("wallet") == wallet:
        result = {**body, "requestId": headers.get("X-Request-Id", "")}
        return Looked(cast(LookupResult, result), _evidence(url, response, text))

    def word(text: object) -> str:
        """Only a plain word, because another server may repeat the key or the subject in any text."""
        is_plain = isinstance(text, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", text)
        return str(text) if is_plain and not any(len(each) > 7 and each in str(text) for each in secrets) else ""

    fields = body if isinstance(body, dict) else {}
    code = word(fields.get("code")) if isinstance(fields.get("error"), str) else ""
    failure, advice = _failure(status, code)
    failure.request_id = word(fields.get("requestId")) or word(headers.get("X-Request-Id"))
    failure.message = f"HTTP {status} {code}".rstrip() + (failure.request_id and f", request {failure.request_id}")
    failure.message += advice
    failure.status = status
    if isinstance(failure, Unavailable):
        failure.retry_after = _retry_after(headers)
    if isinstance(failure, SubjectRefused) and code in ABOUT_SUBJECT:
        failure.evidence = _evidence(url, response, text)
    raise failure


def _evidence(url: str, response: Response, body: str) -> Evidence | None:
    headers = response.headers
    evidence: Evidence = {
        "url": url,
        "status": response.status,
        "body": body,
        "requestId": headers.get("X-Request-Id", ""),
        "signatureInput": headers.get("Signature-Input", ""),
        "signature": headers.get("Signature", ""),
    }
    return evidence if evidence["signature"] else None


def _failure(status: int, code: str) -> tuple[PohError, str]:
    """Returns the failure, and what to do."""
    if not 300 <= status < 500 or status in _TEMPORARY:
        kind = RateLimited if status == 429 else Unavailable
        return kind(code=code), ", not from the service" if status == 200 else ""
    advice = f". {CODES[code][1]}" if code in CODES else ". This version of the client does not know the code."
    if status >= 400 and code:
        if code == "malformed_request":
            return SubjectRefused(code=code), f". {_LONG}"  # The client always sends valid HTTP.
        about = SubjectRefused if code in ABOUT_SUBJECT else KeyRefused if status in (401, 403) else Refused
        return about(code=code), advice
    if status in _TOO_LONG:
        return SubjectRefused(code="not_the_service"), f". {_LONG}"
    what = "It is a redirect, which is not followed" if status < 400 else "It is not from the service"
    return Refused(code="not_the_service"), f". {what}. Check the address of the service in POH_URL."


def _parse_number(text: str) -> float | int:
    """In JSON, 1.0 is an integer."""
    number = float(text)
    return int(number) if number.is_integer() else number


def _retry_after(headers: httpx.Headers) -> int:
    """Reads a number of seconds or a date, the first of several; 0 if there is neither."""
    text = next(iter(headers.get_list("Retry-After")), "").strip()
    if number := re.match(r"\d{1,20}(\.\d+)?(?=\s*(,|$))", text):
        return math.ceil(float(number[0]))
    with contextlib.suppress(ValueError, TypeError, IndexError):
        return max(0, math.ceil(parsedate_to_datetime(text).timestamp() - time.time()))
    return 0


def _fits(value: Any, kind: type) -> bool:
    return isinstance(value, dict) and all(type(value.get(name)) is field for name, field in _TYPES[kind].items())


def _is_result(body: Any) -> bool:
    return _fits(body, _RequiredResultBody) and all(_fits(entry, Attestation) for entry in body["attestations"])


def nobody() -> dict[str, Any]:
    """A result without attestations."""
    return {name: kind() for name, kind in _TYPES[_RequiredResultBody].items()}


def wallet_mark(result: LookupResult) -> str | None:
    """Identifies a wallet, without containing its address. The chain's public transactions may show the address. Every
    lookup of the wallet returns the same mark, in every mode and for every project. None if the wallet's holder is not
    a verified human."""
    found = (each for each in result["attestations"] if (each["attestationType"], each["status"]) == (0, "confirmed"))
    return next((each["onChainAddress"] for each in found), None)
