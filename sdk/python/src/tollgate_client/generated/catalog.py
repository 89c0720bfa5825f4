# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions
from . import types


class CatalogModelsInput(TypedDict):
    """Of catalog.models: list models with a published price."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""
    provider: NotRequired[str]
    """Only models of that provider. 1 to 64 characters."""


class CatalogModelsOutput(Document):
    """What catalog.models answers."""
    data: list[types.CatalogModel]
    next_cursor: str | None


class CatalogModelsPage(CatalogModelsOutput, Page[types.CatalogModel]):
    """A page of catalog.models."""


class AsyncCatalogModelsPage(CatalogModelsOutput, AsyncPage[types.CatalogModel]):
    """A page of catalog.models."""


class CatalogShowInput(TypedDict):
    """Of catalog.show: show a model with a published price."""
    name: str
    """Provider and model, `anthropic/claude-opus-5-5`; `/` may stand as it is or as `%2F`. 1 to 300
    characters.
    """


class CatalogProvidersInput(TypedDict):
    """Of catalog.providers: list providers with published prices."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the page before. At most 1200 characters."""


class CatalogProvidersOutput(Document):
    """What catalog.providers answers."""
    data: list[types.CatalogProvider]
    next_cursor: str | None


class CatalogProvidersPage(CatalogProvidersOutput, Page[types.CatalogProvider]):
    """A page of catalog.providers."""


class AsyncCatalogProvidersPage(CatalogProvidersOutput, AsyncPage[types.CatalogProvider]):
    """A page of catalog.providers."""


_CATALOG_MODELS = Route(
    id="catalog.models",
    method="GET",
    path="/v1/catalog/models",
    takes=CatalogModelsInput,
    query=("limit", "cursor", "provider",),
)


_CATALOG_SHOW = Route(
    id="catalog.show",
    method="GET",
    path="/v1/catalog/models/{name}",
    takes=CatalogShowInput,
)


_CATALOG_PROVIDERS = Route(
    id="catalog.providers",
    method="GET",
    path="/v1/catalog/providers",
    takes=CatalogProvidersInput,
    query=("limit", "cursor",),
)


class Catalog:
    """Providers and models whose prices are published."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> CatalogWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return CatalogWithRawResponse(Catalog(self._sender.raw()))

    def models(self, *, options: CallOptions | None = None, **given: Unpack[CatalogModelsInput]) -> CatalogModelsPage:
        """List models with a published price.

        Models and what their providers publish as the price, as of now, in the order of their names. An
        account at an address of the provider pays these unless a price was set on the account.

        GET /v1/catalog/models. Its inputs are those of CatalogModelsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_CATALOG_MODELS, given, options, CatalogModelsPage)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[CatalogShowInput]) -> types.CatalogModel:
        """Show a model with a published price.

        One model at its price of now. The name is exact: one that only starts like a model of the
        catalogue is another model and is not found.

        GET /v1/catalog/models/{name}. Its inputs are those of CatalogShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_CATALOG_SHOW, given, options, types.CatalogModel)

    def providers(self, *, options: CallOptions | None = None, **given: Unpack[CatalogProvidersInput]) -> CatalogProvidersPage:
        """List providers with published prices.

        Providers whose models are in the catalogue, with the kind and the base URL to connect an account
        with, in the order of their ids.

        GET /v1/catalog/providers. Its inputs are those of CatalogProvidersInput.
        """
        return self._sender.page(_CATALOG_PROVIDERS, given, options, CatalogProvidersPage)


class CatalogWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Catalog) -> None:
        self.models = raw(methods.models)
        self.show = raw(methods.show)
        self.providers = raw(methods.providers)


class AsyncCatalog:
    """Providers and models whose prices are published."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncCatalogWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncCatalogWithRawResponse(AsyncCatalog(self._sender.raw()))

    def models(self, *, options: CallOptions | None = None, **given: Unpack[CatalogModelsInput]) -> AsyncPageCall[types.CatalogModel, AsyncCatalogModelsPage]:
        """List models with a published price.

        Models and what their providers publish as the price, as of now, in the order of their names. An
        account at an address of the provider pays these unless a price was set on the account.

        GET /v1/catalog/models. Its inputs are those of CatalogModelsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_CATALOG_MODELS, given, options, AsyncCatalogModelsPage)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[CatalogShowInput]) -> types.CatalogModel:
        """Show a model with a published price.

        One model at its price of now. The name is exact: one that only starts like a model of the
        catalogue is another model and is not found.

        GET /v1/catalog/models/{name}. Its inputs are those of CatalogShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_CATALOG_SHOW, given, options, types.CatalogModel)

    def providers(self, *, options: CallOptions | None = None, **given: Unpack[CatalogProvidersInput]) -> AsyncPageCall[types.CatalogProvider, AsyncCatalogProvidersPage]:
        """List providers with published prices.

        Providers whose models are in the catalogue, with the kind and the base URL to connect an account
        with, in the order of their ids.

        GET /v1/catalog/providers. Its inputs are those of CatalogProvidersInput.
        """
        return self._sender.page(_CATALOG_PROVIDERS, given, options, AsyncCatalogProvidersPage)


class AsyncCatalogWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncCatalog) -> None:
        self.models = async_raw(methods.models)
        self.show = async_raw(methods.show)
        self.providers = async_raw(methods.providers)
