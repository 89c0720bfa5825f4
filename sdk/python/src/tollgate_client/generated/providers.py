# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import params, types


class ProvidersListInput(TypedDict):
    """Of providers.list: list provider accounts."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


class ProvidersListOutput(Document):
    """What providers.list answers."""
    data: list[types.ProviderAccount]
    next_cursor: str | None


class ProvidersListPage(ProvidersListOutput, Page[types.ProviderAccount]):
    """A page of providers.list."""


class AsyncProvidersListPage(ProvidersListOutput, AsyncPage[types.ProviderAccount]):
    """A page of providers.list."""


class ProvidersShowInput(TypedDict):
    """Of providers.show: show a provider account."""
    id: str
    """ID of the provider account, `pa_…`, or its label. 1 to 64 characters."""


class ProvidersRmInput(TypedDict):
    """Of providers.rm: disconnect a provider account."""
    id: str
    """ID of the provider account, `pa_…`, or its label. 1 to 64 characters."""


class ProvidersModelsInput(TypedDict):
    """Of providers.models: list a provider account's models."""
    id: str
    """ID of the provider account, `pa_…`, or its label. 1 to 64 characters."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


class ProvidersModelsOutput(Document):
    """What providers.models answers."""
    data: list[types.AccountModel]
    next_cursor: str | None


class ProvidersModelsPage(ProvidersModelsOutput, Page[types.AccountModel]):
    """A page of providers.models."""


class AsyncProvidersModelsPage(ProvidersModelsOutput, AsyncPage[types.AccountModel]):
    """A page of providers.models."""


class ProvidersPriceInput(TypedDict):
    """Of providers.price: set a provider price."""
    id: str
    """ID of the provider account, `pa_…`, or its label. 1 to 64 characters."""
    model: str
    """The provider's model ID. It must match exactly. 1 to 200 characters."""
    price: params.PriceParam | types.Price | None
    """Price that the provider charges. Null removes the price set on this account."""


class ProvidersProbeInput(TypedDict):
    """Of providers.probe: probe a provider account."""
    id: str
    """ID of the provider account, `pa_…`, or its label. 1 to 64 characters."""
    model: NotRequired[str]
    """The provider's model ID. Defaults to the cheapest model that has a complete price on the account.
    1 to 200 characters.
    """


class ProvidersRotateInput(TypedDict):
    """Of providers.rotate: rotate a provider API key."""
    id: str
    """ID of the provider account, `pa_…`, or its label. 1 to 64 characters."""
    api_key: str
    """The new API key. 1 to 4096 characters."""


class ProvidersConnectInput(TypedDict):
    """Of providers.connect: connect a provider account."""
    label: str
    """Name of the account in the sources of models."""
    kind: NotRequired[Literal["openai", "anthropic", "google"] | Literal["openai_compatible"] | Literal["simulator"]]
    """API format of the provider. The simulator is built in and responds without a network. Required on
    creation. Omit to keep the current value.
    """
    base_url: NotRequired[str | None]
    """Base URL of the provider. The path of the API is appended. Null means the vendor's address.
    Required for `openai_compatible`, rejected for the simulator. Omit to keep the current value; set
    to None to remove it. At most 500 characters.
    """
    api_key: NotRequired[str | None]
    """API key for the provider. Required for `openai`, `anthropic` and `google`, rejected for the
    simulator. Omit to keep the current value; set to None to remove it. 1 to 4096 characters.
    """
    on_client_left: NotRequired[Literal["cut", "drain"] | None]
    """Handling of a stream when the client disconnects. Null means the default for the kind: `cut` for
    `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep the
    current value; set to None to remove it.
    """


_PROVIDERS_LIST = Route(
    id="providers.list",
    method="GET",
    path="/v1/providers",
    takes=ProvidersListInput,
    query=("limit", "cursor",),
)


_PROVIDERS_SHOW = Route(
    id="providers.show",
    method="GET",
    path="/v1/providers/{id}",
    takes=ProvidersShowInput,
)


_PROVIDERS_RM = Route(
    id="providers.rm",
    method="DELETE",
    path="/v1/providers/{id}",
    takes=ProvidersRmInput,
)


_PROVIDERS_MODELS = Route(
    id="providers.models",
    method="GET",
    path="/v1/providers/{id}/models",
    takes=ProvidersModelsInput,
    query=("limit", "cursor",),
)


_PROVIDERS_PRICE = Route(
    id="providers.price",
    method="POST",
    path="/v1/providers/{id}/price",
    takes=ProvidersPriceInput,
    body="json",
    is_keyed=True,
)


_PROVIDERS_PROBE = Route(
    id="providers.probe",
    method="POST",
    path="/v1/providers/{id}/probe",
    takes=ProvidersProbeInput,
    body="json",
    is_keyed=True,
)


_PROVIDERS_ROTATE = Route(
    id="providers.rotate",
    method="POST",
    path="/v1/providers/{id}/rotate",
    takes=ProvidersRotateInput,
    body="json",
    is_keyed=True,
)


_PROVIDERS_CONNECT = Route(
    id="providers.connect",
    method="PUT",
    path="/v1/providers/{label}",
    takes=ProvidersConnectInput,
    body="json",
    is_keyed=True,
)


class Providers:
    """Accounts at model providers, and their prices."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> ProvidersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return ProvidersWithRawResponse(Providers(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersListInput]) -> ProvidersListPage:
        """List provider accounts.

        Returns the organization's provider accounts, newest first. API keys are never returned.

        GET /v1/providers. Its inputs are those of ProvidersListInput.
        """
        return self._sender.page(_PROVIDERS_LIST, given, options, ProvidersListPage)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersShowInput]) -> types.ProviderAccount:
        """Show a provider account.

        Returns a provider account by ID or label. Its API key is never returned.

        GET /v1/providers/{id}. Its inputs are those of ProvidersShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PROVIDERS_SHOW, given, options, types.ProviderAccount)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersRmInput]) -> types.ProviderAccount:
        """Disconnect a provider account.

        Deletes the account, its API key and its prices, and returns the deleted account. Fails if a
        model name has the account among its sources.

        DELETE /v1/providers/{id}. Its inputs are those of ProvidersRmInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_PROVIDERS_RM, given, options, types.ProviderAccount)

    def models(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersModelsInput]) -> ProvidersModelsPage:
        """List a provider account's models.

        Returns the models that have a price on this account, in the order of their IDs. Prices come from
        the catalog or from providers.price, which takes precedence. No request is sent to the provider.
        Other models can be used once they have a price.

        GET /v1/providers/{id}/models. Its inputs are those of ProvidersModelsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_PROVIDERS_MODELS, given, options, ProvidersModelsPage)

    def price(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersPriceInput]) -> types.ProviderAccount:
        """Set a provider price.

        Replaces the whole price of one provider model on this account, starting with the next request.
        The price overrides the provider's published price. The model ID must match exactly. Set the
        price to None to remove it.

        An omitted rate is unknown, never 0. Model names that need the rate are served only in bundles
        that price them. The cost of its units is assumed until the rate is set.

        POST /v1/providers/{id}/price. Its inputs are those of ProvidersPriceInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PROVIDERS_PRICE, given, options, types.ProviderAccount)

    def probe(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersProbeInput]) -> types.Probe:
        """Probe a provider account.

        Sends one small live request to the provider with the account's API key, and returns the result.
        A failure of the provider is part of the result and not an error.

        - The request asks for one token, or 16 at OpenAI, whose models require at least 16.
        - No end user is charged. The cost is part of `probe_cost_micros` of the margin.
        - Test mode rejects probes, because it calls no provider.

        POST /v1/providers/{id}/probe. Its inputs are those of ProvidersProbeInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PROVIDERS_PROBE, given, options, types.Probe)

    def rotate(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersRotateInput]) -> types.ProviderAccount:
        """Rotate a provider API key.

        Replaces the account's API key, starting with the next request, and deletes the old key. Requests
        in flight continue with the old key, so revoke it at the provider after they end. The new key is
        stored encrypted and cannot be retrieved. No request is sent to the provider.

        POST /v1/providers/{id}/rotate. Its inputs are those of ProvidersRotateInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PROVIDERS_ROTATE, given, options, types.ProviderAccount)

    def connect(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersConnectInput]) -> types.ProviderAccount:
        """Connect a provider account.

        Creates the provider account with this label, or changes the existing one. No request is sent to
        the provider.

        - An omitted API key is kept. Null removes it.
        - The API key is stored encrypted and cannot be retrieved.
        - A new base URL requires its API key in the same request, so that a stored key is never sent to
        another address.
        - The `kind` of an existing account cannot be changed (409 `provider_kind_fixed`).

        PUT /v1/providers/{label}. Its inputs are those of ProvidersConnectInput.

        Raises ApiError: provider_kind_fixed.
        """
        return self._sender.call(_PROVIDERS_CONNECT, given, options, types.ProviderAccount)


class ProvidersWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Providers) -> None:
        self.list = raw(methods.list)
        self.show = raw(methods.show)
        self.rm = raw(methods.rm)
        self.models = raw(methods.models)
        self.price = raw(methods.price)
        self.probe = raw(methods.probe)
        self.rotate = raw(methods.rotate)
        self.connect = raw(methods.connect)


class AsyncProviders:
    """Accounts at model providers, and their prices."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncProvidersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncProvidersWithRawResponse(AsyncProviders(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersListInput]) -> AsyncPageCall[types.ProviderAccount, AsyncProvidersListPage]:
        """List provider accounts.

        Returns the organization's provider accounts, newest first. API keys are never returned.

        GET /v1/providers. Its inputs are those of ProvidersListInput.
        """
        return self._sender.page(_PROVIDERS_LIST, given, options, AsyncProvidersListPage)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersShowInput]) -> types.ProviderAccount:
        """Show a provider account.

        Returns a provider account by ID or label. Its API key is never returned.

        GET /v1/providers/{id}. Its inputs are those of ProvidersShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PROVIDERS_SHOW, given, options, types.ProviderAccount)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersRmInput]) -> types.ProviderAccount:
        """Disconnect a provider account.

        Deletes the account, its API key and its prices, and returns the deleted account. Fails if a
        model name has the account among its sources.

        DELETE /v1/providers/{id}. Its inputs are those of ProvidersRmInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_PROVIDERS_RM, given, options, types.ProviderAccount)

    def models(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersModelsInput]) -> AsyncPageCall[types.AccountModel, AsyncProvidersModelsPage]:
        """List a provider account's models.

        Returns the models that have a price on this account, in the order of their IDs. Prices come from
        the catalog or from providers.price, which takes precedence. No request is sent to the provider.
        Other models can be used once they have a price.

        GET /v1/providers/{id}/models. Its inputs are those of ProvidersModelsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_PROVIDERS_MODELS, given, options, AsyncProvidersModelsPage)

    async def price(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersPriceInput]) -> types.ProviderAccount:
        """Set a provider price.

        Replaces the whole price of one provider model on this account, starting with the next request.
        The price overrides the provider's published price. The model ID must match exactly. Set the
        price to None to remove it.

        An omitted rate is unknown, never 0. Model names that need the rate are served only in bundles
        that price them. The cost of its units is assumed until the rate is set.

        POST /v1/providers/{id}/price. Its inputs are those of ProvidersPriceInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PROVIDERS_PRICE, given, options, types.ProviderAccount)

    async def probe(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersProbeInput]) -> types.Probe:
        """Probe a provider account.

        Sends one small live request to the provider with the account's API key, and returns the result.
        A failure of the provider is part of the result and not an error.

        - The request asks for one token, or 16 at OpenAI, whose models require at least 16.
        - No end user is charged. The cost is part of `probe_cost_micros` of the margin.
        - Test mode rejects probes, because it calls no provider.

        POST /v1/providers/{id}/probe. Its inputs are those of ProvidersProbeInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PROVIDERS_PROBE, given, options, types.Probe)

    async def rotate(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersRotateInput]) -> types.ProviderAccount:
        """Rotate a provider API key.

        Replaces the account's API key, starting with the next request, and deletes the old key. Requests
        in flight continue with the old key, so revoke it at the provider after they end. The new key is
        stored encrypted and cannot be retrieved. No request is sent to the provider.

        POST /v1/providers/{id}/rotate. Its inputs are those of ProvidersRotateInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PROVIDERS_ROTATE, given, options, types.ProviderAccount)

    async def connect(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersConnectInput]) -> types.ProviderAccount:
        """Connect a provider account.

        Creates the provider account with this label, or changes the existing one. No request is sent to
        the provider.

        - An omitted API key is kept. Null removes it.
        - The API key is stored encrypted and cannot be retrieved.
        - A new base URL requires its API key in the same request, so that a stored key is never sent to
        another address.
        - The `kind` of an existing account cannot be changed (409 `provider_kind_fixed`).

        PUT /v1/providers/{label}. Its inputs are those of ProvidersConnectInput.

        Raises ApiError: provider_kind_fixed.
        """
        return await self._sender.call(_PROVIDERS_CONNECT, given, options, types.ProviderAccount)


class AsyncProvidersWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncProviders) -> None:
        self.list = async_raw(methods.list)
        self.show = async_raw(methods.show)
        self.rm = async_raw(methods.rm)
        self.models = async_raw(methods.models)
        self.price = async_raw(methods.price)
        self.probe = async_raw(methods.probe)
        self.rotate = async_raw(methods.rotate)
        self.connect = async_raw(methods.connect)
