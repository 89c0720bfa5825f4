"""Configures the vendors' official clients for an application's gateway."""

from __future__ import annotations

from dataclasses import dataclass, field

from typing_extensions import TypedDict


class BaseUrlOptions(TypedDict):
    base_url: str
    api_key: str


class GenaiHttpOptions(TypedDict):
    base_url: str


class GenaiOptions(TypedDict):
    api_key: str
    http_options: GenaiHttpOptions


@dataclass(frozen=True)
class ClientsFor:
    """Address and key of a gateway, with options for the constructors of the official clients."""

    base_url: str
    """Address of the gateway, without a path."""
    key: str = field(repr=False)
    """The `ak_` key."""

    @property
    def openai(self) -> BaseUrlOptions:
        """`OpenAI(**clients.openai)`: chat completions and responses."""
        return {"base_url": f"{self.base_url}/v1", "api_key": self.key}

    @property
    def anthropic(self) -> BaseUrlOptions:
        """`Anthropic(**clients.anthropic)`: messages."""
        return {"base_url": self.base_url, "api_key": self.key}

    @property
    def genai(self) -> GenaiOptions:
        """`genai.Client(**clients.genai)`: generate content."""
        return {"api_key": self.key, "http_options": {"base_url": self.base_url}}


def clients_for(gateway: str, key: str) -> ClientsFor:
    """Returns the options with which each official client calls a gateway.

    `gateway` is the address of the application's gateway: `local_gateway` of `apps.show` if present, else `gateway`.
    `key` is an `ak_` key.
    """
    return ClientsFor(gateway.rstrip("/"), key)
