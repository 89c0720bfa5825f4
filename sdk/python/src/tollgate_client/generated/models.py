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
    """`next_cursor` of the page before. At most 1200 characters."""
    sort: NotRequired[Literal["created", "name"]]
    """Sort order: `created` or `name`. Defaults to `created`. `created` when left out."""
    direction: NotRequired[Literal["asc", "desc"]]
    """Sort direction. Defaults to `asc` for `name` and to `desc` otherwise. Rows with equal values are
    in the order of their IDs.
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
    """The name; `/` may stand as it is or as `%2F`. 1 to 128 characters."""


class ModelsAddInputCeilings(TypedDict):
    output_tokens: NotRequired[int]
    """Output tokens that are held for an answer when the request names no maximum: all of a whole one,
    and a stream’s at first. A provider whose wire demands a maximum is told it. From 1 to 10000000.
    """


class ModelsAddInput(TypedDict):
    """Of models.add: point a name at sources."""
    name: str
    """What end users call it; `/` may stand as it is or as `%2F`."""
    sources: NotRequired[Sequence[params.ModelSourceParam | types.ModelSource]]
    """Accounts and models, in the order they are tried. Required on creation; omit to keep the current
    value. 1 to 16 of them.
    """
    ceilings: NotRequired[ModelsAddInputCeilings | None]
    """Limits for requests that set none. Defaults to `{}`. Omit to keep the current value; set to None
    to reset it to the default.
    """


class ModelsRmInput(TypedDict):
    """Of models.rm: remove a model name."""
    name: str
    """The name; `/` may stand as it is or as `%2F`. 1 to 128 characters."""


class ModelsDisableInput(TypedDict):
    """Of models.disable: stop serving a model name."""
    name: str
    """The name; `/` may stand as it is or as `%2F`. 1 to 128 characters."""


class ModelsEnableInput(TypedDict):
    """Of models.enable: serve a model name again."""
    name: str
    """The name; `/` may stand as it is or as `%2F`. 1 to 128 characters."""


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
    """The names of models that end users ask for."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> ModelsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return ModelsWithRawResponse(Models(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[ModelsListInput]) -> ModelsListPage:
        """List model names.

        Returns the model names of the application, newest first unless `sort` is set, with what keeps
        each of them from being served.

        GET /v1/models. Its inputs are those of ModelsListInput.
        """
        return self._sender.page(_MODELS_LIST, given, options, ModelsListPage)

    def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsShowInput]) -> types.Model:
        """Show a model name.

        One name, with what keeps it from being served.

        GET /v1/models/{name}. Its inputs are those of ModelsShowInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_MODELS_SHOW, given, options, types.Model)

    def add(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsAddInput]) -> types.Model:
        """Point a name at sources.

        Creates the model name, or changes the existing one. Sources are tried in order. If no source has
        a price, the status of the model name is `unpriced`; it is served as soon as a source has one. A
        disabled model name stays disabled.

        PUT /v1/models/{name}. Its inputs are those of ModelsAddInput.

        Raises ApiError: name_taken, not_found.
        """
        return self._sender.call(_MODELS_ADD, given, options, types.Model)

    def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsRmInput]) -> types.Model:
        """Remove a model name.

        Forgets the name and what bundles charge for it, and answers what it was. Refused while a router
        leads to it. What was used under it stays in usage and on the ledger.

        DELETE /v1/models/{name}. Its inputs are those of ModelsRmInput.

        Raises ApiError: not_found, in_use.
        """
        return self._sender.call(_MODELS_RM, given, options, types.Model)

    def disable(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsDisableInput]) -> types.Model:
        """Stop serving a model name.

        From the next call on; calls in flight go on. The name, its sources and its prices are kept.

        POST /v1/models/{name}/disable. Its inputs are those of ModelsDisableInput.

        Raises ApiError: not_found.
        """
        return self._sender.call(_MODELS_DISABLE, given, options, types.Model)

    def enable(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsEnableInput]) -> types.Model:
        """Serve a model name again.

        From the next call on. Refused while no source and no bundle has a price for it, naming what is
        missing.

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
    """The names of models that end users ask for."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncModelsWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncModelsWithRawResponse(AsyncModels(self._sender.raw()))

    def list(self, *, options: CallOptions | None = None, **given: Unpack[ModelsListInput]) -> AsyncPageCall[types.Model, AsyncModelsListPage]:
        """List model names.

        Returns the model names of the application, newest first unless `sort` is set, with what keeps
        each of them from being served.

        GET /v1/models. Its inputs are those of ModelsListInput.
        """
        return self._sender.page(_MODELS_LIST, given, options, AsyncModelsListPage)

    async def show(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsShowInput]) -> types.Model:
        """Show a model name.

        One name, with what keeps it from being served.

        GET /v1/models/{name}. Its inputs are those of ModelsShowInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_MODELS_SHOW, given, options, types.Model)

    async def add(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsAddInput]) -> types.Model:
        """Point a name at sources.

        Creates the model name, or changes the existing one. Sources are tried in order. If no source has
        a price, the status of the model name is `unpriced`; it is served as soon as a source has one. A
        disabled model name stays disabled.

        PUT /v1/models/{name}. Its inputs are those of ModelsAddInput.

        Raises ApiError: name_taken, not_found.
        """
        return await self._sender.call(_MODELS_ADD, given, options, types.Model)

    async def rm(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsRmInput]) -> types.Model:
        """Remove a model name.

        Forgets the name and what bundles charge for it, and answers what it was. Refused while a router
        leads to it. What was used under it stays in usage and on the ledger.

        DELETE /v1/models/{name}. Its inputs are those of ModelsRmInput.

        Raises ApiError: not_found, in_use.
        """
        return await self._sender.call(_MODELS_RM, given, options, types.Model)

    async def disable(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsDisableInput]) -> types.Model:
        """Stop serving a model name.

        From the next call on; calls in flight go on. The name, its sources and its prices are kept.

        POST /v1/models/{name}/disable. Its inputs are those of ModelsDisableInput.

        Raises ApiError: not_found.
        """
        return await self._sender.call(_MODELS_DISABLE, given, options, types.Model)

    async def enable(self, *, options: ConditionalOptions | None = None, **given: Unpack[ModelsEnableInput]) -> types.Model:
        """Serve a model name again.

        From the next call on. Refused while no source and no bundle has a price for it, naming what is
        missing.

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
