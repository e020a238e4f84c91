# Copyright (c) 2026 The PoH attestations authors.
# SPDX-License-Identifier: MIT

"""Sends requests. Each has a connection to itself, so that the end of one, at any moment, disturbs no other."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import contextvars
import importlib
import os
import socket
import threading
from collections.abc import AsyncGenerator, Mapping
from typing import Any, cast

import httpx

from ._errors import ConnectionFailed
from ._lookups import Request
from ._responses import Response

_BODY_MAX_BYTES = 64 * 2**20  # Google Cloud sends at most 32 MB
_IDLE_MAX = 32  # of a process or an event loop
_Loop = asyncio.AbstractEventLoop
_AsyncIdle = list[httpx.AsyncHTTPTransport]
AsyncSent = asyncio.Task[Response]


class Sent(concurrent.futures.Future[Response]):
    """A request in flight in a thread."""

    connection: _Connection | None = None
    is_stopped = False


class Connections:
    """Those of `Client`. Threads and forked processes may share them."""

    accepted = httpx.BaseTransport

    def __init__(self, settings: Mapping[str, Any], transport: Any) -> None:
        self._settings, self._transport = settings, transport
        self._owner, self._idle = os.getpid(), list[_Connection]()

    def start(self, request: Request) -> Sent:
        """Sends a request in another thread, because only that can be left at the deadline, whatever it waits for."""
        sent = Sent()

        def run() -> None:
            try:
                sent.set_result(self._send(request, sent))
            except BaseException as error:  # noqa: BLE001 because the other thread raises it
                sent.set_exception(error)

        try:
            # A daemon, so that it does not delay the end of the program.
            threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True).start()
        except RuntimeError:
            run()  # Python starts no more threads once the main thread has ended.
        return sent

    def stop(self, sent: Sent) -> None:
        if not sent.done():
            sent.is_stopped = True
            if sent.connection:
                sent.connection.end()
            self.close_idle()  # The network may have lost them too.

    def close_idle(self) -> None:
        # After a fork, they are those of the parent process.
        idle, self._idle = self._idle if self._owner == os.getpid() else [], []
        self._owner = os.getpid()
        for connection in idle:
            connection.transport.close()

    def close(self) -> None:
        self.close_idle()
        if self._transport:
            self._transport.close()

    def _send(self, request: Request, sent: Sent) -> Response:
        if self._transport:
            return _exchange(self._transport, request)
        if self._owner != os.getpid():
            self.close_idle()
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = _Connection(httpx.HTTPTransport(**self._settings))
        sent.connection = connection
        is_reusable = False
        try:
            if sent.is_stopped:
                connection.end()
            response = _exchange(connection.transport, request, connection.trace)
            is_reusable = request.reuses_connections and len(self._idle) < _IDLE_MAX
            return response
        finally:
            if is_reusable:
                self._idle.append(connection)
            else:
                connection.transport.close()


class _Connection:
    """A connection that another thread can end."""

    def __init__(self, transport: httpx.HTTPTransport) -> None:
        self.transport = transport
        self._stream: Any = None
        self._is_ended = False

    def trace(self, _event: str, info: Mapping[str, Any]) -> None:
        """Called by httpx for each step."""
        if hasattr(info.get("return_value"), "get_extra_info"):
            self._stream = info["return_value"]
        if self._is_ended:
            if self._stream:
                self._stream.close()  # It may be one that httpx has not stored yet.
            raise ConnectionAbortedError

    def end(self) -> None:
        self._is_ended = True
        if self._stream:
            # The thread of the request still closes the socket, because another one could get its number before.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(self._stream.get_extra_info("socket"), socket.SHUT_RDWR)


def _exchange(transport: Any, request: Request, trace: object = None) -> Response:
    # Not by a client of httpx, which would log each URL with its subject, and keep cookies.
    response, content = transport.handle_request(request.for_httpx(trace)), bytearray()
    try:
        for part in response.iter_bytes():
            _append(part, content)
    finally:
        response.close()
    return Response(response.status_code, response.headers, bytes(content))


class AsyncConnections:
    """Those of `AsyncClient`. Event loops may share them."""

    accepted = httpx.AsyncBaseTransport

    def __init__(self, settings: Mapping[str, Any], transport: Any) -> None:
        self._settings, self._transport = settings, transport
        # If two threads import it at once, which httpx does at the first request, anyio 3 gives one of them half of it.
        with contextlib.suppress(ImportError):
            importlib.import_module("anyio._backends._asyncio")
        # Those of each event loop, because no other one can use them, and what closes them.
        self._idle: dict[_Loop, tuple[_AsyncIdle, AsyncGenerator[None, None]]] = {}
        # The requests that are connecting, and whether to cancel them after that.
        self._connecting: dict[AsyncSent, bool] = {}

    def start(self, request: Request) -> AsyncSent:
        """Sends a request in another task, which cleans up after itself, whatever happens to the caller's."""
        sent = asyncio.create_task(self._send(request))
        # Otherwise asyncio would log an error that comes too late.
        sent.add_done_callback(lambda _: sent.cancelled() or sent.exception())
        return sent

    def stop(self, sent: AsyncSent) -> None:
        if sent.done():
            return
        # The network may have lost the idle connections too. The event loop ends a generator that nobody refers to.
        self._idle.pop(asyncio.get_running_loop(), None)
        if sent in self._connecting:
            # anyio 3 could lose the cancellation when the connection is just made, and anyio 4 its socket.
            self._connecting[sent] = True
            asyncio.get_running_loop().call_later(2, _cancel, sent)
        else:
            _cancel(sent)

    async def close(self) -> None:
        _, closing = self._idle.pop(asyncio.get_running_loop(), (None, None))
        if closing:
            await closing.aclose()
        if self._transport:
            await self._transport.aclose()

    async def _send(self, request: Request) -> Response:
        if self._transport:
            return await _exchange_async(self._transport, request)
        idle = await self._idle_here()
        transport = idle.pop() if idle else httpx.AsyncHTTPTransport(**self._settings)
        is_reusable = False
        try:
            response = await _exchange_async(transport, request, self._trace)
            is_current = self._idle.get(asyncio.get_running_loop(), (None,))[0] is idle
            is_reusable = request.reuses_connections and is_current and len(idle) < _IDLE_MAX
            return response
        finally:
            if is_reusable:
                idle.append(transport)
            else:
                await transport.aclose()

    async def _idle_here(self) -> _AsyncIdle:
        loop = asyncio.get_running_loop()
        if loop not in self._idle:
            for each in list(self._idle):
                if each.is_closed():
                    self._idle.pop(each, None)
            idle: _AsyncIdle = []
            closing = _close_at_end(idle)
            await closing.__anext__()
            self._idle[loop] = (idle, closing)
        return self._idle[loop][0]

    async def _trace(self, event: str, _info: object) -> None:
        """Called by httpx for each step."""
        task = cast(AsyncSent, asyncio.current_task())
        if event.endswith("connect_tcp.started"):
            self._connecting[task] = False
        elif self._connecting.pop(task, False):
            task.cancel()


def _cancel(sent: AsyncSent) -> None:
    """Cancels a request, and again in case that was lost. Any sooner, it would interrupt the clean-up."""
    if not sent.done():
        sent.cancel()
        asyncio.get_running_loop().call_later(1, _cancel, sent)


async def _close_at_end(idle: _AsyncIdle) -> AsyncGenerator[None, None]:
    """Closes connections at the end of their event loop, which ends the generators that it has begun."""
    try:
        yield
    finally:
        for transport in idle:
            await transport.aclose()


async def _exchange_async(transport: Any, request: Request, trace: object = None) -> Response:
    response, content = await transport.handle_async_request(request.for_httpx(trace)), bytearray()
    try:
        async for part in response.aiter_bytes():
            _append(part, content)
    finally:
        await response.aclose()
    return Response(response.status_code, response.headers, bytes(content))


def _append(part: bytes, content: bytearray) -> None:
    content += part
    if len(content) > _BODY_MAX_BYTES:
        raise ConnectionFailed("a response of more than 64 MiB")
