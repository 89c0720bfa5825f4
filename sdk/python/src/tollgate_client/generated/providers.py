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
    """`next_cursor` of the page before. At most 1200 characters."""


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
    """Id of the account, `pa_…`, or its label. 1 to 64 characters."""


class ProvidersRmInput(TypedDict):
    """Of providers.rm: disconnect a provider account."""
    id: str
    """Id of the account, `pa_…`, or its label. 1 to 64 characters."""


class ProvidersModelsInput(TypedDict):
    """Of providers.models: list an account's models."""
    id: str
    """Id of the account, `pa_…`, or its label. 1 to 64 characters."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""


class ProvidersModelsOutput(Document):
    """What providers.models answers."""
    data: list[types.AccountModel]
    next_cursor: str | None


class ProvidersModelsPage(ProvidersModelsOutput, Page[types.AccountModel]):
    """A page of providers.models."""


class AsyncProvidersModelsPage(ProvidersModelsOutput, AsyncPage[types.AccountModel]):
    """A page of providers.models."""


class ProvidersPriceInput(TypedDict):
    """Of providers.price: set what an account is charged for a model."""
    id: str
    """Id of the account, `pa_…`, or its label. 1 to 64 characters."""
    model: str
    """The provider's model id, exactly. 1 to 200 characters."""
    price: params.PriceParam | types.Price | None
    """What the provider charges; None removes what was set here."""


class ProvidersProbeInput(TypedDict):
    """Of providers.probe: probe a provider account."""
    id: str
    """Id of the account, `pa_…`, or its label. 1 to 64 characters."""
    model: NotRequired[str]
    """The provider's model id; left out: the cheapest that has a price on the account. 1 to 200
    characters.
    """


class ProvidersRotateInput(TypedDict):
    """Of providers.rotate: rotate an account's API key."""
    id: str
    """Id of the account, `pa_…`, or its label. 1 to 64 characters."""
    api_key: str
    """The new key. 1 to 4096 characters."""


class ProvidersConnectInput(TypedDict):
    """Of providers.connect: connect a provider account."""
    label: str
    """Name of the account in the sources of models."""
    kind: NotRequired[Literal["openai", "anthropic", "google"] | Literal["openai_compatible"] | Literal["simulator"]]
    """Its protocol. The simulator is built in and answers without a network. Required on creation; omit
    to keep the current value.
    """
    base_url: NotRequired[str | None]
    """Base URL of the provider, to which the path of the wire is appended. Null means the address of the
    vendor. Required for `openai_compatible`; rejected for the simulator. Omit to keep the current
    value; set to None to remove it. At most 500 characters.
    """
    api_key: NotRequired[str | None]
    """API key for the provider. Required for `openai`, `anthropic` and `google`; rejected for the
    simulator. Omit to keep the current value; set to None to remove it. 1 to 4096 characters.
    """
    on_client_left: NotRequired[Literal["cut", "drain"] | None]
    """What happens to a stream of the account when the client leaves. Null means the default of its
    kind: `cut` for `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`.
    Omit to keep the current value; set to None to remove it.
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
    """Accounts at model providers, and what they are charged."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> ProvidersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return ProvidersWithRawResponse(Providers(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersListInput]) -> ProvidersListPage:
        """List provider accounts.

        The organization's accounts, newest first. API keys are never shown.

        GET /v1/providers. Its inputs are those of ProvidersListInput.
        """
        return self._sender.page(_PROVIDERS_LIST, given, options, ProvidersListPage)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersShowInput]) -> types.ProviderAccount:
        """Show a provider account.

        One account, by its id or its label. Its API key is never shown.

        GET /v1/providers/{id}. Its inputs are those of ProvidersShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PROVIDERS_SHOW, given, options, types.ProviderAccount)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersRmInput]) -> types.ProviderAccount:
        """Disconnect a provider account.

        Forgets the account, its API key and its prices, and answers what it was. Refused while a model
        has it among its sources.

        DELETE /v1/providers/{id}. Its inputs are those of ProvidersRmInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_PROVIDERS_RM, given, options, types.ProviderAccount)

    def models(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersModelsInput]) -> ProvidersModelsPage:
        """List an account's models.

        The models that have a price on this account, in the order of their ids: what its provider
        publishes, if it is in the catalogue, and what was set with providers.price, which wins. The
        provider is not asked; a model that is not here can be used once it has a price.

        GET /v1/providers/{id}/models. Its inputs are those of ProvidersModelsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_PROVIDERS_MODELS, given, options, ProvidersModelsPage)

    def price(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersPriceInput]) -> types.ProviderAccount:
        """Set what an account is charged for a model.

        Replaces the whole price of one upstream model on this account, matched exactly, including the
        price that its provider publishes. `None` removes it. Takes effect with the next request. An
        omitted rate is unknown, never 0: names that need it are served only in bundles that price them,
        and the cost of its units is assumed until it is set.

        POST /v1/providers/{id}/price. Its inputs are those of ProvidersPriceInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PROVIDERS_PRICE, given, options, types.ProviderAccount)

    def probe(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersProbeInput]) -> types.Probe:
        """Probe a provider account.

        Sends one real call to the provider with the account’s key, for one token (16 at OpenAI, whose
        models take no fewer), and answers how it went: a failure of the provider is an answer here and
        no error. Its cost is noted, charged to nobody, and part of `probe_cost_micros` of the margin.
        Live mode only: test mode calls no provider.

        POST /v1/providers/{id}/probe. Its inputs are those of ProvidersProbeInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PROVIDERS_PROBE, given, options, types.Probe)

    def rotate(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersRotateInput]) -> types.ProviderAccount:
        """Rotate an account's API key.

        Puts a new API key in the place of the old one, which is forgotten. Calls in flight end with the
        old key, so revoke it at the provider once they have; every later call is sent with the new one.
        The key is stored sealed and never shown again. Nothing is sent to the provider now.

        POST /v1/providers/{id}/rotate. Its inputs are those of ProvidersRotateInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_PROVIDERS_ROTATE, given, options, types.ProviderAccount)

    def connect(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersConnectInput]) -> types.ProviderAccount:
        """Connect a provider account.

        Creates the provider account with this label, or changes the existing one. An omitted API key is
        kept; None removes it. Another `kind` under a label in use is rejected with 409
        `provider_kind_fixed`. A new base URL must come with its API key, so that a stored key is never
        sent to an address that it was not entered for. The key is stored encrypted and cannot be read
        back. No request is sent to the provider.

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
    """Accounts at model providers, and what they are charged."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncProvidersWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncProvidersWithRawResponse(AsyncProviders(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersListInput]) -> AsyncPageCall[types.ProviderAccount, AsyncProvidersListPage]:
        """List provider accounts.

        The organization's accounts, newest first. API keys are never shown.

        GET /v1/providers. Its inputs are those of ProvidersListInput.
        """
        return self._sender.page(_PROVIDERS_LIST, given, options, AsyncProvidersListPage)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersShowInput]) -> types.ProviderAccount:
        """Show a provider account.

        One account, by its id or its label. Its API key is never shown.

        GET /v1/providers/{id}. Its inputs are those of ProvidersShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PROVIDERS_SHOW, given, options, types.ProviderAccount)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersRmInput]) -> types.ProviderAccount:
        """Disconnect a provider account.

        Forgets the account, its API key and its prices, and answers what it was. Refused while a model
        has it among its sources.

        DELETE /v1/providers/{id}. Its inputs are those of ProvidersRmInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_PROVIDERS_RM, given, options, types.ProviderAccount)

    def models(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersModelsInput]) -> AsyncPageCall[types.AccountModel, AsyncProvidersModelsPage]:
        """List an account's models.

        The models that have a price on this account, in the order of their ids: what its provider
        publishes, if it is in the catalogue, and what was set with providers.price, which wins. The
        provider is not asked; a model that is not here can be used once it has a price.

        GET /v1/providers/{id}/models. Its inputs are those of ProvidersModelsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_PROVIDERS_MODELS, given, options, AsyncProvidersModelsPage)

    async def price(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersPriceInput]) -> types.ProviderAccount:
        """Set what an account is charged for a model.

        Replaces the whole price of one upstream model on this account, matched exactly, including the
        price that its provider publishes. `None` removes it. Takes effect with the next request. An
        omitted rate is unknown, never 0: names that need it are served only in bundles that price them,
        and the cost of its units is assumed until it is set.

        POST /v1/providers/{id}/price. Its inputs are those of ProvidersPriceInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PROVIDERS_PRICE, given, options, types.ProviderAccount)

    async def probe(self, *, options: CallOptions | None = None, **given: Unpack[ProvidersProbeInput]) -> types.Probe:
        """Probe a provider account.

        Sends one real call to the provider with the account’s key, for one token (16 at OpenAI, whose
        models take no fewer), and answers how it went: a failure of the provider is an answer here and
        no error. Its cost is noted, charged to nobody, and part of `probe_cost_micros` of the margin.
        Live mode only: test mode calls no provider.

        POST /v1/providers/{id}/probe. Its inputs are those of ProvidersProbeInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PROVIDERS_PROBE, given, options, types.Probe)

    async def rotate(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersRotateInput]) -> types.ProviderAccount:
        """Rotate an account's API key.

        Puts a new API key in the place of the old one, which is forgotten. Calls in flight end with the
        old key, so revoke it at the provider once they have; every later call is sent with the new one.
        The key is stored sealed and never shown again. Nothing is sent to the provider now.

        POST /v1/providers/{id}/rotate. Its inputs are those of ProvidersRotateInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_PROVIDERS_ROTATE, given, options, types.ProviderAccount)

    async def connect(self, *, options: ConditionalOptions | None = None, **given: Unpack[ProvidersConnectInput]) -> types.ProviderAccount:
        """Connect a provider account.

        Creates the provider account with this label, or changes the existing one. An omitted API key is
        kept; None removes it. Another `kind` under a label in use is rejected with 409
        `provider_kind_fixed`. A new base URL must come with its API key, so that a stored key is never
        sent to an address that it was not entered for. The key is stored encrypted and cannot be read
        back. No request is sent to the provider.

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
