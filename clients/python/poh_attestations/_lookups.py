# Copyright (c) 2026 The PoH attestations authors.
# SPDX-License-Identifier: MIT

"""When to send which request, and what an attempt means for its lookup. Neither sends nor waits, so both clients use
it: they start the requests that it names, and tell it how they ended."""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Generic, NamedTuple, Optional, Protocol, TypedDict, TypeVar, Union
from urllib.parse import quote

import httpx

from ._errors import (
    NETWORK_ERRORS,
    TIMEOUTS,
    ConnectionFailed,
    Evidence,
    PohError,
    RateLimited,
    Refused,
    SubjectRefused,
    Unavailable,
    connection_failed,
)
from ._responses import Looked, LookupResult, Response, key_end, parse_response
from ._settings import Attempt, Settings, trimmed

__version__ = "1.0.0"

_ATTEMPTS = 4
_IN_A_ROW_MAX = 50  # failures, after which no other lookup is made
_WARN_BEFORE = timedelta(days=14)
_MODES = ("wallet", "email", "token")
_log = logging.getLogger("poh_attestations")
_S = TypeVar("_S", bound=Mapping[str, Any])


class Subject(TypedDict, total=False):
    """The person to look up. Exactly one of the three is set."""

    wallet: Optional[str]
    email: Optional[str]
    token: Optional[str]


@dataclass(frozen=True)
class Succeeded(Generic[_S]):
    """One of many lookups, with its result. So far, `done` of `total` lookups are finished."""

    subject: _S
    index: int  # of the subject, from 0
    done: int
    total: Optional[int]  # None if the subjects have no length
    result: LookupResult
    evidence: Optional[Evidence]
    error: None = None


@dataclass(frozen=True)
class Failed(Generic[_S]):
    """One of many lookups, without a result. TypeError and ValueError are about a subject that is not one."""

    subject: _S
    index: int
    done: int
    total: Optional[int]
    error: Union[SubjectRefused, Unavailable, TypeError, ValueError]
    result: None = None

    @property
    def evidence(self) -> Optional[Evidence]:
        return self.error.evidence if isinstance(self.error, SubjectRefused) else None


Found = Union[Succeeded[_S], Failed[_S]]


class Sent(Protocol):
    """A request in flight: a Future of asyncio or of concurrent.futures."""

    def done(self) -> bool: ...
    def result(self) -> Response: ...


class Request(NamedTuple):
    url: str
    headers: dict[str, str]
    seconds: float
    reuses_connections: bool

    def for_httpx(self, trace: object) -> httpx.Request:
        # The limit of each step, such as connecting. The clients limit their sum, and notice that first.
        limits = dict.fromkeys(("connect", "read", "write", "pool"), self.seconds + 1)
        extensions: dict[str, Any] = {"timeout": limits, **({"trace": trace} if trace else {})}
        return httpx.Request("GET", self.url, headers=self.headers, extensions=extensions)


class Lookup:
    """One lookup, in up to four attempts. With a `max_wait` it is one of many, which has no deadline."""

    def __init__(
        self, settings: Settings, subject: Mapping[str, Any], timeout: float, max_wait: float | None = None
    ) -> None:
        self._settings, self._timeout, self._max_wait = settings, timeout, max_wait
        self._mode, value = _parse_subject(subject)
        # Not urlencode, because it encodes a space as "+", which the service reads as a plus sign.
        encoded = quote(value, safe="", errors="replace")
        self._url = f"{settings.url}/pohAttestationsEndpoint?{self._mode}={encoded}"
        self._wallet = value if self._mode == "wallet" else None
        self._secrets = (settings.key, value, encoded)
        self._attempts = 0
        self.starts_at = self.began_at = self.late_at = time.monotonic()
        self._ends_at = self.starts_at + timeout if max_wait is None else math.inf
        self.asked = 0  # the seconds that the service asked to wait

    def next_request(self) -> Request:
        self._attempts += 1
        self.began_at = time.monotonic()
        self.late_at = min(self.began_at + self._timeout, self._ends_at)
        headers = {"User-Agent": f"poh-attestations-python/{__version__}", "X-PoH-API-Key": self._settings.key}
        # Only a response to a wallet names its subject. Another one could be left behind by an earlier request.
        reuses_connections = self._mode == "wallet"
        if not reuses_connections:
            headers["Connection"] = "close"
        return Request(self._url, headers, self.late_at - self.began_at, reuses_connections)

    def ended(self, sent: Sent) -> Looked | None:
        """Takes the outcome of an attempt, or its being late. Returns None if another attempt follows at `starts_at`.

        Raises the failure if no attempt follows, and any error that is not of the network.
        """
        limit = self.late_at - self.began_at
        try:
            if not sent.done():
                raise TimeoutError
            response = sent.result()
            _note_end(self._settings, key_end(response))
            looked = parse_response(response, self._url, self._wallet, self._secrets)
        except PohError as error:
            failure = error
        except NETWORK_ERRORS as error:
            failure = connection_failed(error, limit, self._settings.peer, self._secrets)
        else:
            self._report(200, "", looked.result["requestId"])
            return looked
        self._report(failure.status, failure.code, failure.request_id)
        if isinstance(failure, Refused):
            raise failure
        self._plan(failure)
        return None

    def _report(self, status: int, code: str, request_id: str) -> None:
        seconds = time.monotonic() - self.began_at
        self._settings.on_attempt(Attempt(self._attempts, status, code, request_id, seconds))

    def _plan(self, failure: PohError) -> None:
        """Plans the next attempt, or raises the failure."""
        asked, number = failure.retry_after, self._attempts
        self.asked = asked
        pause = self._settings.pause * (2 ** (number - 1) + random.random())
        if self._max_wait is not None and asked:
            # The service is well, but wants fewer requests.
            self._attempts, pause = number - 1, 0
        self.starts_at = time.monotonic() + max(pause, asked)
        if isinstance(failure, ConnectionFailed) and failure.is_permanent:
            failure.message = f"The lookup failed because {failure.message}"
            raise failure
        is_last = self._attempts >= _ATTEMPTS or self.starts_at >= self._ends_at
        if is_last or (self._max_wait is not None and asked > self._max_wait):
            after = f"in {asked} s" if asked else "later"
            failure.message = f"Attempt {number} of {_ATTEMPTS} failed ({failure.message}). Try again {after}."
            raise failure


class Batch(Generic[_S]):
    """Many lookups. When the service asks one of them to wait, all wait; then one goes ahead, and more after it."""

    def __init__(self, settings: Settings, subjects: object, at_once: int, max_wait: float) -> None:
        if at_once < 1:
            raise ValueError("at_once is at least 1.")
        self._settings, self._at_once = settings, at_once
        if not max_wait >= 0:
            raise ValueError("max_wait is a number of seconds.")
        self._max_wait = max_wait
        self._total = len(subjects) if isinstance(subjects, Sized) else None
        self._waiting: list[Lookup] = []
        self._subjects: dict[Lookup, tuple[int, _S]] = {}  # of lookups that have not ended
        self._index = self._done = self._failures = self._asked = 0
        self._opens_at, self._allowed = 0.0, at_once
        self._last: Unavailable | None = None  # why no other lookup is made

    @property
    def is_busy(self) -> bool:
        return bool(self._subjects)

    @property
    def has_room(self) -> bool:
        return len(self._subjects) < self._at_once

    def add(self, subject: _S) -> Failed[_S] | None:
        index, self._index = self._index, self._index + 1
        try:
            lookup = Lookup(self._settings, subject, self._settings.timeout, self._max_wait)
        except (SubjectRefused, TypeError, ValueError) as error:
            self._done += 1
            return Failed(subject, index, self._done, self._total, error)
        self._subjects[lookup] = (index, subject)
        self._waiting.append(lookup)
        return None

    def due(self) -> Iterator[Lookup]:
        """The lookups whose next attempt is due."""
        for lookup in self._waiting[:]:
            now, in_flight = time.monotonic(), len(self._subjects) - len(self._waiting)
            if in_flight < self._allowed and max(lookup.starts_at, self._opens_at) <= now:
                self._waiting.remove(lookup)
                yield lookup

    def wait(self, in_flight: Iterable[Lookup]) -> float:
        """The seconds until an attempt is late, or another one is due."""
        late = [lookup.late_at for lookup in in_flight]
        due = [max(lookup.starts_at, self._opens_at) for lookup in self._waiting if len(late) < self._allowed]
        return min(3600, max(0, min(late + due, default=math.inf) - time.monotonic()))

    def ended(self, lookup: Lookup, sent: Sent) -> Found[_S] | None:
        """Takes the outcome of an attempt. Returns None if another attempt follows. Raises a refusal of all lookups."""
        try:
            looked = lookup.ended(sent)
        except SubjectRefused as error:
            return self._failed(lookup, error)
        except Unavailable as error:
            failures = self._failures + 1
            found = self._failed(lookup, error)
            self._failures = failures
            is_permanent = isinstance(error, ConnectionFailed) and error.is_permanent
            if is_permanent or failures >= _IN_A_ROW_MAX or error.retry_after > self._max_wait:
                self._last = error
            return found
        if looked is None:
            self._waiting.append(lookup)
            if lookup.asked:
                self._close(lookup)
            return None
        index, subject = self._end(lookup)
        return Succeeded(subject, index, self._done, self._total, looked.result, looked.evidence)

    def go_on(self) -> None:
        """Raises Unavailable if the other lookups would fail too."""
        if self._last:
            why = "asked for a long wait"
            if not self._last.retry_after:
                why = f"failed {self._failures} times in a row" if self._failures > 1 else "cannot be reached"
            self._last.message = f"The service {why}, so the other lookups were not made. {self._last.message}"
            raise self._last

    def _failed(self, lookup: Lookup, error: SubjectRefused | Unavailable) -> Failed[_S]:
        index, subject = self._end(lookup)
        return Failed(subject, index, self._done, self._total, error)

    def _end(self, lookup: Lookup) -> tuple[int, _S]:
        self._done += 1
        self._failures = self._asked = 0
        if lookup.began_at >= self._opens_at:
            self._allowed = min(self._at_once, self._allowed * 2)
        return self._subjects.pop(lookup)

    def _close(self, lookup: Lookup) -> None:
        self._opens_at = max(self._opens_at, lookup.starts_at)
        self._asked = self._asked + 1 if self._allowed == 1 else 0
        self._allowed = 1
        if self._asked >= _IN_A_ROW_MAX:
            self._last = RateLimited(f"It asked to wait {self._asked} times in a row.", retry_after=lookup.asked)


def _parse_subject(subject: object) -> tuple[str, str]:
    """Returns its mode and value."""
    if not isinstance(subject, Mapping):
        raise TypeError('A subject is a dict with one of wallet, email and token, such as {"wallet": "…"}.')
    if not any(mode in subject for mode in _MODES):
        raise ValueError("The subject has none of the keys wallet, email and token.")
    for mode in _MODES:
        # What a parser of a query or of JSON makes is the mistake of a person. Anything else is one of the program.
        if not isinstance(subject.get(mode), (str, list, dict, type(None))):
            raise TypeError(f"The {mode} is not a str.")
    texts = [(mode, subject.get(mode)) for mode in _MODES]
    given = [(mode, value) for mode, text in texts if isinstance(text, str) and (value := trimmed(text))]
    if len(given) > 1:
        raise ValueError("Look up only one of wallet, email and token.")
    if not given:
        raise SubjectRefused("The wallet, e-mail address or token is missing.", code="missing_subject")
    return given[0]


_has_warned = threading.Event()


def _note_end(settings: Settings, ends: datetime | None) -> None:
    settings.key_ends = ends
    if ends and ends - datetime.now(timezone.utc) < _WARN_BEFORE and not _has_warned.is_set():
        _has_warned.set()
        _log.warning("The API key ends at %s. Ask an admin of the service to rotate it.", ends.isoformat())
