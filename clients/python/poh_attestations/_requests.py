# Copyright (c) 2026 The PoH attestations authors.
# SPDX-License-Identifier: MIT

"""Sends requests. Each has a thread and a connection to itself, so that it can be left at any moment, whatever it waits
for, and the end of one disturbs no other. So it is for asyncio too, where httpx may lose a connection that it cancels."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any, NamedTuple

import httpx

from ._errors import ConnectionFailed
from ._responses import Response

_BODY_MAX_BYTES = 64 * 2**20  # Google Cloud sends at most 32 MB
_IDLE_MAX = 32


class Request(NamedTuple):
    url: str
    headers: dict[str, str]
    seconds: float
    reuses_connections: bool


class Pool:
    """The idle connections of a client. Threads and forked processes may share it."""

    def __init__(self, settings: Mapping[str, Any], transport: httpx.BaseTransport | None) -> None:
        self._settings, self._transport = settings, transport
        self._owner, self._idle = os.getpid(), list[tuple[httpx.BaseTransport, Any]]()

    def take(self) -> tuple[httpx.BaseTransport, Any]:
        """Returns a transport with its connection, which is None if it has none yet."""
        if self._transport:
            return self._transport, None
        if self._owner != os.getpid():
            self.close_idle()
        try:
            return self._idle.pop()
        except IndexError:
            return httpx.HTTPTransport(**self._settings), None

    def give_back(self, transport: httpx.BaseTransport, connection: Any, is_reusable: bool) -> None:
        if transport is self._transport:
            return
        if is_reusable and len(self._idle) < _IDLE_MAX:
            self._idle.append((transport, connection))
        else:
            transport.close()

    def close_idle(self) -> None:
        # After a fork, they are those of the parent process.
        idle, self._idle = self._idle if self._owner == os.getpid() else [], []
        self._owner = os.getpid()
        for transport, _ in idle:
            transport.close()

    def close(self) -> None:
        self.close_idle()
        if self._transport:
            self._transport.close()


class Sent(Future[Response]):
    """A request in flight."""

    def __init__(self, pool: Pool, request: Request, on_end: Callable[[], object]) -> None:
        super().__init__()
        self._pool, self._connection, self._is_stopped = pool, None, False
        self.add_done_callback(lambda _: on_end())
        try:
            # A daemon, so that it does not delay the end of the program.
            threading.Thread(target=self._run, args=(request,), daemon=True).start()
        except RuntimeError:
            self._run(request)  # Python starts no more threads once the main thread has ended.

    def stop(self) -> None:
        """Ends the request, if it is not done."""
        if self.done():
            return
        self._is_stopped = True
        if self._connection:
            # The thread of the request still closes the socket, because another one could get its number before.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._connection.get_extra_info("socket"), socket.SHUT_RDWR)
        self._pool.close_idle()  # The network may have lost them too.

    def _run(self, request: Request) -> None:
        try:
            self.set_result(self._send(request))
        except BaseException as error:  # noqa: BLE001 because the caller's thread raises it
            self.set_exception(error)

    def _send(self, request: Request) -> Response:
        transport, self._connection = self._pool.take()
        is_reusable = False
        try:
            response = self._exchange(transport, request)
            is_reusable = request.reuses_connections
            return response
        finally:
            self._pool.give_back(transport, self._connection, is_reusable)

    def _exchange(self, transport: httpx.BaseTransport, request: Request) -> Response:
        # The limits of each step. Whoever waits limits their sum, and notices that first. A host may have several
        # addresses, so an attempt to connect leaves time for the next.
        seconds = request.seconds + 1
        limits = {"connect": seconds / 3, "read": seconds, "write": seconds, "pool": seconds}
        extensions = {"timeout": limits, "trace": self._trace}
        # Not by a client of httpx, which would log each URL with its subject, and keep cookies.
        sent = httpx.Request("GET", request.url, headers=request.headers, extensions=extensions)
        response, content = transport.handle_request(sent), bytearray()
        with contextlib.closing(response):
            for part in response.iter_bytes():
                content += part
                if len(content) > _BODY_MAX_BYTES:
                    raise ConnectionFailed("a response of more than 64 MiB")
        return Response(response.status_code, response.headers, bytes(content))

    def _trace(self, _event: str, info: Mapping[str, Any]) -> None:
        """Called by httpx for each step, of which some return the connection."""
        if hasattr(info.get("return_value"), "get_extra_info"):
            self._connection = info["return_value"]
        if self._is_stopped:
            if self._connection:
                self._connection.close()  # It may be one that httpx has not stored yet.
            raise ConnectionAbortedError
