"""The failures of a lookup, and what to say about a failed connection. No message contains the key or the subject."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Optional, TypedDict

import httpx


class Evidence(TypedDict):
    """The parts of a signed response to store as JSON. They contain the subject, so treat them as personal data."""

    url: str
    status: int
    body: str
    requestId: str
    signatureInput: str
    signature: str


@dataclass(eq=False)
class PohError(Exception):
    """A lookup has no result, so admit nobody."""

    message: str = ""
    status: int = 0  # the HTTP status of the last response; 0 if there was none
    code: str = ""  # its code; empty if it has none
    request_id: str = ""  # its id, to quote when you ask for help; empty if it has none
    retry_after: int = 0  # the seconds that the service asked to wait; 0 if it did not

    def __str__(self) -> str:
        return self.message


class Refused(PohError):
    """The service refused the lookup, and a retry would not help. Tell your operators, unless it is `SubjectRefused`.

    Its `code` is `not_the_service` if another server responded.
    """


class SubjectRefused(Refused):
    """The subject is unknown, not valid or missing. `code` says what the person has to correct."""

    # Proves the refusal later; None if nothing was sent, or the operator did not sign the response.
    evidence: Optional[Evidence] = None


class KeyRefused(Refused):
    """The API key is not valid, or not for this kind of lookup, so every lookup of its kind would fail."""


class Unavailable(PohError):
    """No attempt succeeded in time. Try again later."""


class RateLimited(Unavailable):
    """The last response was a 429, so the key has used up its reads, or the service has no free instance."""


class ConnectionFailed(Unavailable):
    """No complete response arrived. The message names a setting, if one is wrong."""

    is_permanent = False  # whether only a change of a setting would help


# What a request raises if the network fails. Anything else is a mistake, such as one in a transport of the caller.
NETWORK_ERRORS = (httpx.RequestError, OSError)


def connection_failed(error: Exception, seconds: float, peer: str, secrets: Collection[str]) -> ConnectionFailed:
    """Describes the error of an attempt. `peer` is the server to which it connected."""
    # A shorter one occurs in any text.
    secrets = [secret for secret in secrets if len(secret) > 4]
    causes = list(_causes(error))
    last = causes[-1]
    advice = _advice(error, last, peer)
    if isinstance(error, httpx.ConnectTimeout):
        failed = ConnectionFailed("no connection in time")
    elif isinstance(error, (httpx.TimeoutException, TimeoutError)):
        failed = ConnectionFailed(f"no response within {seconds:.3g} s")
    else:
        failed = ConnectionFailed(advice or _words(last) or _words(error) or type(error).__name__)
    failed.is_permanent = advice != ""
    # Text of a server may repeat the key and the subject, so such a cause is not shown.
    if not any(_quotes_a_server(each) or any(secret in str(each) for secret in secrets) for each in causes):
        failed.__cause__ = error
    elif any(secret in failed.message for secret in secrets):
        failed.message = type(error).__name__
    return failed


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error:
        yield error
        error = error.__cause__ or error.__context__


def _quotes_a_server(error: BaseException) -> bool:
    return "'" in str(error) and not isinstance(error, OSError)


def _words(error: BaseException) -> str:
    return str(error) if not _quotes_a_server(error) else str(error).partition(":")[0]


def _advice(error: Exception, last: BaseException, peer: str) -> str:
    """Says what to do about a fault that lasts until somebody changes a setting; empty if a retry may help."""
    if isinstance(last, ssl.SSLCertVerificationError):
        untrusted = f"the certificate of {peer} is not trusted ({last.verify_message.rstrip('.')}). "
        if "match" in last.verify_message:
            return f"{untrusted}Check the address of the service in POH_URL."
        return f"{untrusted}If your network has its own CA, set SSL_CERT_FILE to a PEM file that contains it."
    if isinstance(last, ssl.SSLError) and last.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE"):
        return f"{peer} does not use TLS on this port. Check the address of the service in POH_URL."
    if isinstance(last, socket.gaierror) and last.errno == socket.EAI_NONAME:
        return f"the name of {peer} is not known. Check the address of the service in POH_URL."
    if isinstance(error, httpx.ProxyError) and (status := re.match(r"4\d\d\b", str(error))):
        return f"the proxy responded with HTTP {status[0]}. Check the user and the password in HTTPS_PROXY."
    return ""
