"""The operations of an end user who is signed in to the portal, with the `ps_` session that `portal.redeem` returns."""

from __future__ import annotations

import os
from types import TracebackType
from typing import cast

from typing_extensions import Self, Unpack

from .errors import TollgateError
from .generated.portal import AsyncEndUserPortal, EndUserPortal
from .sender import AsyncSender, Core, Sender, new_async_http_client, new_http_client
from .settings import AsyncClock, Clock, PortalOptions, SettingOptions, Settings, settings_of


class TollgatePortal:
    """`TollgatePortal(token=redeemed.session_token).portal.account()`."""

    portal: EndUserPortal

    def __init__(self, **options: Unpack[PortalOptions]) -> None:
        """Raises TollgateError if an option is not valid."""
        self._http = new_http_client()
        self.portal = EndUserPortal(Sender(Core(_settings_of(options)), self._http, Clock()))

    def close(self) -> None:
        """Closes the client's connections."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncTollgatePortal:
    """`await AsyncTollgatePortal(token=redeemed.session_token).portal.account()`."""

    portal: AsyncEndUserPortal

    def __init__(self, **options: Unpack[PortalOptions]) -> None:
        """Raises TollgateError if an option is not valid."""
        self._http = new_async_http_client()
        self.portal = AsyncEndUserPortal(AsyncSender(Core(_settings_of(options)), self._http, AsyncClock()))

    async def aclose(self) -> None:
        """Closes the client's connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _settings_of(options: PortalOptions) -> Settings:
    token = options.get("token")
    if token is not None and token.startswith("sk_"):
        raise TollgateError(
            "An sk_ token can create keys and must not be used for the portal. Redeem a handoff instead."
        )
    # The session determines the application and the mode, so only the address is read from the environment.
    address = {name: os.environ[name] for name in ("TOLLGATE_BASE_URL",) if name in os.environ}
    return settings_of(cast("SettingOptions", {**options, "token": token}), address)
