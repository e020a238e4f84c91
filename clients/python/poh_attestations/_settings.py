"""What callers and the environment set: the address, the key, limits, the proxy and certificates. No error contains
the key or a password."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.request import getproxies, proxy_bypass

import certifi
import httpx


@dataclass(frozen=True)
class Attempt:
    """An attempt that has ended, with neither the key nor the subject."""

    attempt: int  # 1 for the first of a lookup
    status: int  # the HTTP status of its response; 0 if there was none
    code: str  # its code; empty if it has none
    request_id: str  # its id; empty if it has none
    seconds: float  # how long the attempt took


@dataclass
class Settings:
    url: str
    key: str
    timeout: float
    pause: float
    on_attempt: Callable[[Attempt], object]
    peer: str  # the server to which connections are made
    transport: dict[str, Any]  # the settings of a transport of httpx
    key_ends: datetime | None = None  # as the last response said


def parse_settings(
    url: str | None,
    key: str | None,
    timeout: float,
    pause: float,
    on_attempt: Callable[[Attempt], object] | None,
    allow_plain_http: bool,
    needs_connections: bool,
) -> Settings:
    address = _parse_url(trimmed(os.environ.get("POH_URL", "") if url is None else url))
    is_safe = allow_plain_http or re.fullmatch(r"localhost|127(\.\d{1,3}){3}|::1", address.host)
    if not (address.scheme == "https" or (address.scheme == "http" and is_safe)) or "@" in str(address):
        raise ValueError(
            'Set url, or POH_URL, to the address of the service: https://…, without a user name, "?" and "#". '
            "Only for this machine (127.0.0.1, localhost) it may be http://, because others could read the key. "
            "allow_plain_http=True permits it for a network that only you can read, such as that of a test."
        )
    key = trimmed(os.environ.get("POH_KEY", "") if key is None else key)
    if not re.fullmatch(r"[ -~]+", key):
        raise ValueError("Set key, or POH_KEY, to an API key. It is missing, or contains a character that keys lack.")
    proxy = _proxy(address) if needs_connections else None
    return Settings(
        url=str(address).rstrip("/"),
        key=key,
        timeout=parse_number("timeout", timeout, 0.001),
        pause=parse_number("pause", pause, 0),
        on_attempt=on_attempt or (lambda attempt: None),
        peer="the proxy in HTTPS_PROXY" if proxy else address.netloc.decode(),
        transport=_transport_settings(address, proxy) if needs_connections else {},
    )


def parse_number(name: str, value: float, lowest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name} is a number.")
    if not value >= lowest:
        raise ValueError(f"Set {name} to a number of at least {lowest}.")
    return value


def trimmed(text: str) -> str:
    """Removes white space and byte order marks around a text, and replaces surrogates, which UTF-8 does not have."""
    if not isinstance(text, str):
        raise TypeError(f"Pass a str instead of {type(text).__name__}.")
    return re.sub("[\ud800-\udfff]", "\ufffd", text.strip().strip("\ufeff").strip())


def _parse_url(text: str) -> httpx.URL:
    """Returns an empty URL if the text is not one, or has a query or a fragment."""
    with contextlib.suppress(httpx.InvalidURL):
        url = httpx.URL(text)
        is_port = url.port is None or 0 < url.port < 2**16
        if re.fullmatch(r"[\w.:-]+", url.host) and is_port and not url.query and not url.fragment:
            return url
    return httpx.URL("")


def _proxy(address: httpx.URL) -> str | None:
    proxy = getproxies().get("https") or getproxies().get("all")
    return None if address.scheme == "http" or proxy_bypass(address.netloc.decode()) else proxy


def _transport_settings(address: httpx.URL, proxy: str | None) -> dict[str, Any]:
    # Networks forget idle connections without telling, so an older one is not used again.
    settings: dict[str, Any] = {"limits": httpx.Limits(keepalive_expiry=5)}
    is_https = address.scheme == "https"
    variables = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")
    settings["verify"] = _certificates(*map(os.environ.get, variables)) if is_https else _no_certificates()
    if not proxy:
        return settings
    url = _parse_url(proxy if "://" in proxy else f"http://{proxy}")
    # An error would contain the password of the proxy.
    with contextlib.suppress(Exception):
        settings["proxy"] = httpx.Proxy(url)
        httpx.HTTPTransport(**settings)
        if url.raw_path == b"/":
            return settings
    raise ValueError(
        "The proxy in HTTPS_PROXY or ALL_PROXY is unusable. Set it to http://USER:PASSWORD@HOST:PORT, and write # in a "
        "password as %23, and so on. A SOCKS proxy also needs the package httpx[socks]."
    )


@functools.cache  # because loading them takes as long as many lookups
def _certificates(file: str | None, folder: str | None, key_log: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=file or (None if folder else certifi.where()), capath=folder)
    except OSError as error:
        values = {"SSL_CERT_FILE": file, "SSL_CERT_DIR": folder, "SSLKEYLOGFILE": key_log}
        named = " or ".join(f"{name}={value}" for name, value in values.items() if value)
        raise ValueError(f"{named} cannot be used ({error}). Correct the path, or unset the variable.") from error


@functools.cache
def _no_certificates() -> ssl.SSLContext:
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
