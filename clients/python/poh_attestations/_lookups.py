"""When to send which request, and what its response means for a lookup. Nothing here waits, so both clients use it: they
call `step` as soon as `due_at`, or when a request has ended."""

from __future__ import annotations

import logging
import math
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Generic, Optional, TypedDict, TypeVar, Union
from urllib.parse import quote

from ._errors import (
    NETWORK_ERRORS,
    ConnectionFailed,
    Evidence,
    PohError,
    Refused,
    SubjectRefused,
    Unavailable,
    connection_failed,
)
from ._requests import Pool, Sent
from ._responses import Looked, LookupResult, key_end, parse_response
from ._settings import Attempt, Settings, parse_number, trimmed

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


class Lookup:
    """One lookup, in up to four attempts."""

    asked = 0  # the seconds that the service asked to wait in the last attempt
    max_wait: float | None = None  # for one of many: the seconds that it may still wait, which is not an attempt
    _attempts = 0
    _sent: Sent | None = None

    def __init__(
        self,
        settings: Settings,
        pool: Pool,
        subject: Mapping[str, Any],
        timeout: float,
        on_end: Callable[[], object],
    ) -> None:
        """Calls `on_end` in another thread when a request has ended."""
        self._settings, self._pool, self._on_end = settings, pool, on_end
        self._mode, value = _parse_subject(subject)
        # Not urlencode, because it encodes a space as "+", which the service reads as a plus sign.
        encoded = quote(value, safe="")
        self._url = f"{settings.url}/pohAttestationsEndpoint?{self._mode}={encoded}"
        self._wallet = value if self._mode == "wallet" else None
        self._secrets = (settings.key, value, encoded)
        self.began_at = self.due_at = time.monotonic()
        self._ends_at = self.due_at + timeout

    @property
    def is_in_flight(self) -> bool:
        return self._sent is not None

    def step(self) -> Looked | None:
        """Begins or ends an attempt, if it is time. Returns None if the lookup goes on until `due_at`.

        Raises the failure of the lookup, and any error that is not of the network.
        """
        is_due = time.monotonic() >= self.due_at
        if not self._sent:
            if is_due:
                self._send()
            return None
        return self._end(self._sent) if is_due or self._sent.done() else None

    def delay(self, seconds: float) -> None:
        """Delays the next attempt for others, which takes no time of its own."""
        self._ends_at += seconds

    def close(self) -> None:
        """Leaves nothing in flight."""
        if self._sent:
            self._sent.stop()

    def _send(self) -> None:
        self._attempts += 1
        self.asked = 0
        self.began_at, self.due_at = time.monotonic(), self._ends_at
        headers = {"User-Agent": f"poh-attestations-python/{__version__}", "X-PoH-API-Key": self._settings.key}
        # Only a response to a wallet names its subject. Another one could be left behind by an earlier request.
        if self._mode != "wallet":
            headers["Connection"] = "close"
        self._sent = Sent(self._pool, self._url, headers, self._ends_at - self.began_at, self._on_end)

    def _end(self, sent: Sent) -> Looked | None:
        self._sent = None
        limit = self._ends_at - self.began_at
        try:
            if not sent.done():
                sent.stop()
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
        max_wait = self.max_wait if asked else None
        if max_wait is not None and asked <= max_wait:
            self._attempts -= 1
            self.delay(asked)
            self.due_at = time.monotonic() + asked
            return
        pause = self._settings.pause * (2 ** (number - 1) + random.random())
        self.due_at = time.monotonic() + max(pause, asked)
        if isinstance(failure, ConnectionFailed) and failure.is_permanent:
            failure.message = f"The lookup failed because {failure.message}"
            raise failure
        if max_wait is not None or number >= _ATTEMPTS or self.due_at >= self._ends_at:
            after = f"in {asked} s" if asked else "later"
            failure.message = f"Attempt {number} of {_ATTEMPTS} failed ({failure.message}). Try again {after}."
            raise failure


class Batch(Generic[_S]):
    """Many lookups. When the service asks one of them to wait, all wait; then one goes ahead, and more after it."""

    def __init__(self, lookup_of: Callable[[_S], Lookup], subjects: object, at_once: int, max_wait: float) -> None:
        self._lookup_of, self._max_wait = lookup_of, parse_number("max_wait", max_wait, 0)
        self._at_once = self._allowed = int(parse_number("at_once", at_once, 1))
        self._total = len(subjects) if isinstance(subjects, Sized) else None
        self._lookups: dict[Lookup, tuple[int, _S]] = {}  # with the index and the subject, until they end
        self._bad: list[tuple[int, _S, SubjectRefused | TypeError | ValueError]] = []
        self._index = self._done = self._in_a_row = 0
        self._opens_at = 0.0
        self._waited = 0.0  # since the last response that asked for no wait

    @property
    def is_busy(self) -> bool:
        return bool(self._lookups or self._bad)

    @property
    def room(self) -> int:
        """How many subjects may be added."""
        return max(0, self._at_once - len(self._lookups) - len(self._bad))

    @property
    def due_at(self) -> float:
        in_flight, waiting = self._parts()
        due = [max(each.due_at, self._opens_at) for each in waiting if len(in_flight) < self._allowed]
        return min([each.due_at for each in in_flight] + due, default=math.inf)

    def add(self, subject: _S) -> None:
        try:
            self._lookups[self._lookup_of(subject)] = (self._index, subject)
        except (SubjectRefused, TypeError, ValueError) as error:
            self._bad.append((self._index, subject, error))
        self._index += 1

    def step(self) -> Iterator[Found[_S]]:
        """Begins and ends the attempts for which it is time. Raises what every lookup would fail with."""
        while self._bad:
            index, subject, error = self._bad.pop()
            self._done += 1
            yield Failed(subject, index, self._done, self._total, error)
        in_flight, waiting = self._parts()
        for lookup in in_flight:
            yield from self._end(lookup)
        free = self._allowed - len(self._parts()[0])
        now = time.monotonic()
        for lookup in waiting:
            if free > 0 and now >= max(lookup.due_at, self._opens_at):
                lookup.delay(now - lookup.due_at)
                lookup.step()
                free -= 1

    def close(self) -> None:
        """Leaves nothing in flight."""
        for lookup in self._lookups:
            lookup.close()

    def _parts(self) -> tuple[list[Lookup], list[Lookup]]:
        """The lookups in flight, and the others."""
        in_flight = [each for each in self._lookups if each.is_in_flight]
        return in_flight, [each for each in self._lookups if not each.is_in_flight]

    def _end(self, lookup: Lookup) -> Iterator[Found[_S]]:
        looked, error = None, None
        # The part of a wait that all lookups wait for anyway counts once.
        lookup.max_wait = self._max_wait - self._waited + max(0, self._opens_at - time.monotonic())
        try:
            looked = lookup.step()
        except (SubjectRefused, Unavailable) as failure:
            error = failure
        if lookup.is_in_flight:
            return
        if not lookup.asked:
            self._waited = 0
        if not looked and not error:
            if lookup.asked:
                self._hold(lookup)
            return
        index, subject = self._lookups.pop(lookup)
        self._done += 1
        self._in_a_row = self._in_a_row + 1 if isinstance(error, Unavailable) else 0
        if lookup.began_at >= self._opens_at:
            self._allowed = min(self._at_once, self._allowed * 2)
        if looked:
            yield Succeeded(subject, index, self._done, self._total, looked.result, looked.evidence)
        elif error:
            yield Failed(subject, index, self._done, self._total, error)
            is_long = lookup.asked > 0
            if is_long or self._in_a_row >= _IN_A_ROW_MAX:
                why = "asked for too long a wait" if is_long else f"failed {self._in_a_row} times in a row"
                error.message = f"The service {why}, so the other lookups were not made. {error.message}"
                raise error

    def _hold(self, lookup: Lookup) -> None:
        """Lets all lookups wait as long as the service asked one of them, and then only one go ahead."""
        earlier = max(self._opens_at, time.monotonic())
        self._opens_at = max(earlier, lookup.due_at)
        self._waited += self._opens_at - earlier
        self._allowed = 1


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
