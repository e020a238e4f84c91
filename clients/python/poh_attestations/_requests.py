"""Sends requests. Each has a thread and a connection to itself, so that it can be left at any moment, whatever it waits
for, and the end of one disturbs no other. So it is for asyncio too, where httpx may lose a connection that it cancels."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import httpx

from ._errors import ConnectionFailed
from ._responses import Response

_BODY_MAX_BYTES = 64 * 2**20  # Google Cloud sends at most 32 MB
_IDLE_MAX = 32
_SECONDS_MAX = 2**20  # of a step, because sockets know no longer limits
_IN_FLIGHT_MAX = 500  # Linux lets a process open 1,024 files by default


class Pool:
    """The idle connections of a client, and its requests. Threads and forked processes may share it."""

    def __init__(self, settings: Mapping[str, Any], transport: httpx.BaseTransport | None) -> None:
        self._settings, self._transport = settings, transport
        self._owner, self._idle = os.getpid(), list[tuple[httpx.BaseTransport, Any]]()
        self._waiting, self._in_flight = deque[Sent](), set[Sent]()

    def add(self, sent: Sent) -> None:
        """Starts a request as soon as fewer than the most are in flight."""
        self._forget_parent()
        self._waiting.append(sent)
        self._start_waiting()

    def remove(self, sent: Sent) -> None:
        """Lets another request start. One that was stopped does not count, although its thread may still wait."""
        self._in_flight.discard(sent)
        self._start_waiting()

    def _start_waiting(self) -> None:
        # Without a lock, which a fork could leave locked. So a few more may start, but none is left.
        with contextlib.suppress(IndexError):
            while len(self._in_flight) < _IN_FLIGHT_MAX:
                sent = self._waiting.popleft()
                if not sent.is_stopped:
                    self._in_flight.add(sent)
                    sent.start()

    def take(self) -> tuple[httpx.BaseTransport, Any]:
        """Returns a transport with its connection, which is None if it has none yet."""
        if self._transport:
            return self._transport, None
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

    def _forget_parent(self) -> None:
        """After a fork, leaves the connections and the requests to the parent process."""
        if self._owner != os.getpid():
            self._owner, self._idle = os.getpid(), []
            self._waiting, self._in_flight = deque(), set()

    def close_idle(self) -> None:
        self._forget_parent()
        idle, self._idle = self._idle, []
        for transport, _ in idle:
            transport.close()

    def close(self) -> None:
        self.close_idle()
        if self._transport:
            self._transport.close()


class Sent(Future[Response]):
    """A request in flight."""

    def __init__(
        self, pool: Pool, url: str, headers: Mapping[str, str], seconds: float, on_end: Callable[[], object]
    ) -> None:
        super().__init__()
        self._pool, self._url, self._headers, self._seconds = pool, url, headers, seconds
        self._connection, self.is_stopped = None, False
        self.add_done_callback(lambda _: on_end())
        pool.add(self)

    def start(self) -> None:
        try:
            # A daemon, so that it does not delay the end of the program.
            threading.Thread(target=self._run, daemon=True).start()
        except RuntimeError:
            self._run()  # Python starts no more threads once the main thread has ended.

    def stop(self) -> None:
        """Ends the request, if it is not done."""
        if self.done():
            return
        self.is_stopped = True
        if self._connection:
            # The thread of the request still closes the socket, because another one could get its number before.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._connection.get_extra_info("socket"), socket.SHUT_RDWR)
        self._pool.close_idle()  # The network may have lost them too.
        self._pool.remove(self)

    def _run(self) -> None:
        try:
            self.set_result(self._send())
        except BaseException as error:  # noqa: BLE001 because the caller's thread raises it
            self.set_exception(error)
        self._pool.remove(self)

    def _send(self) -> Response:
        transport, self._connection = self._pool.take()
        is_reusable = False
        try:
            response = self._exchange(transport)
            is_reusable = "Connection" not in self._headers
            return response
        finally:
            self._pool.give_back(transport, self._connection, is_reusable)

    def _exchange(self, transport: httpx.BaseTransport) -> Response:
        # The limits of each step. Whoever waits limits their sum, and notices that first. A host may have several
        # addresses, so an attempt to connect leaves time for the next.
        seconds = min(self._seconds + 1, _SECONDS_MAX)
        limits = {"connect": seconds / 3, "read": seconds, "write": seconds, "pool": seconds}
        extensions = {"timeout": limits, "trace": self._trace}
        # Not by a client of httpx, which would log each URL with its subject, and keep cookies.
        sent = httpx.Request("GET", self._url, headers=self._headers, extensions=extensions)
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
        if self.is_stopped:
            if self._connection:
                self._connection.close()  # It may be one that httpx has not stored yet.
            raise ConnectionAbortedError
