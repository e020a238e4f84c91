# Copyright (c) 2026 The PoH attestations authors.
# SPDX-License-Identifier: MIT

"""Looks up Proof-of-Humanity attestations. Needs only the standard library of Python 3.9 or later.

    from poh_attestations import Client, Refused, Unavailable

    client = Client("https://PROJECT.web.app", key)
    result = client.look_up(token=token)
    if result["hasVerifiedHuman"]: ...
"""

import base64
import email.utils
import http.client
import json
import math
import os
import queue
import random
import re
import selectors
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.request
import zlib
from dataclasses import dataclass
from typing import (
    Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, Sequence, Tuple, TypedDict, TypeVar, Union, cast,
    get_origin, get_type_hints,
)

__version__ = "1.0.0"
__all__ = [
    "Attestation", "Client", "Evidence", "Found", "LookupResult", "Refused", "Subject",
    "Unavailable", "cast_poll_vote", "supports", "voted_in", "wallet_mark",
]


class Attestation(TypedDict):
    # The attestation type: 0 VERIFIED_HUMAN, 1 VOTED, 2 SUPPORTED_PROPOSAL, 3
    # RECEIVED_SHARE, 4 POLL_VOTED. Types have been added before, so ignore entries of a
    # type that you do not know.
    attestationType: int
    # What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. For
    # type 0 they are all zero, for types 1 and 2 they are the proposal account address, and
    # for type 4 they are the poll vote's nullifier hash.
    contextHashHex: str
    # `confirmed` means on the chain and mirrored. `pending` means minted by the platform
    # and awaiting confirmation on the chain. A pending attestation is in
    # `attestations` and `count`, but sets no flag. Treat a status that you do not know as
    # not confirmed.
    status: str
    # Address of the attestation account on the chain. It is derived from the holder, the
    # type and the context hash. So the address of a type-0 attestation is the same in every
    # lookup of a wallet, and differs between wallets.
    onChainAddress: str
    # When the mirror's copy of the attestation was last updated from the chain, in ISO 8601,
    # UTC, with milliseconds.
    syncedAt: str
    # When the attestation was made, in ISO 8601, UTC, with milliseconds.
    createdAt: str


class _LookupResult(TypedDict):
    # The attestations of the subject's wallet, including pending ones, sorted by
    # `createdAt`, then `onChainAddress`. Empty if the wallet has none.
    attestations: List[Attestation]
    # The length of `attestations`, including pending ones.
    count: int
    # True when at least one attestation of type 0 is confirmed. The primary signal for
    # humanity gating.
    hasVerifiedHuman: bool
    # True when at least one attestation of type 1 is confirmed.
    hasVoted: bool
    # Number of confirmed type-1 attestations, one per proposal.
    votedCount: int
    # True when at least one attestation of type 2 is confirmed.
    hasSupportedProposal: bool
    # Number of confirmed type-2 attestations, one per proposal.
    supportedCount: int
    # The id of the response, which the client adds. Quote it when you ask for help; empty if the response
    # has none.
    requestId: str


class LookupResult(_LookupResult, total=False):
    # The wallet that was looked up. Present in wallet mode only; absent in e-mail and token
    # mode.
    wallet: str


class Subject(TypedDict, total=False):
    """The person to look up. Exactly one of the three is set."""

    wallet: str
    email: str
    token: str


class Refused(Exception):
    """The service refused the request, and a retry would not help. Branch on `code`.

    status      the HTTP status; 0 if nothing was sent because the subject is empty
    code        a code of the contract; `not_the_service` if the response did not come from the service
    request_id  quote it when you ask for help; empty if the response has none
    """

    def __init__(self, status: int, code: str, request_id: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.request_id = status, code, request_id

    @property
    def is_about_subject(self) -> bool:
        """Whether the same client may succeed with another subject."""
        is_ours = self.code not in ("not_the_service", "not_found")
        return self.status in _TOO_LONG or (is_ours and self.status in (0, 400, 404))


class Unavailable(Exception):
    """No attempt succeeded. Admit nobody, and try again later.

    status       the HTTP status of the last attempt; 0 if it got no complete response
    code         the code of the last response, such as "internal"; empty if it has none
    request_id   the id of the last response; quote it when you ask for help; empty if the response has none
    retry_after  the seconds that the service asked to wait, or None
    """

    def __init__(
        self, message: str, status: int = 0, code: str = "", request_id: str = "", retry_after: Optional[int] = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.request_id, self.retry_after = status, code, request_id, retry_after


class Evidence(TypedDict):
    """The parts of a signed response to store. They contain the subject, so treat them as personal data."""

    url: str
    body: str
    requestId: str
    signatureInput: str
    signature: str


@dataclass(frozen=True)
class Found:
    """One of many lookups, with its result or its error. So far, `done` of `total` lookups are finished."""

    subject: Subject
    done: int
    total: int
    result: Optional[LookupResult] = None
    error: Union[Refused, Unavailable, None] = None


_ATTEMPTS = 4
_BODY_MAX_BYTES = 64 * 2**20  # Google Cloud sends at most 32 MB
_PART_BYTES = 2**16
_RETRY_AFTER_MAX = 30.0  # seconds; if the service asks for a longer pause, the lookup fails immediately
_TOO_LONG = (414, 431)  # the statuses with which servers on the way refuse a long URL
_USER_AGENT = f"poh-attestations-python/{__version__}"
_MODES = ("wallet", "email", "token")
_Accepted = TypeVar("_Accepted")
_Reused = TypeVar("_Reused")
_Headers = http.client.HTTPMessage


class _Gate:
    """The earliest time of the next request. The lookups of one call share it."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self._opens_at = 0.0
        self._lock = threading.Lock()

    def close_for(self, seconds: float) -> None:
        with self._lock:
            self._opens_at = max(self._opens_at, time.monotonic() + seconds)

    def wait(self, pause: float = 0.0) -> bool:
        """Waits for the pause, then until the gate opens. Returns False if the call was stopped."""
        until = time.monotonic() + pause
        while not self.stopped.is_set() and (left := max(until, self._opens_at) - time.monotonic()) > 0:
            self.stopped.wait(min(left, threading.TIMEOUT_MAX))
        return not self.stopped.is_set()


class _Idle(Generic[_Reused]):
    """What one process can use again. After a fork, two processes must not use the same."""

    def __init__(self) -> None:
        self._held: Tuple[int, List[_Reused]] = (os.getpid(), [])

    def of_this_process(self) -> List[_Reused]:
        owner, idle = self._held
        if owner != os.getpid():
            idle = []
            self._held = (os.getpid(), idle)
        return idle


_Tasks = queue.SimpleQueue  # of functions
_threads: "_Idle[_Tasks[Callable[[], None]]]" = _Idle()


def _run_in_thread(task: Callable[[], None]) -> None:
    """Runs a task in a daemon thread, which then waits for another task.

    It does not end, because an ending thread can hold a lock of OpenSSL. If the program forks at that moment,
    the lock is never released in the new process, whose lookups would then wait forever.
    """
    idle = _threads.of_this_process()
    try:
        tasks = idle.pop()
    except IndexError:
        tasks = _Tasks()

        def work() -> None:
            while True:
                tasks.get()()
                idle.append(tasks)

        threading.Thread(target=work, daemon=True).start()
    tasks.put(task)


def _trimmed(text: Optional[str]) -> str:
    """Removes white space and byte order marks around a text."""
    return (text or "").strip().strip("\ufeff").strip()


class Client:
    """Looks up attestations. Threads may share a client."""

    def __init__(
        self,
        url: Optional[str],
        key: Optional[str],
        *,
        timeout: float = 15.0,
        pause: float = 1.0,
        connect: Optional[Callable[[], http.client.HTTPConnection]] = None,
    ) -> None:
        """
        url      the address of the platform, such as https://PROJECT.web.app
        key      the API key of your project
        timeout  seconds until an attempt times out
        pause    seconds before the second attempt; doubled before each further attempt
        connect  creates a connection to the platform; by default with TLS, through the proxy in HTTPS_PROXY

        Raises ValueError if the address or the key is unusable.
        """
        address = _parse_address(url)
        self._host, self._port, self._path = address.hostname or "", address.port, address.path.rstrip("/")
        self._origin = f"{address.scheme}://{address.netloc}"
        self._key = _parse_key(key)
        self._timeout, self._pause = timeout, pause
        self._context = ssl.create_default_context() if address.scheme == "https" else None
        self._connect = connect or self._default_connection
        self._connections: _Idle[http.client.HTTPConnection] = _Idle()

    def __repr__(self) -> str:
        return f"Client({self._origin!r})"

    def look_up(
        self, *, wallet: Optional[str] = None, email: Optional[str] = None, token: Optional[str] = None
    ) -> LookupResult:
        """Looks up one subject. Raises Refused or Unavailable; in both cases admit nobody."""
        return self._look_up({"wallet": wallet, "email": email, "token": token})[0]

    def look_up_with_evidence(
        self, *, wallet: Optional[str] = None, email: Optional[str] = None, token: Optional[str] = None
    ) -> Tuple[LookupResult, Optional[Evidence]]:
        """Looks up one subject, and returns the result with evidence that proves it later.

        The evidence is None if the platform does not sign its responses.
        Raises Refused or Unavailable; in both cases admit nobody.
        """
        return self._look_up({"wallet": wallet, "email": email, "token": token})

    def look_up_many(self, subjects: Sequence[Subject], at_once: int = 16) -> Iterator[Found]:
        """Looks up many subjects, such as [{"wallet": ...}], and yields each outcome as soon as it is known.

        To stop, leave the loop. Raises Refused if the service refuses every lookup, for example because
        the key is not valid.
        """
        gate = _Gate()
        waiting = iter(subjects)
        ended: "queue.SimpleQueue[Tuple[Subject, Any]]" = queue.SimpleQueue()

        def work(subject: Subject) -> None:
            try:
                ended.put((subject, self._look_up(subject, gate)[0]))
            except Exception as error:
                ended.put((subject, error))

        def start() -> int:
            """Starts the next lookup. Returns 0 if there is none."""
            for subject in waiting:
                # A daemon, so that it does not delay the end of the program.
                threading.Thread(target=work, args=(subject,), daemon=True).start()
                return 1
            return 0

        try:
            running, done = sum(start() for _ in range(max(1, at_once))), 0
            while running:
                subject, outcome = ended.get()
                running, done = running - 1, done + 1
                if isinstance(outcome, Unavailable) or (isinstance(outcome, Refused) and outcome.is_about_subject):
                    found = Found(subject, done, len(subjects), error=outcome)
                elif isinstance(outcome, Exception):
                    raise outcome
                else:
                    found = Found(subject, done, len(subjects), result=outcome)
                running += start()
                yield found
        finally:
            gate.stopped.set()

    def public_keys(self) -> List[Dict[str, Any]]:
        """Fetches the platform's current and former public keys, which verify evidence."""

        def accept(body: Any, _text: str, _headers: _Headers) -> Optional[List[Dict[str, Any]]]:
            keys = body.get("keys") if isinstance(body, dict) else None
            return [key for key in keys if isinstance(key, dict)] if isinstance(keys, list) else None

        # Sent without the API key, because the public keys need none.
        return self._exchange("/.well-known/http-message-signatures-directory", {}, accept, (), _Gate())

    def _look_up(
        self, subject: Mapping[str, Any], gate: Optional[_Gate] = None
    ) -> Tuple[LookupResult, Optional[Evidence]]:
        mode = next((mode for mode in _MODES if _trimmed(subject.get(mode))), None)
        if mode is None:
            raise Refused(0, "missing_subject", "", "The wallet, e-mail address or token is missing.")
        value = _trimmed(subject[mode])
        # Not urlencode, because it encodes a space as "+", which the service reads as a plus sign.
        encoded = urllib.parse.quote(value, safe="", errors="replace")
        target = f"{self._path}/pohAttestationsEndpoint?{mode}={encoded}"

        def accept(body: Any, text: str, headers: _Headers) -> Optional[Tuple[LookupResult, Optional[Evidence]]]:
            result = {**body, "requestId": headers.get("X-Request-Id", "")} if isinstance(body, dict) else None
            if not _is_result(result) or (mode == "wallet" and body.get("wallet") != value):
                return None
            return cast(LookupResult, result), self._evidence(target, text, headers)

        secrets = (self._key, value, encoded)
        return self._exchange(target, {"X-PoH-API-Key": self._key}, accept, secrets, gate or _Gate())

    def _evidence(self, target: str, text: str, headers: _Headers) -> Optional[Evidence]:
        signature = headers.get("Signature", "")
        if not signature:
            return None
        return {
            "url": self._origin + target,
            "body": text,
            "requestId": headers.get("X-Request-Id", ""),
            "signatureInput": headers.get("Signature-Input", ""),
            "signature": signature,
        }

    def _exchange(
        self,
        target: str,
        headers: Dict[str, str],
        accept: Callable[[Any, str, _Headers], Optional[_Accepted]],
        secrets: Sequence[str],
        gate: _Gate,
    ) -> _Accepted:
        """Sends a request in up to four attempts. `accept` returns None for a 200 that is not from the service."""
        attempt, pause, failed = 0, 0.0, Unavailable("stopped")
        while attempt < _ATTEMPTS and (failed.retry_after or 0) <= _RETRY_AFTER_MAX and gate.wait(pause):
            attempt += 1
            try:
                status, received, content = self._attempt(target, {"User-Agent": _USER_AGENT, **headers})
                text, body = _parse_body(received, content)
                accepted = accept(body, text, received) if status == 200 else None
                if accepted is not None:
                    return accepted
                raise _failure(status, received, body, secrets)
            except Unavailable as error:
                failed = error
            gate.close_for(failed.retry_after or 0)
            pause = self._pause * (2 ** (attempt - 1) + random.random())
        after = f"in {failed.retry_after} s" if failed.retry_after else "later"
        message = f"Attempt {attempt} of {_ATTEMPTS} failed ({failed}). Try again {after}."
        raise Unavailable(message, failed.status, failed.code, failed.request_id, failed.retry_after)

    def _attempt(self, target: str, headers: Dict[str, str]) -> Tuple[int, _Headers, bytes]:
        """Makes one attempt. It times out even if the response arrives byte by byte."""
        outcome: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        idle = self._connections.of_this_process()
        connection = _pop_open(idle) or self._connect()
        connection.response_class = _Response

        def request() -> Tuple[int, _Headers, bytes]:
            # Redirects are not followed, because they would send the key and the subject to another server.
            connection.request("GET", target, headers=headers)
            response = connection.getresponse()
            content = bytearray()
            # Read in parts, because Python 3.9 allocates the maximum that a single call may return.
            while part := response.read(_PART_BYTES):
                content += part
                if len(content) > _BODY_MAX_BYTES:
                    raise Unavailable("a response of more than 64 MiB")
            if response.length:
                raise Unavailable("a truncated response")
            if not response.will_close:
                idle.append(connection)
            return response.status, response.headers, bytes(content)

        def exchange() -> None:
            try:
                outcome.put(request())
            except Exception as error:
                connection.close()
                outcome.put(error)

        _run_in_thread(exchange)
        try:
            received = outcome.get(timeout=self._timeout)
        except queue.Empty:
            _cut(connection)
            received = TimeoutError()
        if isinstance(received, (TimeoutError, socket.timeout)):
            raise Unavailable(f"no response within {self._timeout:g} s") from None
        if isinstance(received, Exception):
            raise Unavailable(_reason(received)) from None
        return received  # type: ignore[no-any-return]

    def _default_connection(self) -> http.client.HTTPConnection:
        if not self._context:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        proxy = None if urllib.request.proxy_bypass(self._host) else urllib.request.getproxies().get("https")
        if not proxy:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._context)
        through = urllib.parse.urlsplit(proxy if "//" in proxy else f"//{proxy}")
        connection = http.client.HTTPSConnection(
            through.hostname or "", through.port or 8080, timeout=self._timeout, context=self._context
        )
        user, password = (urllib.parse.unquote(text or "") for text in (through.username, through.password))
        credentials = base64.b64encode(f"{user}:{password}".encode()).decode()
        authorization = {"Proxy-Authorization": f"Basic {credentials}"} if user or password else {}
        connection.set_tunnel(self._host, self._port or 443, headers=authorization)
        return connection


class _Response(http.client.HTTPResponse):
    """Skips each interim response (1xx), as http.client does with 100 only."""

    def _read_status(self) -> Tuple[str, int, str]:
        version, status, reason = super()._read_status()  # type: ignore[misc]
        return version, 100 if 101 < status < 200 else status, reason


def _pop_open(idle: List[http.client.HTTPConnection]) -> Optional[http.client.HTTPConnection]:
    """Takes an idle connection that the server has not closed."""
    while True:
        try:
            connection = idle.pop()
        except IndexError:
            return None
        if connection.sock:
            with selectors.DefaultSelector() as selector:
                selector.register(connection.sock, selectors.EVENT_READ)
                # Between two responses, only the end of the connection can be read. TLS may have read more already.
                if not selector.select(timeout=0) and not getattr(connection.sock, "pending", int)():
                    return connection
        connection.close()


def _cut(connection: http.client.HTTPConnection) -> None:
    """Closes the connection, so that the thread which waits for it ends."""
    try:
        if connection.sock:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # The connection is already closed.


def _parse_address(text: Optional[str]) -> urllib.parse.SplitResult:
    address = _trimmed(text)
    try:
        url = urllib.parse.urlsplit(address)
        host = url.hostname if url.port is None or url.port else None
    except ValueError:
        url, host = urllib.parse.urlsplit(""), None
    if not host or not re.fullmatch(r"[!-~]+", address):
        raise ValueError("The address of the service is missing or not a URL. Set it to https://…") from None
    is_loopback = re.fullmatch(r"localhost|127(\.\d{1,3}){3}|::1", host)
    if url.scheme != "https" and not (url.scheme == "http" and is_loopback):
        raise ValueError(
            "The address of the service must begin with https:// to keep the key secret. "
            "http:// is allowed only for this machine (127.0.0.1, localhost)."
        )
    if "@" in url.netloc or url.query or url.fragment:
        raise ValueError('The address of the service must not contain a user name, "?" or "#".')
    return url


def _parse_key(text: Optional[str]) -> str:
    key = _trimmed(text)
    if not key:
        raise ValueError("The API key is missing. Get one from an admin of the platform.")
    if re.fullmatch(r"[ -~]+", key):
        return key
    raise ValueError("The API key contains a line break or another character that keys do not have. Copy it again.")


def _parse_body(headers: _Headers, content: bytes) -> Tuple[str, Any]:
    """Parses the body. Returns its text, and its JSON value or None."""
    try:
        if headers.get("Content-Encoding", "identity") in ("gzip", "deflate"):
            unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32)
            content = unpacking.decompress(content, _BODY_MAX_BYTES + 1)
            if len(content) > _BODY_MAX_BYTES:
                raise Unavailable("a response of more than 64 MiB")
            if not unpacking.eof:
                return "", None
        text = content.decode()
        return text, json.loads(text)
    except (ValueError, RecursionError, zlib.error):
        return "", None


def _fields_of(kind: type) -> Dict[str, type]:
    return {name: get_origin(field) or field for name, field in get_type_hints(kind).items()}


_RESULT_FIELDS, _ATTESTATION_FIELDS = _fields_of(_LookupResult), _fields_of(Attestation)


def _is_result(body: Any) -> bool:
    return _fits(body, _RESULT_FIELDS) and all(_fits(entry, _ATTESTATION_FIELDS) for entry in body["attestations"])


def _fits(value: Any, fields: Mapping[str, type]) -> bool:
    return isinstance(value, dict) and all(type(value.get(name)) is kind for name, kind in fields.items())


def _failure(status: int, headers: _Headers, body: Any, secrets: Sequence[str]) -> Exception:
    """Describes a response that is not a result: Refused, or Unavailable if a retry may help."""

    def clean(text: Any) -> str:
        """Removes secrets and control characters, since the text may come from another server."""
        text = text if isinstance(text, str) else ""
        for secret in secrets:
            text = text.replace(secret, "…")
        return "".join(character if character.isprintable() else " " for character in text)[:300]

    fields = body if isinstance(body, dict) else {}
    request_id = clean(fields.get("requestId")) or clean(headers.get("X-Request-Id"))
    is_ours = isinstance(fields.get("error"), str) and isinstance(fields.get("code"), str)
    code = fields["code"] if is_ours else ""
    # A code of the service is kept, because a subject may be as short as "t".
    if not re.fullmatch("[a-z_]+", code) or code in secrets:
        code = clean(code)
    if status == 200:
        return Unavailable("HTTP 200, not from the service", 200, "", request_id, _retry_after(headers))
    if not 300 <= status < 500 or status == 429:
        reason = f"HTTP {status} {code}".rstrip() + (request_id and f", request {request_id}")
        return Unavailable(reason, status, code, request_id, _retry_after(headers))
    if status in _TOO_LONG:
        return Refused(status, "not_the_service", request_id, f"HTTP {status}, the subject is too long. Check it.")
    if status < 400 or not code:
        what = "a redirect, which is not followed" if status < 400 else "not from the service"
        message = f"HTTP {status}, {what}. Check the address of the service."
        return Refused(status, "not_the_service", request_id, message)
    return Refused(status, code, request_id, f"{status} {code}: {clean(fields['error'])} (request {request_id or 'unknown'})")


def _retry_after(headers: _Headers) -> Optional[int]:
    """Returns the seconds to wait; None if the response has no Retry-After."""
    value = headers.get("Retry-After", "")
    try:
        moment = None if value.isdigit() else email.utils.parsedate_to_datetime(value)
        seconds = float(value) if moment is None else moment.timestamp() - time.time()
        return math.ceil(max(0.0, seconds)) or None
    except (TypeError, ValueError, OverflowError):
        return None


def _reason(error: Exception) -> str:
    """Describes a failure in a few words. Omits text from the server, which may repeat the request."""
    if isinstance(error, Unavailable):
        return str(error)
    tunnel = re.match(r"Tunnel connection failed: (\d{3})", str(error))
    if tunnel:
        return f"the proxy responded with HTTP {tunnel[1]}"
    return (isinstance(error, OSError) and error.strerror) or type(error).__name__


_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def _address_hex(address: str) -> str:
    """Converts a base58 address of 32 bytes to hex digits."""
    digits = [_ALPHABET.find(digit) for digit in address.strip()]
    if len(digits) <= 44 and -1 not in digits:
        number = 0
        for digit in digits:
            number = number * 58 + digit
        zeros = next((place for place, digit in enumerate(digits) if digit), len(digits))
        raw = bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8, "big")
        if len(raw) == 32:
            return raw.hex()
    raise ValueError("A proposal's address must be base58 of 32 bytes.")


def _confirmed(result: LookupResult, attestation_type: int, context_hash_hex: str) -> Optional[Attestation]:
    for attestation in result["attestations"]:
        if (
            attestation["attestationType"] == attestation_type
            and attestation["status"] == "confirmed"
            and attestation["contextHashHex"].lower() == context_hash_hex
        ):
            return attestation
    return None


def voted_in(result: LookupResult, proposal: str) -> bool:
    """Whether the person voted on a proposal, as confirmed by the chain.

    proposal  the base58 address of the proposal's account; raises ValueError if it is invalid
    """
    return _confirmed(result, 1, _address_hex(proposal)) is not None


def supports(result: LookupResult, proposal: str) -> bool:
    """Whether the person supports a proposal, as confirmed by the chain. See `voted_in`."""
    return _confirmed(result, 2, _address_hex(proposal)) is not None


def cast_poll_vote(result: LookupResult, nullifier_hash: str) -> bool:
    """Whether the person cast a vote in a poll, as confirmed by the chain.

    nullifier_hash  64 hex digits, as the poll published them; raises ValueError if they are invalid
    """
    digits = nullifier_hash.strip().lower()
    if not re.fullmatch("[0-9a-f]{64}", digits):
        raise ValueError("The nullifier hash of a poll vote must have 64 hex digits.")
    return _confirmed(result, 4, digits) is not None


def wallet_mark(result: LookupResult) -> Optional[str]:
    """Identifies a wallet, without containing its address. The chain's public transactions may show the
    address. Every lookup of the wallet returns the same mark, in every mode and for every project. None
    if the wallet's holder is not a verified human."""
    attestation = _confirmed(result, 0, "0" * 64)
    return attestation["onChainAddress"] if attestation else None
