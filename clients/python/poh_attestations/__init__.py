# Copyright (c) 2026 The PoH attestations authors.
# SPDX-License-Identifier: MIT

"""Looks up Proof-of-Humanity attestations. Needs Python 3.9 and httpx 0.23, or later.

    from poh_attestations import Client, SubjectRefused, Unavailable

    with Client() as poh:  # reads POH_URL and POH_KEY
        if poh.look_up(token=token)["hasVerifiedHuman"]: ...

`AsyncClient` has the same methods for asyncio.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Mapping
from datetime import datetime
from typing import Any, Generic, Optional, TypeVar

from ._connections import AsyncConnections, AsyncSent, Connections, Sent
from ._errors import ConnectionFailed, Evidence, KeyRefused, PohError, RateLimited, Refused, SubjectRefused, Unavailable
from ._lookups import Batch, Failed, Found, Lookup, Subject, Succeeded, __version__
from ._responses import Attestation, Looked, LookupResult, wallet_mark
from ._settings import Attempt, parse_settings, parse_timeout

__all__ = ["AsyncClient", "Attempt", "Attestation", "Client", "ConnectionFailed", "Evidence", "Failed", "Found"]
__all__ += ["KeyRefused", "Looked", "LookupResult", "PohError", "RateLimited", "Refused", "Subject", "SubjectRefused"]
__all__ += ["Succeeded", "Unavailable", "__version__", "wallet_mark"]

_Text = Optional[str]
_S = TypeVar("_S", bound=Mapping[str, Any])
_C = TypeVar("_C", Connections, AsyncConnections)


class _Base(Generic[_C]):
    """What both clients are given."""

    _kind: type[_C]

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 15,
        pause: float = 1,
        on_attempt: Callable[[Attempt], object] | None = None,
        transport: Any = None,
        allow_plain_http: bool = False,
    ) -> None:
        """
        url               the address of the operator, such as https://PROJECT.web.app; by default POH_URL
        key               the API key of your project; by default POH_KEY
        timeout           seconds until a lookup fails
        pause             seconds before the second attempt; doubled before each further attempt
        on_attempt        called after each attempt, for logs and metrics
        transport         a transport of httpx; by default with TLS, and the proxy in HTTPS_PROXY
        allow_plain_http  allows http:// to another machine; everybody on the way can then read the key and the
                          subjects, and forge results

        Raises ValueError or TypeError if a setting is unusable.
        """
        accepted = self._kind.accepted
        if transport is not None and not isinstance(transport, accepted):
            raise TypeError(f"transport is not an httpx.{accepted.__name__}, which {type(self).__name__} needs.")
        self._settings = parse_settings(url, key, timeout, pause, on_attempt, allow_plain_http, transport is None)
        self._connections: _C = self._kind(self._settings.transport, transport)

    @property
    def key_ends(self) -> datetime | None:
        """When the API key ends, as the last response said; None if it has no end."""
        return self._settings.key_ends

    def _lookup(self, wallet: _Text, email: _Text, token: _Text, timeout: float | None) -> Lookup:
        limit = self._settings.timeout if timeout is None else parse_timeout(timeout)
        return Lookup(self._settings, {"wallet": wallet, "email": email, "token": token}, limit)


class Client(_Base[Connections]):
    """Looks up attestations. Threads may share a client, and so may processes after a fork."""

    _kind = Connections

    def look_up(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> LookupResult:
        """Looks up one subject. Raises Refused or Unavailable; in both cases admit nobody."""
        return self.look_up_with_evidence(wallet=wallet, email=email, token=token, timeout=timeout).result

    def look_up_with_evidence(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> Looked:
        """Also returns evidence that proves the result later, or None if the operator does not sign its responses."""
        lookup = self._lookup(wallet, email, token, timeout)
        while True:
            sent = self._connections.start(lookup.next_request())
            try:
                concurrent.futures.wait([sent], lookup.late_at - time.monotonic())
                looked = lookup.ended(sent)
            finally:
                self._connections.stop(sent)
            if looked:
                return looked
            time.sleep(max(0, lookup.starts_at - time.monotonic()))

    def look_up_many(
        self, subjects: Iterable[_S], *, at_once: int = 16, max_wait: float = 3600
    ) -> Generator[Found[_S], None, None]:
        """Looks up many subjects, such as [{"wallet": ...}], and yields each outcome as soon as it is known.

        To stop, leave the loop. It waits as long as the service asks, but raises Unavailable if that is more than
        max_wait seconds, or if 50 lookups in a row failed. Raises Refused if the service refuses every lookup, for
        example because the key is not valid.
        """
        batch, rows = Batch[_S](self._settings, subjects, at_once, max_wait), iter(subjects)
        in_flight: dict[Sent, Lookup] = {}
        is_complete = False
        try:
            while True:
                while batch.has_room and not is_complete:
                    for subject in rows:
                        if bad := batch.add(subject):
                            yield bad
                        break
                    else:
                        is_complete = True
                for lookup in batch.due():
                    in_flight[self._connections.start(lookup.next_request())] = lookup
                if not batch.is_busy:
                    return
                seconds = batch.wait(in_flight.values())
                if in_flight:
                    concurrent.futures.wait(in_flight, seconds, concurrent.futures.FIRST_COMPLETED)
                else:
                    time.sleep(seconds)
                for sent, lookup in list(in_flight.items()):
                    if sent.done() or time.monotonic() >= lookup.late_at:
                        found = batch.ended(lookup, sent)
                        del in_flight[sent]
                        self._connections.stop(sent)
                        if found:
                            yield found
                        batch.go_on()
        finally:
            for sent in in_flight:
                self._connections.stop(sent)

    def close(self) -> None:
        """Closes the connections. Another lookup opens new ones."""
        self._connections.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(_Base[AsyncConnections]):
    """Looks up attestations with asyncio. Event loops may share a client."""

    _kind = AsyncConnections

    async def look_up(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> LookupResult:
        """Looks up one subject. Raises Refused or Unavailable; in both cases admit nobody."""
        return (await self.look_up_with_evidence(wallet=wallet, email=email, token=token, timeout=timeout)).result

    async def look_up_with_evidence(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> Looked:
        """Also returns evidence that proves the result later, or None if the operator does not sign its responses."""
        _require_asyncio()
        lookup = self._lookup(wallet, email, token, timeout)
        while True:
            sent = self._connections.start(lookup.next_request())
            try:
                await asyncio.wait([sent], timeout=lookup.late_at - time.monotonic())
                looked = lookup.ended(sent)
            finally:
                self._connections.stop(sent)
            if looked:
                return looked
            await asyncio.sleep(lookup.starts_at - time.monotonic())

    async def look_up_many(
        self, subjects: Iterable[_S] | AsyncIterable[_S], *, at_once: int = 16, max_wait: float = 3600
    ) -> AsyncGenerator[Found[_S], None]:
        """Looks up many subjects, as `Client` does. They may also come from an asynchronous generator."""
        _require_asyncio()
        batch, rows = Batch[_S](self._settings, subjects, at_once, max_wait), _each(subjects)
        in_flight: dict[AsyncSent, Lookup] = {}
        row: asyncio.Task[list[_S]] | None = None  # the next subject, which may take its time
        is_complete = False
        try:
            while True:
                if batch.has_room and not row and not is_complete:
                    row = asyncio.create_task(_next(rows))
                for lookup in batch.due():
                    in_flight[self._connections.start(lookup.next_request())] = lookup
                if not row and not batch.is_busy:
                    return
                seconds = batch.wait(in_flight.values())
                if pending := [*in_flight, *([row] if row else [])]:
                    await asyncio.wait(pending, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
                else:
                    await asyncio.sleep(seconds)
                if row and row.done():
                    is_complete, new, row = not row.result(), row.result(), None
                    for bad in filter(None, map(batch.add, new)):
                        yield bad
                for sent, lookup in list(in_flight.items()):
                    if sent.done() or time.monotonic() >= lookup.late_at:
                        found = batch.ended(lookup, sent)
                        del in_flight[sent]
                        self._connections.stop(sent)
                        if found:
                            yield found
                        batch.go_on()
        finally:
            for sent in in_flight:
                self._connections.stop(sent)
            if row:
                row.cancel()

    async def aclose(self) -> None:
        """Closes the connections of this event loop. They close with their loop too. Another lookup opens new ones."""
        await self._connections.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _require_asyncio() -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        message = "AsyncClient needs asyncio. Under trio, use Client in a thread, with trio.to_thread.run_sync."
        raise RuntimeError(message) from None


async def _each(subjects: Iterable[_S] | AsyncIterable[_S]) -> AsyncGenerator[_S, None]:
    if isinstance(subjects, AsyncIterable):
        async for subject in subjects:
            yield subject
    else:
        for subject in subjects:
            yield subject


async def _next(rows: AsyncGenerator[_S, None]) -> list[_S]:
    async for subject in rows:
        return [subject]
    return []
