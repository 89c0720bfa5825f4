"""The control plane. Every operation is a method with the operation's ID as its name."""

from __future__ import annotations

from types import TracebackType
from typing import cast

from typing_extensions import Self, Unpack

from .clients import ClientsFor, clients_for
from .generated.operations import AsyncOperations, Operations
from .sender import AsyncSender, Core, Sender, new_async_http_client, new_http_client
from .settings import (
    AsyncClientOptions,
    AsyncClock,
    CallOptions,
    ClientOptions,
    Clock,
    ConditionalOptions,
    settings_of,
)


class Tollgate(Operations):
    """The control plane: `client.keys.mint(end_user_id="user-42")`.

        client = Tollgate(token="sk_…", base_url="https://tollgate.example.com", app="acme")

    Several threads may use one client concurrently.
    """

    def __init__(self, **options: Unpack[ClientOptions]) -> None:
        """Raises TollgateError if an option is not valid."""
        self._settings = settings_of(options)
        own = options.get("http_client")
        self._http = own if own is not None else new_http_client()
        self._is_own = own is None
        super().__init__(Sender(Core(self._settings), self._http, options.get("clock", Clock())))

    def client_for(self, key: str, *, options: CallOptions | None = None) -> ClientsFor:
        """Returns options with which the vendors' official clients call the gateway with a key.

        Requests the gateway addresses of the application, and uses the local address if the application has one. `key`
        is an `ak_` key.

            clients = client.client_for(minted.key)
            OpenAI(**clients.openai).chat.completions.create(model="acme/smart", messages=messages)
        """
        slug = (options or {}).get("app", self._settings.app)
        if slug is None:
            app = self.apps.current(options=options)
            return clients_for(app.local_gateway or app.gateway, key)
        named = self.apps.show(slug=slug, options=cast("ConditionalOptions | None", options))
        return clients_for(named.local_gateway or named.gateway, key)

    def close(self) -> None:
        """Closes the client's connections."""
        if self._is_own:
            self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Tollgate(base_url={self._settings.base_url!r}, app={self._settings.app!r})"


class AsyncTollgate(AsyncOperations):
    """The control plane: `await client.keys.mint(end_user_id="user-42")`.

    client = AsyncTollgate(token="sk_…", base_url="https://tollgate.example.com", app="acme")
    """

    def __init__(self, **options: Unpack[AsyncClientOptions]) -> None:
        """Raises TollgateError if an option is not valid."""
        self._settings = settings_of(options)
        own = options.get("http_client")
        self._http = own if own is not None else new_async_http_client()
        self._is_own = own is None
        super().__init__(AsyncSender(Core(self._settings), self._http, options.get("clock", AsyncClock())))

    async def client_for(self, key: str, *, options: CallOptions | None = None) -> ClientsFor:
        """Returns options with which the vendors' official clients call the gateway with a key.

        Requests the gateway addresses of the application, and uses the local address if the application has one. `key`
        is an `ak_` key.

            clients = await client.client_for(minted.key)
            await AsyncOpenAI(**clients.openai).chat.completions.create(model="acme/smart", messages=messages)
        """
        slug = (options or {}).get("app", self._settings.app)
        if slug is None:
            app = await self.apps.current(options=options)
            return clients_for(app.local_gateway or app.gateway, key)
        named = await self.apps.show(slug=slug, options=cast("ConditionalOptions | None", options))
        return clients_for(named.local_gateway or named.gateway, key)

    async def aclose(self) -> None:
        """Closes the client's connections."""
        if self._is_own:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"AsyncTollgate(base_url={self._settings.base_url!r}, app={self._settings.app!r})"
