# Copyright (c) 2026 The PoH attestations authors.
# SPDX-License-Identifier: MIT

"""Looks up Proof-of-Humanity attestations. Needs only the standard library of Python 3.9 or later, except
that `verify_evidence` needs the package `cryptography`.

    from poh_attestations import Client, Refused, Unavailable

    client = Client("https://PROJECT.web.app", key)
    result = client.look_up(token=token)
    if result["hasVerifiedHuman"]: ...
"""

import base64
import concurrent.futures
import email.utils
import hashlib
import http.client
import json
import math
import os
import queue
import random
import re
import socket
import ssl
import threading
import time
import urllib.parse
import urllib.request
import zlib
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple, TypedDict, TypeVar, Union

__version__ = "1.2.0"
__all__ = [
    "Attestation", "Client", "Evidence", "Found", "LookupResult", "Refused", "Unavailable",
    "cast_poll_vote", "supports", "verify_evidence", "voted_in", "wallet_mark",
]


class Attestation(TypedDict, total=False):
    # The attestation type: 0 VERIFIED_HUMAN, 1 VOTED, 2 SUPPORTED_PROPOSAL, 3
    # RECEIVED_SHARE, 4 POLL_VOTED. Types have been added before, so ignore entries of a
    # type that you do not know.
    attestationType: int
    # What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. For
    # type 0 they are all zero, for types 1 and 2 they are the proposal account address, and
    # for type 4 they are the nullifier of the poll vote.
    contextHashHex: str
    # `confirmed` means on the chain and mirrored. `pending` means minted by the platform
    # and awaiting confirmation on the chain. A pending attestation sets no flag, and only
    # `count` includes it. Treat a status that you do not know as not confirmed.
    status: str
    # Address of the attestation account on the chain. It is derived from the holder, the
    # type and the context hash. So the address of a type-0 attestation is the same in every
    # lookup of a wallet, and differs between wallets.
    onChainAddress: str
    # When the service last updated its record from the chain, in ISO 8601, UTC, with
    # milliseconds.
    syncedAt: str
    # When the attestation was made, in ISO 8601, UTC, with milliseconds.
    createdAt: str


class LookupResult(TypedDict, total=False):
    # The wallet that was looked up. Present in wallet mode only; absent in e-mail and token
    # mode.
    wallet: str
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


# The fields that a response must have.
_REQUIRED = {
    "Attestation": {
        "attestationType": int,
        "contextHashHex": str,
        "status": str,
        "onChainAddress": str,
        "syncedAt": str,
        "createdAt": str,
    },
    "LookupResult": {
        "attestations": list,
        "count": int,
        "hasVerifiedHuman": bool,
        "hasVoted": bool,
        "votedCount": int,
        "hasSupportedProposal": bool,
        "supportedCount": int,
    },
}


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
        return self.status in (0, 400, 404) and self.code not in ("not_the_service", "not_found")


class Unavailable(Exception):
    """No attempt succeeded. Admit nobody, and try again later.

    retry_after  the seconds that the service asked to wait, or None
    """

    def __init__(self, message: str, retry_after: Optional[int] = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


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

    subject: Dict[str, str]
    done: int
    total: int
    result: Optional[LookupResult] = None
    error: Union[Refused, Unavailable, None] = None


_ATTEMPTS = 4
_BODY_MAX_BYTES = 64 * 2**20  # enough for 250,000 attestations
_PART_BYTES = 2**16
_RETRY_AFTER_MAX = 30.0  # seconds; if the service asks for a longer pause, the lookup fails immediately
_MODES = ("wallet", "email", "token")
_Accepted = TypeVar("_Accepted")
_Headers = http.client.HTTPMessage


class _Failed(Exception):
    """An attempt failed and can be retried. The text contains neither the key nor the subject."""

    def __init__(self, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


def _trimmed(text: Optional[str]) -> str:
    """Removes white space and byte order marks around a text."""
    return (text or "").strip().strip("\ufeff").strip()


class Client:
    """Looks up attestations. Threads may share a client."""

    def __init__(self, url: Optional[str], key: Optional[str], *, timeout: float = 15.0, pause: float = 1.0) -> None:
        """
        url      the address of the platform, such as https://PROJECT.web.app
        key      the API key of your project
        timeout  seconds until an attempt times out
        pause    seconds before the second attempt; doubled before each further attempt

        Raises ValueError if the address or the key is unusable.
        """
        address = _parse_address(url)
        self._host, self._port, self._path = address.hostname or "", address.port, address.path.rstrip("/")
        self._origin = f"{address.scheme}://{address.netloc}"
        self._key = _parse_key(key)
        self._timeout, self._pause = timeout, pause
        self._context = ssl.create_default_context() if address.scheme == "https" else None
        # The process, and its idle connections.
        self._pool: Tuple[int, List[http.client.HTTPConnection]] = (os.getpid(), [])

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

    def look_up_many(self, subjects: Sequence[Dict[str, str]], at_once: int = 16) -> Iterator[Found]:
        """Looks up many subjects, such as [{"wallet": ...}], and yields each outcome as soon as it is known.

        To stop, leave the loop. Raises Refused if the service refuses every lookup, for example because
        the key is not valid.
        """
        stop = threading.Event()
        executor = concurrent.futures.ThreadPoolExecutor(max(1, at_once))
        running: Dict["concurrent.futures.Future[Tuple[LookupResult, Any]]", Dict[str, str]] = {}
        waiting, done = iter(subjects), 0
        try:
            while True:
                for subject in waiting:
                    running[executor.submit(self._look_up, subject, stop)] = subject
                    if len(running) >= at_once:
                        break
                if not running:
                    return
                ended, _ = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in ended:
                    subject, done = running.pop(future), done + 1
                    try:
                        yield Found(subject, done, len(subjects), result=future.result()[0])
                    except (Refused, Unavailable) as error:
                        if isinstance(error, Refused) and not error.is_about_subject:
                            raise
                        yield Found(subject, done, len(subjects), error=error)
        finally:
            stop.set()
            executor.shutdown(wait=False, cancel_futures=True)

    def public_keys(self) -> List[Dict[str, Any]]:
        """Fetches the platform's current and former public keys, which verify evidence."""

        def accept(body: Any, _text: str, _headers: _Headers) -> Optional[List[Dict[str, Any]]]:
            keys = body.get("keys") if isinstance(body, dict) else None
            return [key for key in keys if isinstance(key, dict)] if isinstance(keys, list) else None

        # Sent without the API key, because the public keys need none.
        return self._exchange("/.well-known/http-message-signatures-directory", {}, accept, ())

    def _look_up(
        self, subject: Dict[str, Optional[str]], stop: Optional[threading.Event] = None
    ) -> Tuple[LookupResult, Optional[Evidence]]:
        mode = next((mode for mode in _MODES if _trimmed(subject.get(mode))), None)
        if mode is None:
            raise Refused(0, "missing_subject", "", "The wallet, e-mail address or token is missing.")
        value = _trimmed(subject[mode])
        # Not urlencode, because it encodes a space as "+", which the service reads as a plus sign.
        encoded = urllib.parse.quote(value, safe="", errors="replace")
        target = f"{self._path}/pohAttestationsEndpoint?{mode}={encoded}"

        def accept(body: Any, text: str, headers: _Headers) -> Optional[Tuple[LookupResult, Optional[Evidence]]]:
            if not _is_result(body) or (mode == "wallet" and body.get("wallet") != value):
                return None
            return body, self._evidence(target, text, headers)

        secrets = (self._key, value, encoded)
        return self._exchange(target, {"X-PoH-API-Key": self._key}, accept, secrets, stop)

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
        stop: Optional[threading.Event] = None,
    ) -> _Accepted:
        """Sends a request in up to four attempts. `accept` returns None for a 200 that is not from the service."""
        stop = stop or threading.Event()
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                status, received, content = self._attempt(target, headers)
                text, body = _parse_body(received, content)
                accepted = accept(body, text, received) if status == 200 else None
                if accepted is not None:
                    return accepted
                if 300 <= status < 500 and status != 429:
                    raise _refusal(status, body, secrets)
                reason = "HTTP 200, not from the service" if status == 200 else f"HTTP {status}"
                raise _Failed(reason, _retry_after(received))
            except _Failed as error:
                reason, retry_after = str(error), error.retry_after
            if attempt == _ATTEMPTS or retry_after > _RETRY_AFTER_MAX or stop.is_set():
                break
            stop.wait(max(self._pause * (2 ** (attempt - 1) + random.random()), retry_after))
        seconds = math.ceil(retry_after) or None
        after = "later" if seconds is None else f"in {seconds} seconds"
        raise Unavailable(f"Attempt {attempt} of {_ATTEMPTS} failed ({reason}). Try again {after}.", seconds)

    def _attempt(self, target: str, headers: Dict[str, str]) -> Tuple[int, _Headers, bytes]:
        """Makes one attempt. It times out even if the response arrives byte by byte."""
        outcome: "queue.SimpleQueue[Any]" = queue.SimpleQueue()
        owner, idle = self._pool
        if owner != os.getpid():
            # After a fork, two processes on one connection would read each other's responses.
            idle = []
            self._pool = (os.getpid(), idle)
        try:
            connection, is_reused = idle.pop(), True
        except IndexError:
            connection, is_reused = self._connect(), False

        def request() -> Tuple[int, _Headers, bytes]:
            # Redirects are not followed, because they would send the key and the subject to another server.
            connection.request("GET", target, headers=headers)
            response = connection.getresponse()
            content = bytearray()
            # Read in parts, because Python 3.9 allocates the maximum that a single call may return.
            while part := response.read(_PART_BYTES):
                content += part
                if len(content) > _BODY_MAX_BYTES:
                    raise _Failed("a response of more than 64 MiB")
            if response.length:
                raise _Failed("a truncated response")
            if not response.will_close:
                idle.append(connection)
            return response.status, response.headers, bytes(content)

        def exchange() -> None:
            try:
                try:
                    outcome.put(request())
                except (OSError, http.client.HTTPException, _Failed):
                    connection.close()
                    if not is_reused:
                        raise
                    # The server had closed the connection in the meantime.
                    outcome.put(request())
            except Exception as error:
                connection.close()
                outcome.put(error)

        threading.Thread(target=exchange, daemon=True).start()
        try:
            received = outcome.get(timeout=self._timeout)
        except queue.Empty:
            _cut(connection)
            received = TimeoutError()
        if isinstance(received, (TimeoutError, socket.timeout)):
            raise _Failed(f"no response within {self._timeout:g} s") from None
        if isinstance(received, Exception):
            raise _Failed(_reason(received)) from None
        return received

    def _connect(self) -> http.client.HTTPConnection:
        if not self._context:
            return http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        proxy = None if urllib.request.proxy_bypass(self._host) else urllib.request.getproxies().get("https")
        if not proxy:
            return http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._context)
        through = urllib.parse.urlsplit(proxy if "//" in proxy else f"//{proxy}")
        connection = http.client.HTTPSConnection(
            through.hostname or "", through.port or 8080, timeout=self._timeout, context=self._context
        )
        connection.set_tunnel(self._host, self._port or 443)
        return connection


def _cut(connection: http.client.HTTPConnection) -> None:
    """Closes the connection, so that the thread which waits for it ends."""
    try:
        if connection.sock:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # The connection is already closed.


def _parse_address(text: Optional[str]) -> urllib.parse.SplitResult:
    try:
        url = urllib.parse.urlsplit(_trimmed(text))
        host = url.hostname if url.port is None or url.port else None
    except ValueError:
        host = None
    if not host or not re.fullmatch(r"[!-~]+", _trimmed(text)):
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
            content = unpacking.decompress(content, _BODY_MAX_BYTES)
            if len(content) == _BODY_MAX_BYTES:
                raise _Failed("a response of more than 64 MiB")
            if not unpacking.eof:
                return "", None
        text = content.decode()
        return text, json.loads(text)
    except (ValueError, RecursionError, zlib.error):
        return "", None


def _is_result(body: Any) -> bool:
    return _fits(body, "LookupResult") and all(_fits(entry, "Attestation") for entry in body["attestations"])


def _fits(value: Any, name: str) -> bool:
    fields = _REQUIRED[name]
    return isinstance(value, dict) and all(type(value.get(field)) is kind for field, kind in fields.items())


def _refusal(status: int, body: Any, secrets: Sequence[str]) -> Refused:
    fields = body if isinstance(body, dict) else {}
    error, code, request_id = (fields.get(name) for name in ("error", "code", "requestId"))
    if status < 400 or not isinstance(error, str) or not isinstance(code, str):
        what = "a redirect, which is not followed" if status < 400 else "not from the service"
        return Refused(status, "not_the_service", "", f"HTTP {status}, {what}. Check the address of the service.")

    def clean(text: Any) -> str:
        """Removes secrets and control characters, since the text may come from another server."""
        text = text if isinstance(text, str) else ""
        for secret in secrets:
            text = text.replace(secret, "…")
        return "".join(character if character.isprintable() else " " for character in text)[:300]

    identity = clean(request_id)
    message = f"{status} {clean(code)}: {clean(error)} (request {identity or 'unknown'})"
    return Refused(status, clean(code), identity, message)


def _retry_after(headers: _Headers) -> float:
    """Returns the seconds to wait; 0 if the response has no Retry-After."""
    value = headers.get("Retry-After", "")
    try:
        moment = None if value.isdigit() else email.utils.parsedate_to_datetime(value)
        return max(0.0, float(value) if moment is None else moment.timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _reason(error: Exception) -> str:
    """Describes a failure in a few words. Omits text from the server, which may repeat the request."""
    if isinstance(error, _Failed):
        return str(error)
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
    """Identifies a wallet without revealing its address. Every lookup of the wallet returns the same
    mark, in every mode and for every project. None if the wallet's holder is not a verified human."""
    attestation = _confirmed(result, 0, "0" * 64)
    return attestation["onChainAddress"] if attestation else None


_COVERED = '("@status" "content-type" "content-digest" "x-request-id" "@method";req "@query";req)'
_INPUT = re.compile(
    r'(?:^|, *)poh=((\([^)]*\));created=([0-9]{1,12});keyid="([A-Za-z0-9_-]{43})";alg="ed25519";tag="poh-attestations")(?=\Z| *,)'
)
_SIGNATURE = re.compile(r"(?:^|, *)poh=:([A-Za-z0-9+/]{86}==):(?=\Z| *,)")
# A member `poh` with any value. The platform sends exactly one.
_MEMBER = re.compile(r"(?:^|,)[ \t]*poh(?![a-z0-9_.*-])")
# The tolerated difference between the clocks of two machines.
_CLOCK_SKEW_SECONDS = 300


def verify_evidence(
    evidence: Evidence, keys: Sequence[Dict[str, Any]], kept_since: Optional[datetime] = None
) -> Optional[datetime]:
    """Verifies that the platform returned this body for this request (RFC 9421, Ed25519).

    keys        the current result of `Client.public_keys`; an older copy does not show later leaks
    kept_since  the earliest time, with a time zone, at which you can prove that you had the evidence;
                needed if its key has leaked since

    Returns the time of the signature, or None if the evidence is not signed, was changed, or its key is
    not valid. Raises ImportError if the package `cryptography` is not installed.
    """
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError:
        raise ImportError("To verify evidence, install the package: pip install cryptography") from None
    found = _INPUT.search(evidence["signatureInput"])
    signature = _SIGNATURE.search(evidence["signature"])
    if not found or not signature or found[2] != _COVERED:
        return None
    created = int(found[3])
    # With two members, or two keys with the same id, the result would depend on their order.
    if any(len(_MEMBER.findall(field)) != 1 for field in (evidence["signatureInput"], evidence["signature"])):
        return None
    named = [key for key in keys if key.get("kid") == found[4]]
    key = named[0] if len(named) == 1 else {}
    if key.get("kty") != "OKP" or key.get("crv") != "Ed25519" or not _counts_at(key, created, kept_since):
        return None
    raw = base64.b64decode(signature[1])
    # Accept only canonical base64, because unused bits at its end are not signed.
    if base64.b64encode(raw).decode() != signature[1]:
        return None
    digest = base64.b64encode(hashlib.sha256(evidence["body"].encode()).digest()).decode()
    lines = (
        '"@status": 200',
        '"content-type": application/json; charset=utf-8',
        f'"content-digest": sha-256=:{digest}:',
        f'"x-request-id": {evidence["requestId"]}',
        '"@method";req: GET',
        f'"@query";req: ?{evidence["url"].partition("?")[2]}',
        f'"@signature-params": {found[1]}',
    )
    try:
        public_key = Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(f"{key['x']}="))
        public_key.verify(raw, "\n".join(lines).encode())
    except (InvalidSignature, KeyError, ValueError):
        return None
    return datetime.fromtimestamp(created, timezone.utc)


def _counts_at(key: Dict[str, Any], created: int, kept_since: Optional[datetime]) -> bool:
    # Anybody with the private key can choose the time in a response.
    if key.get("revoked"):
        leaked = key["revoked"]["revoked_at"]
        if created >= leaked or kept_since is None or kept_since.timestamp() >= leaked:
            return False
    latest = min(key.get("exp", created), time.time() + _CLOCK_SKEW_SECONDS)
    return key.get("nbf", created) - _CLOCK_SKEW_SECONDS <= created <= latest
