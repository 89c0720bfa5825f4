# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..document import Document
from ..page import AsyncPage, AsyncPageCall, Page
from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import params, types


class ModelsListInput(TypedDict):
    """Of models.list: list model names."""
    limit: NotRequired[int]
    """Maximum number of rows to return. Defaults to 50. From 1 to 200."""
    cursor: NotRequired[str]
    """`next_cursor` of the previous page. Omit for the first page. At most 1200 characters."""
    sort: NotRequired[Literal["created", "name"]]
    """Sort order: `created` or `name`. Defaults to `created`. `created` when left out."""
    direction: NotRequired[Literal["asc", "desc"]]
    """Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal
    values are sorted by ID.
    """


class ModelsListOutput(Document):
    """What models.list answers."""
    data: list[types.Model]
    next_cursor: str | None


class ModelsListPage(ModelsListOutput, Page[types.Model]):
    """A page of models.list."""


class AsyncModelsListPage(ModelsListOutput, AsyncPage[types.Model]):
    """A page of models.list."""


class ModelsShowInput(TypedDict):
    """Of models.show: show a model name."""
    name: str
    """Model name. `/` may be percent-encoded as `%2F`. 1 to 128 characters."""


class ModelsAddInputCeilings(TypedDict):
    output_tokens: NotRequired[int]
    """Output tokens to hold if the request sets no maximum. Streams start with this hold and can extend
    it. Providers whose API requires a maximum receive this value. From 1 to 10000000.
    """


class ModelsAddInput(TypedDict):
    """Of models.add: create a model name."""
    name: str
    """The model name, as end users request it. `/` may be percent-encoded as `%2F`."""
    sources: NotRequired[Sequence[params.ModelSourceParam | types.ModelSource]]
    """Provider accounts and models, in the order in which they are tried. Required on creation. Omit to
    keep the current value. 1 to 16 of them.
    """
    ceilings: NotRequired[ModelsAddInputCeilings | None]
    """Output limits for requests that set no limit. Defaults to `{}`. Omit to keep the current value;
    set to None to reset it to the default.
    """


class ModelsRmInput(TypedDict):
    """Of models.rm: delete a model name."""
    name: str
    """Model name. `/` may be percent-encoded as `%2F`. 1 to 128 characters."""


class ModelsDisableInput(TypedDict):
    """Of models.disable: disable a model name."""
    name: str
    """Model name. `/` may be percent-encoded as `%2F`. 1 to 128 characters."""


class ModelsEnableInput(TypedDict):
    """Of models.enable: enable a model name."""
    name: str
    """Model name. `/` may be percent-encoded as `%2F`. 1 to 128 characters."""


_MODELS_LIST = Route(
    id="models.list",
    method="GET",
    path="/v1/models",
    takes=ModelsListInput,
    query=("limit", "cursor", "sort", "direction",),
)


_MODELS_SHOW = Route(
    id="models.show",
    method="GET",
    path="/v1/models/{name}",
    takes=ModelsShowInput,
)


_MODELS_ADD = Route(
    id="models.add",
    method="PUT",
    path="/v1/models/{name}",
    takes=ModelsAddInput,
    body="json",
    is_keyed=True,
)


_MODELS_RM = Route(
    id="models.rm",
    method="DELETE",
    path="/v1/models/{name}",
    takes=ModelsRmInput,
)


_MODELS_DISABLE = Route(
    id="models.disable",
    method="POST",
    path="/v1/models/{name}/disable",
    takes=ModelsDisableInput,
    is_keyed=True,
)


_MODELS_ENABLE = Route(
    id="models.enable",
    method="POST",
    path="/v1/models/{name}/enable",
    takes=ModelsEnableInput,
    is_keyed=True,
)


class Models:
    """Model names that end users request."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> ModelsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return ModelsWithRawResponse(Models(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[ModelsListInput]) -> ModelsListPage:
        """List model names.

        Returns the application's model names, newest first unless `sort` is set, with the problems that
        keep each of them from being served.

        GET /v1/models. Its inputs are those of ModelsListInput.
        """
        return self._sender.page(_MODELS_LIST, given, options, ModelsListPage)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsShowInput]) -> types.Model:
        """Show a model name.

        Returns a model name, with the problems that keep it from being served.

        GET /v1/models/{name}. Its inputs are those of ModelsShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_MODELS_SHOW, given, options, types.Model)

    def add(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsAddInput]) -> types.Model:
        """Create a model name.

        Creates the model name, or changes the existing one. Sources are tried in order. If no source has
        a price, the status is `unpriced`, and the model name is served once a source has a price. A
        disabled model name stays disabled.

        PUT /v1/models/{name}. Its inputs are those of ModelsAddInput.

        Raises ApiError: name_taken, not_found.
        """
        return self._sender.call(_MODELS_ADD, given, options, types.Model)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsRmInput]) -> types.Model:
        """Delete a model name.

        Deletes the model name and its prices in all bundles, and returns the deleted model name. Fails
        if a router routes to it. Past usage stays on record.

        DELETE /v1/models/{name}. Its inputs are those of ModelsRmInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_MODELS_RM, given, options, types.Model)

    def disable(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsDisableInput]) -> types.Model:
        """Disable a model name.

        Stops serving the model name, starting with the next request. Requests in flight continue. The
        model name, its sources and its prices are kept.

        POST /v1/models/{name}/disable. Its inputs are those of ModelsDisableInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_MODELS_DISABLE, given, options, types.Model)

    def enable(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsEnableInput]) -> types.Model:
        """Enable a model name.

        Serves the model name again, starting with the next request. Fails if no source and no bundle has
        a price for it. The error lists the missing rates.

        POST /v1/models/{name}/enable. Its inputs are those of ModelsEnableInput.

        Raises ApiError: not_found, model_unpriced.
        """
        return self._sender.call(_MODELS_ENABLE, given, options, types.Model)


class ModelsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Models) -> None:
        self.list = raw(methods.list)
        self.show = raw(methods.show)
        self.add = raw(methods.add)
        self.rm = raw(methods.rm)
        self.disable = raw(methods.disable)
        self.enable = raw(methods.enable)


class AsyncModels:
    """Model names that end users request."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncModelsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncModelsWithRawResponse(AsyncModels(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[ModelsListInput]) -> AsyncPageCall[types.Model, AsyncModelsListPage]:
        """List model names.

        Returns the application's model names, newest first unless `sort` is set, with the problems that
        keep each of them from being served.

        GET /v1/models. Its inputs are those of ModelsListInput.
        """
        return self._sender.page(_MODELS_LIST, given, options, AsyncModelsListPage)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsShowInput]) -> types.Model:
        """Show a model name.

        Returns a model name, with the problems that keep it from being served.

        GET /v1/models/{name}. Its inputs are those of ModelsShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_MODELS_SHOW, given, options, types.Model)

    async def add(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsAddInput]) -> types.Model:
        """Create a model name.

        Creates the model name, or changes the existing one. Sources are tried in order. If no source has
        a price, the status is `unpriced`, and the model name is served once a source has a price. A
        disabled model name stays disabled.

        PUT /v1/models/{name}. Its inputs are those of ModelsAddInput.

        Raises ApiError: name_taken, not_found.
        """
        return await self._sender.call(_MODELS_ADD, given, options, types.Model)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsRmInput]) -> types.Model:
        """Delete a model name.

        Deletes the model name and its prices in all bundles, and returns the deleted model name. Fails
        if a router routes to it. Past usage stays on record.

        DELETE /v1/models/{name}. Its inputs are those of ModelsRmInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_MODELS_RM, given, options, types.Model)

    async def disable(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsDisableInput]) -> types.Model:
        """Disable a model name.

        Stops serving the model name, starting with the next request. Requests in flight continue. The
        model name, its sources and its prices are kept.

        POST /v1/models/{name}/disable. Its inputs are those of ModelsDisableInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_MODELS_DISABLE, given, options, types.Model)

    async def enable(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsEnableInput]) -> types.Model:
        """Enable a model name.

        Serves the model name again, starting with the next request. Fails if no source and no bundle has
        a price for it. The error lists the missing rates.

        POST /v1/models/{name}/enable. Its inputs are those of ModelsEnableInput.

        Raises ApiError: not_found, model_unpriced.
        """
        return await self._sender.call(_MODELS_ENABLE, given, options, types.Model)


class AsyncModelsWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncModels) -> None:
        self.list = async_raw(methods.list)
        self.show = async_raw(methods.show)
        self.add = async_raw(methods.add)
        self.rm = async_raw(methods.rm)
        self.disable = async_raw(methods.disable)
        self.enable = async_raw(methods.enable)
