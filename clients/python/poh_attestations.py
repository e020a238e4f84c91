# Copyright (c) 2026 The PoH attestations authors.
# SPDX-License-Identifier: MIT

"""Looks up Proof-of-Humanity attestations. Needs Python 3.9 and httpx 0.23, or later.

    from poh_attestations import Client, RefusedError, UnavailableError

    result = Client("https://PROJECT.web.app", key).look_up(token=token)
    if result["hasVerifiedHuman"]: ...

`AsyncClient` has the same methods for asyncio.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import json
import math
import os
import random
import re
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import SimpleNamespace
from typing import Any, Generic, Optional, TypedDict, TypeVar, cast, get_origin, get_type_hints
from urllib.parse import quote
from urllib.request import getproxies, proxy_bypass

import httpx

__version__ = "1.0.0"
__all__ = ["AsyncClient", "Attestation", "Client", "Evidence", "Found", "LookupResult", "PohError"]
__all__ += ["RefusedError", "Subject", "UnavailableError", "wallet_mark"]


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
    "missing_subject": (400, "No subject was supplied. Add one of the query parameters wallet, email or token."),
    "repeated_parameter": (400, "A subject parameter is given more than once. Send wallet, email or token only once."),
    "invalid_wallet": (400, "The wallet is not a base58 address of 32 bytes. Check that it was copied completely."),
    "malformed_request": (400, "The request is not valid HTTP/1.1. Send one Host header and at most 16 KiB of headers."),
    "unauthorized": (401, "The API key is missing or not valid. Send a current key in the header X-PoH-API-Key."),
    "mode_not_allowed": (403, "This API key does not allow this kind of lookup. Use another parameter, or ask us for the right."),
    "email_not_found": (404, "No wallet is known for this e-mail address. Check it, or ask the user for a wallet or token."),
    "token_not_found": (404, "This verification token is not valid. Ask the user to generate a new one."),
    "not_found": (404, "This path does not exist. Call /pohAttestationsEndpoint, followed only by the query."),
    "method_not_allowed": (405, "This method is not allowed. Use GET or HEAD."),
    "rate_limited": (429, "This API key has used up its reads. Try again after the number of seconds in Retry-After."),
    "internal": (500, "The lookup failed on our side. Try again, and report the requestId if it fails again."),
}
# end of the generated part


class LookupResult(ResultBody):
    """The body of a response, whose fields openapi.json on the site describes, with the id of the response. Quote it
    when you ask for help; empty if the response has none."""

    requestId: str


class Subject(TypedDict, total=False):
    """The person to look up. Exactly one of the three is set."""

    wallet: str
    email: str
    token: str


# The parts of a signed response to store as JSON. They contain the subject, so treat them as personal data.
Evidence = dict[str, str]


@dataclass(eq=False)
class PohError(Exception):
    """A lookup has no result, so admit nobody."""

    message: str
    status: int = 0  # the HTTP status of the last response; 0 if there was none
    code: str = ""  # its code; empty if it has none
    request_id: str = ""  # its id, to quote when you ask for help; empty if it has none
    retry_after: int = 0  # the seconds that the service asked to wait; 0 if it did not

    def __str__(self) -> str:
        return self.message


class RefusedError(PohError):
    """The service refused the lookup, and a retry would not help. Branch on `code`, which is `missing_subject` if
    nothing was sent because the subject is empty, and `not_the_service` if another server responded."""

    @property
    def is_about_subject(self) -> bool:
        """Whether the same client may succeed with another subject."""
        if self.code in ("not_found", "not_the_service"):
            return self.status in _TOO_LONG
        return self.status not in (401, 403, 405)


class UnavailableError(PohError):
    """No attempt succeeded in time. Try again later."""


@dataclass(frozen=True)
class Found:
    """One of many lookups, with its result or its error. So far, `done` of `total` lookups are finished."""

    subject: Subject
    done: int
    total: int
    result: LookupResult | None
    error: PohError | None


_ATTEMPTS = 4
_BODY_MAX_BYTES = 64 * 2**20  # Google Cloud sends at most 32 MB
_PAUSE_MAX = 30  # seconds; if the service asks for a longer pause, the lookup fails immediately
_IDLE_MAX = 5  # seconds; networks forget idle connections without telling
_CANCELLATIONS = 10  # of a request; anyio 3 loses some of them, up to three as seen
_TIMEOUTS = (httpx.TimeoutException, TimeoutError)
_TOO_LONG = (414, 431)  # the statuses with which servers on the way refuse a long URL
_certificates = functools.cache(httpx.create_ssl_context)  # loading them takes as long as many lookups
_TYPES = {
    kind: {name: get_origin(hint) or hint for name, hint in get_type_hints(kind).items()}
    for kind in (_RequiredResultBody, Attestation)
}
_Text = Optional[str]
_Gate = SimpleNamespace  # the earliest time of the next request, which all lookups of one call share
_Looked = tuple[LookupResult, Optional[Evidence]]
_One = TypeVar("_One")
_OneWithEvidence = TypeVar("_OneWithEvidence")


class _Base(Generic[_One, _OneWithEvidence]):
    """What both clients do. It waits only in `_send`, `_sleep` and `_first_of`, where `Client` blocks instead."""

    def __init__(
        self, url: str | None, key: str | None, *, timeout: float = 10, pause: float = 1, transport: Any = None
    ) -> None:
        """
        url        the address of the platform, such as https://PROJECT.web.app
        key        the API key of your project
        timeout    seconds until a lookup fails; an attempt gets at most half of them
        pause      seconds before the second attempt; doubled before each further attempt
        transport  a transport of httpx, such as httpx.MockTransport; by default with TLS, and the proxy in HTTPS_PROXY

        Raises ValueError if the address, the key or the proxy is unusable.
        """
        address, self._key = _parse_url(_trimmed(url)), _trimmed(key)
        is_loopback = re.fullmatch(r"localhost|127(\.\d{1,3}){3}|::1", address.host)
        if not (address.scheme == "https" or (address.scheme == "http" and is_loopback)) or "@" in str(address):
            raise ValueError(
                'Set the address of the service to https://…, without a user name, "?" and "#". '
                "Only for this machine (127.0.0.1, localhost) it may be http://, because others could read the key."
            )
        if not re.fullmatch(r"[ -~]+", self._key):
            raise ValueError("The API key is missing, or contains a character that keys do not have. Copy it again.")
        self._url = str(address).rstrip("/")
        self._timeout, self._pause, self._transport = timeout, pause, transport
        self._settings = {} if transport else _transport_settings(address)
        self._held: tuple[object, Any] = (None, None)

    def _connections(self, owner: object, create: Callable[..., Any]) -> Any:
        """The open connections of a process or an event loop, which another one must not use.

        Not a client of httpx, which would log each URL with its subject, and keep cookies.
        """
        held = self._held
        if held[0] != owner:
            held = self._held = (owner, self._transport or create(**self._settings))
        return held[1]

    def look_up(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> _One:
        """Looks up one subject. Raises RefusedError or UnavailableError; in both cases admit nobody."""
        return cast(_One, self._run(self._result({"wallet": wallet, "email": email, "token": token}, timeout)))

    def look_up_with_evidence(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> _OneWithEvidence:
        """Also returns evidence that proves the result later, or None if the platform does not sign its responses."""
        looked = self._look_up({"wallet": wallet, "email": email, "token": token}, timeout)
        return cast(_OneWithEvidence, self._run(looked))

    async def _result(self, *lookup: Any) -> LookupResult:
        return (await self._look_up(*lookup))[0]

    async def _look_up(self, subject: Mapping[str, Any], timeout: float | None, gate: _Gate | None = None) -> _Looked:
        mode, value = _parse_subject(subject)
        # Not urlencode, because it encodes a space as "+", which the service reads as a plus sign.
        url = f"{self._url}/pohAttestationsEndpoint?{mode}={quote(value, safe='', errors='replace')}"
        headers = {"User-Agent": f"poh-attestations-python/{__version__}", "X-PoH-API-Key": self._key}
        if mode != "wallet":
            # Its response does not name the subject, so it must not be one that an earlier request left behind. httpx
            # keeps bytes that follow a response for the next one, and does not tell.
            headers["Connection"] = "close"
        timeout = self._timeout if timeout is None else timeout
        # One of many lookups also waits as long as the service asks, so only its attempts have a limit.
        gate, ends_at = (gate, math.inf) if gate else (_Gate(opens_at=0.0), time.monotonic() + timeout)
        attempt, pause, failed = 0, 0.0, UnavailableError("the service asked another lookup to wait")
        while attempt < _ATTEMPTS and await self._wait(pause, gate, ends_at):
            attempt += 1
            limit = min(timeout / 2, ends_at - time.monotonic())
            until = time.monotonic() + limit
            # Limits each step, such as connecting, to what is left.
            left = SimpleNamespace(get=lambda *_: max(until - time.monotonic(), 0.001))
            request = httpx.Request("GET", url, headers=headers, extensions={"timeout": left})
            try:
                response, content = await self._send(request, until)
                return _parse_response(response, content, url, mode, value, self._key)
            except RefusedError:
                raise
            except Exception as error:  # noqa: BLE001 because nothing else may reach the caller
                if isinstance(error, _TIMEOUTS):
                    self._held = (None, None)  # The network may have lost the idle connections too.
                failed = error if isinstance(error, UnavailableError) else _unavailable(error, limit)
            gate.opens_at = max(gate.opens_at, time.monotonic() + failed.retry_after)
            pause = self._pause * (2 ** (attempt - 1) + random.random())
        after = f"in {failed.retry_after} s" if failed.retry_after else "later"
        failed.message = f"Attempt {attempt} of {_ATTEMPTS} failed ({failed}). Try again {after}."
        raise failed

    async def _wait(self, pause: float, gate: _Gate, ends_at: float) -> bool:
        """Waits for the pause, and until the gate opens. Returns False at once if that would take too long."""
        resumes_at = time.monotonic() + pause
        # Another lookup may move the gate meanwhile.
        while (wait := max(resumes_at, gate.opens_at) - time.monotonic()) > 0:
            if time.monotonic() + wait >= ends_at or gate.opens_at - time.monotonic() > _PAUSE_MAX:
                return False
            await self._sleep(wait)
        return time.monotonic() < ends_at

    async def _look_up_one(self, subject: Subject, gate: _Gate) -> tuple[LookupResult | None, Exception | None]:
        try:
            return await self._result(subject, None, gate), None
        except Exception as error:  # noqa: BLE001 because asyncio would log one that nobody waits for
            return None, error

    async def _look_up_many(self, subjects: Sequence[Subject], at_once: int) -> AsyncGenerator[Found, None]:
        gate, waiting, done, running = _Gate(opens_at=0.0), iter(subjects), 0, dict[Any, Subject]()
        try:
            while True:
                for subject in islice(waiting, max(1, at_once) - len(running)):
                    running[self._start(self._look_up_one(subject, gate))] = subject
                if not running:
                    return
                for ended in await self._first_of(running):
                    subject, (result, error) = running.pop(ended), ended.result()
                    if error and not isinstance(error, PohError):
                        raise error
                    if isinstance(error, RefusedError) and not error.is_about_subject:
                        raise error  # The service would refuse the others too.
                    done += 1
                    yield Found(subject, done, len(subjects), result, error)
        finally:
            gate.opens_at = math.inf
            for lookup in running:
                lookup.cancel()

    @staticmethod
    def _run(lookup: Any) -> Any:
        return lookup

    async def _send(self, request: httpx.Request, ends_at: float) -> tuple[httpx.Response, bytearray]:
        # In another task, because anyio 3 loses cancellations of one that has just connected.
        sent = asyncio.create_task(self._request(request))
        # Otherwise asyncio would log an error that comes too late.
        sent.add_done_callback(lambda _: sent.cancelled() or sent.exception())
        try:
            if (await asyncio.wait([sent], timeout=ends_at - time.monotonic()))[0]:
                return sent.result()
            raise TimeoutError
        finally:
            for _ in range(_CANCELLATIONS):
                if not sent.done():
                    sent.cancel()
                    await asyncio.sleep(0)

    async def _request(self, request: httpx.Request) -> tuple[httpx.Response, bytearray]:
        connections = self._connections(asyncio.get_running_loop(), httpx.AsyncHTTPTransport)
        content = bytearray()
        response = await connections.handle_async_request(request)
        async for part in response.aiter_bytes():
            _append(part, content)
        return response, content

    async def _sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _start(self, lookup: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.create_task(lookup)

    async def _first_of(self, lookups: Collection[Any]) -> Any:
        return (await asyncio.wait(lookups, return_when=asyncio.FIRST_COMPLETED))[0]


class Client(_Base[LookupResult, _Looked]):
    """Looks up attestations. Threads may share a client, and so may processes after a fork."""

    def look_up_many(self, subjects: Sequence[Subject], *, at_once: int = 16) -> Iterator[Found]:
        """Looks up many subjects, such as [{"wallet": ...}], and yields each outcome as soon as it is known.

        To stop, leave the loop. Raises RefusedError if the service refuses every lookup, for example because the key is
        not valid.
        """
        found = self._look_up_many(subjects, at_once)
        try:
            with contextlib.suppress(StopAsyncIteration):
                while True:
                    yield self._run(found.__anext__())
        finally:
            self._run(found.aclose())

    def close(self) -> None:
        """Closes the connections. Another lookup opens new ones."""
        (owner, connections), self._held = self._held, (None, None)
        if owner == os.getpid():
            connections.close()

    @staticmethod
    def _run(lookup: Any) -> Any:
        try:
            lookup.send(None)
        except StopIteration as end:
            return end.value

    async def _send(self, request: httpx.Request, ends_at: float) -> tuple[httpx.Response, bytearray]:
        content = bytearray()
        response = self._connections(os.getpid(), httpx.HTTPTransport).handle_request(request)
        for part in response.iter_bytes():
            _append(part, content)
            if time.monotonic() > ends_at:
                raise TimeoutError
        return response, content

    async def _sleep(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 because it may block

    def _start(self, lookup: Coroutine[Any, Any, Any]) -> Any:
        ended: concurrent.futures.Future[Any] = concurrent.futures.Future()
        ended.set_running_or_notify_cancel()  # A thread cannot be cancelled.

        def run() -> None:
            ended.set_result(self._run(lookup))

        try:
            # A daemon, so that it does not delay the end of the program, as an executor does.
            threading.Thread(target=run, daemon=True).start()
        except RuntimeError:
            run()  # Python starts no more threads once the main thread has ended.
        return ended

    async def _first_of(self, lookups: Collection[Any]) -> Any:
        return concurrent.futures.wait(lookups, return_when=concurrent.futures.FIRST_COMPLETED).done


class AsyncClient(_Base[Coroutine[Any, Any, LookupResult], Coroutine[Any, Any, _Looked]]):
    """Looks up attestations with asyncio. Event loops may share a client."""

    def look_up_many(self, subjects: Sequence[Subject], *, at_once: int = 16) -> AsyncIterator[Found]:
        return self._look_up_many(subjects, at_once)

    async def aclose(self) -> None:
        (owner, connections), self._held = self._held, (None, None)
        if owner == asyncio.get_running_loop():
            await connections.aclose()


def _append(part: bytes, content: bytearray) -> None:
    content += part
    if len(content) > _BODY_MAX_BYTES:
        raise UnavailableError("a response of more than 64 MiB")


def _unavailable(error: Exception, seconds: float) -> UnavailableError:
    """Describes the error of an attempt without text of a server, which may repeat the key and the subject."""
    text, is_local = type(error).__name__, isinstance(error, (httpx.NetworkError, OSError, *_TIMEOUTS))
    if isinstance(error, _TIMEOUTS):
        text = f"no response within {seconds:.3g} s"
    elif is_local:
        text = str(error) or text
    elif isinstance(error, httpx.ProxyError) and (status := re.match(r"\d{3}\b", str(error))):
        text = f"the proxy responded with HTTP {status[0]}"
    failed = UnavailableError(text)
    failed.__cause__ = error if is_local else None
    return failed


def _trimmed(text: str | None) -> str:
    """Removes white space and byte order marks around a text. Without types, a caller may pass anything."""
    return text.strip().strip("\ufeff").strip() if isinstance(text, str) else ""


def _parse_url(text: str) -> httpx.URL:
    """Returns an empty URL if the text is not one, or has a query or a fragment."""
    with contextlib.suppress(httpx.InvalidURL):
        url = httpx.URL(text)
        is_port = url.port is None or 0 < url.port < 2**16
        if re.fullmatch(r"[\w.:-]+", url.host) and is_port and not url.query and not url.fragment:
            return url
    return httpx.URL("")


def _transport_settings(address: httpx.URL) -> dict[str, Any]:
    settings: dict[str, Any] = {"verify": _certificates(), "limits": httpx.Limits(keepalive_expiry=_IDLE_MAX)}
    proxy = getproxies().get("https") or getproxies().get("all")
    if not proxy or address.scheme == "http" or proxy_bypass(address.host):
        return settings
    url = _parse_url(proxy if "://" in proxy else f"http://{proxy}")
    # An error would contain the password of the proxy.
    with contextlib.suppress(Exception):
        settings["proxy"] = httpx.Proxy(url)
        if url.raw_path == b"/":
            httpx.HTTPTransport(**settings)
            return settings
    raise ValueError(
        "The proxy in HTTPS_PROXY or ALL_PROXY is unusable. Set it to http://USER:PASSWORD@HOST:PORT, and write # in a "
        "password as %23, and so on. A SOCKS proxy also needs the package httpx[socks]."
    )


def _parse_subject(subject: Mapping[str, Any]) -> tuple[str, str]:
    """Returns its mode and value."""
    given = [(mode, value) for mode in ("wallet", "email", "token") if (value := _trimmed(subject.get(mode)))]
    if len(given) > 1:
        raise ValueError("Look up only one of wallet, email and token.")
    if not given:
        raise RefusedError("The wallet, e-mail address or token is missing.", 0, "missing_subject")
    return given[0]


def _fits(value: Any, kind: type) -> bool:
    return isinstance(value, dict) and all(type(value.get(name)) is field for name, field in _TYPES[kind].items())


def _is_result(body: Any) -> bool:
    return _fits(body, _RequiredResultBody) and all(_fits(entry, Attestation) for entry in body["attestations"])


def _parse_response(
    response: httpx.Response, content: bytearray, url: str, mode: str, value: str, key: str
) -> _Looked:
    """Raises UnavailableError if a retry may help, and otherwise RefusedError."""
    status, header, text, body = response.status_code, response.headers, "", {}
    with contextlib.suppress(ValueError, RecursionError):
        text = content.decode()
        body = json.loads(text)
    # In the other modes, a wallet would mean that the response is for another request.
    if status == 200 and _is_result(body) and body.get("wallet") == (value if mode == "wallet" else None):
        names = {"requestId": "X-Request-Id", "signatureInput": "Signature-Input", "signature": "Signature"}
        evidence = {"url": url, "body": text, **{name: header.get(names[name], "") for name in names}}
        result = {**body, "requestId": evidence["requestId"]}
        return cast(LookupResult, result), evidence if evidence["signature"] else None

    def word(text: object) -> str:
        """Only a plain word, because another server may repeat the key or the subject in any text."""
        is_plain = isinstance(text, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", text)
        return str(text) if is_plain and not any(len(each) > 7 and each in str(text) for each in (key, value)) else ""

    fields = body if isinstance(body, dict) else {}
    request_id = word(fields.get("requestId")) or word(header.get("X-Request-Id"))
    code = word(fields.get("code")) if isinstance(fields.get("error"), str) else ""
    message = f"HTTP {status} {code}".rstrip() + (request_id and f", request {request_id}")
    if not 300 <= status < 500 or status in (408, 425, 429):
        asked = re.fullmatch("[0-9]{1,12}", header.get("Retry-After", ""))
        message += ", not from the service" if status == 200 else ""
        raise UnavailableError(message, status, code, request_id, int(asked[0]) if asked else 0)
    if status >= 400 and code:
        raise RefusedError(message, status, code, request_id)
    if status in _TOO_LONG:
        message += ", the subject is too long. Check it."
    else:
        reason = "not from the service" if status >= 400 else "a redirect, which is not followed"
        message += f", {reason}. Check the address of the service."
    raise RefusedError(message, status, "not_the_service", request_id)


def wallet_mark(result: LookupResult) -> str | None:
    """Identifies a wallet, without containing its address. The chain's public transactions may show the address. Every
    lookup of the wallet returns the same mark, in every mode and for every project. None if the wallet's holder is not
    a verified human."""
    found = (each for each in result["attestations"] if (each["attestationType"], each["status"]) == (0, "confirmed"))
    return next((each["onChainAddress"] for each in found), None)
