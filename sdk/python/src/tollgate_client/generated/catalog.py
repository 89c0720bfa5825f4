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
    """Of catalog.models: list catalog models."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    provider: NotRequired[str]
    """Only models of this provider. 1 to 64 characters."""


class CatalogModelsOutput(Document):
    """What catalog.models answers."""
    data: list[types.CatalogModel]
    next_cursor: str | None


class CatalogModelsPage(CatalogModelsOutput, Page[types.CatalogModel]):
    """A page of catalog.models."""


class AsyncCatalogModelsPage(CatalogModelsOutput, AsyncPage[types.CatalogModel]):
    """A page of catalog.models."""


class CatalogShowInput(TypedDict):
    """Of catalog.show: show a catalog model."""
    name: str
    """Provider and model ID, such as `anthropic/claude-opus-5-5`. `/` may be percent-encoded. 1 to 300
    characters.
    """


class CatalogProvidersInput(TypedDict):
    """Of catalog.providers: list catalog providers."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""


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
    """Providers and models with published prices."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> CatalogWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return CatalogWithRawResponse(Catalog(self._sender.raw()))

    def models(self, *, options: CallOptions | None = None, **given: Unpack[CatalogModelsInput]) -> CatalogModelsPage:
        """List catalog models.

        Returns models with the prices that their providers publish now, in the order of their names. A
        provider account at a base URL of the provider pays these prices unless a price is set on the
        account.

        GET /v1/catalog/models. Its inputs are those of CatalogModelsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_CATALOG_MODELS, given, options, CatalogModelsPage)

    def show(self, *, options: CallOptions | None = None, **given: Unpack[CatalogShowInput]) -> types.CatalogModel:
        """Show a catalog model.

        Returns one model with its current price. The name must match exactly. A name that only begins
        like a model in the catalog is not found.

        GET /v1/catalog/models/{name}. Its inputs are those of CatalogShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_CATALOG_SHOW, given, options, types.CatalogModel)

    def providers(self, *, options: CallOptions | None = None, **given: Unpack[CatalogProvidersInput]) -> CatalogProvidersPage:
        """List catalog providers.

        Returns the providers whose models are in the catalog, in the order of their IDs. Each has the
        kind and the base URL for connecting a provider account.

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
    """Providers and models with published prices."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncCatalogWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncCatalogWithRawResponse(AsyncCatalog(self._sender.raw()))

    def models(self, *, options: CallOptions | None = None, **given: Unpack[CatalogModelsInput]) -> AsyncPageCall[types.CatalogModel, AsyncCatalogModelsPage]:
        """List catalog models.

        Returns models with the prices that their providers publish now, in the order of their names. A
        provider account at a base URL of the provider pays these prices unless a price is set on the
        account.

        GET /v1/catalog/models. Its inputs are those of CatalogModelsInput.

        Raises ApiError: not_found.
        """
        return self._sender.page(_CATALOG_MODELS, given, options, AsyncCatalogModelsPage)

    async def show(self, *, options: CallOptions | None = None, **given: Unpack[CatalogShowInput]) -> types.CatalogModel:
        """Show a catalog model.

        Returns one model with its current price. The name must match exactly. A name that only begins
        like a model in the catalog is not found.

        GET /v1/catalog/models/{name}. Its inputs are those of CatalogShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_CATALOG_SHOW, given, options, types.CatalogModel)

    def providers(self, *, options: CallOptions | None = None, **given: Unpack[CatalogProvidersInput]) -> AsyncPageCall[types.CatalogProvider, AsyncCatalogProvidersPage]:
        """List catalog providers.

        Returns the providers whose models are in the catalog, in the order of their IDs. Each has the
        kind and the base URL for connecting a provider account.

        GET /v1/catalog/providers. Its inputs are those of CatalogProvidersInput.
        """
        return self._sender.page(_CATALOG_PROVIDERS, given, options, AsyncCatalogProvidersPage)


class AsyncCatalogWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncCatalog) -> None:
        self.models = async_raw(methods.models)
        self.show = async_raw(methods.show)
        self.providers = async_raw(methods.providers)
