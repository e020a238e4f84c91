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
import contextlib
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Generator, Iterable, Mapping
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Any, Optional, TypeVar

import httpx

from ._errors import ConnectionFailed, Evidence, KeyRefused, PohError, RateLimited, Refused, SubjectRefused, Unavailable
from ._lookups import Batch, Failed, Found, Lookup, Subject, Succeeded, __version__
from ._requests import Pool
from ._responses import Attestation, Looked, LookupResult, wallet_mark
from ._settings import Attempt, parse_number, parse_settings

__all__ = ["AsyncClient", "Attempt", "Attestation", "Client", "ConnectionFailed", "Evidence", "Failed", "Found"]
__all__ += ["KeyRefused", "Looked", "LookupResult", "PohError", "RateLimited", "Refused", "Subject", "SubjectRefused"]
__all__ += ["Succeeded", "Unavailable", "__version__", "wallet_mark"]

_Text = Optional[str]
_S = TypeVar("_S", bound=Mapping[str, Any])


class _Base:
    """What both clients have. They differ only in how they wait."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 15,
        pause: float = 1,
        on_attempt: Callable[[Attempt], object] | None = None,
        transport: httpx.BaseTransport | None = None,
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
        if transport is not None and not isinstance(transport, httpx.BaseTransport):
            raise TypeError("transport is not an httpx.BaseTransport, which both clients need.")
        self._settings = parse_settings(url, key, timeout, pause, on_attempt, allow_plain_http, transport is None)
        self._pool = Pool(self._settings.transport, transport)

    @property
    def key_ends(self) -> datetime | None:
        """When the API key ends, as the last response said; None if it has no end."""
        return self._settings.key_ends

    def close(self) -> None:
        """Closes the connections. Another lookup opens new ones."""
        self._pool.close()

    def _lookup(
        self, alarm: _Alarm | _AsyncAlarm, subject: Mapping[str, Any], timeout: float | None = None
    ) -> Lookup:
        limit = self._settings.timeout if timeout is None else parse_number("timeout", timeout, 0.001)
        return Lookup(self._settings, self._pool, subject, limit, alarm.set)


class Client(_Base):
    """Looks up attestations. Threads may share a client, and so may processes after a fork."""

    def look_up(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> LookupResult:
        """Looks up one subject. Raises Refused or Unavailable; in both cases admit nobody."""
        return self.look_up_with_evidence(wallet=wallet, email=email, token=token, timeout=timeout).result

    def look_up_with_evidence(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> Looked:
        """Also returns evidence that proves the result later, or None if the operator does not sign its responses."""
        alarm, subject = _Alarm(), {"wallet": wallet, "email": email, "token": token}
        with contextlib.closing(self._lookup(alarm, subject, timeout)) as lookup:
            while not (looked := lookup.step()):
                alarm.wait_until(lookup.due_at)
            return looked

    def look_up_many(
        self, subjects: Iterable[_S], *, at_once: int = 16, max_wait: float = 3600
    ) -> Generator[Found[_S], None, None]:
        """Looks up many subjects, such as [{"wallet": ...}], and yields each outcome as soon as it is known.

        To stop, leave the loop. It waits as long as the service asks, but raises Unavailable if that would be more than
        max_wait seconds, at once or without a response in between, or if 50 lookups in a row failed. Raises Refused if
        the service refuses every lookup, for example because the key is not valid.
        """
        rows, alarm = iter(subjects), _Alarm()
        lookup_of = partial(self._lookup, alarm)
        with contextlib.closing(Batch[_S](lookup_of, subjects, at_once, max_wait)) as batch:
            while (new := [*islice(rows, batch.room)]) or batch.is_busy:
                for subject in new:
                    batch.add(subject)
                yield from batch.step()
                if batch.is_busy:
                    alarm.wait_until(batch.due_at)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(_Base):
    """Looks up attestations with asyncio, in at most 500 threads. Event loops and threads may share a client."""

    async def look_up(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> LookupResult:
        """Looks up one subject. Raises Refused or Unavailable; in both cases admit nobody."""
        return (await self.look_up_with_evidence(wallet=wallet, email=email, token=token, timeout=timeout)).result

    async def look_up_with_evidence(
        self, *, wallet: _Text = None, email: _Text = None, token: _Text = None, timeout: float | None = None
    ) -> Looked:
        """Also returns evidence that proves the result later, or None if the operator does not sign its responses."""
        alarm, subject = _AsyncAlarm(), {"wallet": wallet, "email": email, "token": token}
        with contextlib.closing(self._lookup(alarm, subject, timeout)) as lookup:
            while not (looked := lookup.step()):
                await alarm.wait_until(lookup.due_at)
            return looked

    async def look_up_many(
        self, subjects: Iterable[_S] | AsyncIterable[_S], *, at_once: int = 16, max_wait: float = 3600
    ) -> AsyncGenerator[Found[_S], None]:
        """Looks up many subjects, as `Client` does. They may also come from an asynchronous generator."""
        rows, alarm = _each(subjects), _AsyncAlarm()
        row: asyncio.Future[_S] | None = None  # the next subject, which may take its time
        is_complete = False
        lookup_of = partial(self._lookup, alarm)
        with contextlib.closing(Batch[_S](lookup_of, subjects, at_once, max_wait)) as batch:
            try:
                while not is_complete or batch.is_busy:
                    if batch.room and not row and not is_complete:
                        row = asyncio.ensure_future(rows.__anext__())
                        row.add_done_callback(alarm.set)
                    for found in batch.step():
                        yield found
                    if row or batch.is_busy:
                        await alarm.wait_until(batch.due_at)
                    if row and row.done():
                        try:
                            batch.add(row.result())
                        except StopAsyncIteration:
                            is_complete = True
                        row = None
            finally:
                if row:
                    row.cancel()

    async def aclose(self) -> None:
        """Closes the connections. Another lookup opens new ones."""
        self.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


class _Alarm(threading.Event):
    """Wakes a thread, at a time or when it is set."""

    def wait_until(self, at: float) -> None:
        self.wait(_seconds_until(at))
        self.clear()


class _AsyncAlarm:
    """Wakes a coroutine. Any thread may set it."""

    def __init__(self) -> None:
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            message = "AsyncClient needs asyncio. Under trio, use Client in a thread, with trio.to_thread.run_sync."
            raise RuntimeError(message) from None
        self._is_set = asyncio.Event()

    def set(self, *_: object) -> None:
        with contextlib.suppress(RuntimeError):  # The event loop has ended.
            self._loop.call_soon_threadsafe(self._is_set.set)

    async def wait_until(self, at: float) -> None:
        timer = self._loop.call_later(_seconds_until(at), self._is_set.set)
        try:
            await self._is_set.wait()
        finally:
            timer.cancel()
        self._is_set.clear()


def _seconds_until(at: float) -> float:
    return min(max(0, at - time.monotonic()), 3600)


async def _each(subjects: Iterable[_S] | AsyncIterable[_S]) -> AsyncGenerator[_S, None]:
    if isinstance(subjects, AsyncIterable):
        async for subject in subjects:
            yield subject
    else:
        for subject in subjects:
            yield subject
