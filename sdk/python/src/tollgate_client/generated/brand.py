# Made by tools/generate/python from the table of operations: `npm run generate` writes it anew.
from __future__ import annotations

from typing import Literal

from typing_extensions import NotRequired, TypedDict, Unpack

from ..request import Route
from ..response import async_raw, raw
from ..sender import AsyncSender, Sender
from ..settings import CallOptions, ConditionalOptions
from . import types


class BrandSetInput(TypedDict):
    """Of brand.set: change how the portal looks."""
    product_name: NotRequired[str | None]
    """What people know the product as; None: the name of the application. 1 to 128 characters."""
    primary_color: NotRequired[str]
    """The colour of the brand, `#rrggbb`."""
    support_email: NotRequired[str | None]
    """Where people ask for help; None: not said. At most 254 characters."""
    support_url: NotRequired[str | None]
    """The same as an address of a page, http or https; None: not said. At most 512 characters."""
    top_up_url: NotRequired[str | None]
    """The page where the application sells credit. Refusals for money return it as `portal_url`, and the
    portal links to it. Null means the portal. At most 512 characters.
    """
    pay_url: NotRequired[str | None]
    """The page where end users pay invoices. The portal links past-due invoices to it. Null means none.
    At most 512 characters.
    """


class BrandLogoInput(TypedDict):
    """Of brand.logo: upload the logo of the portal."""
    file: bytes
    """The file."""
    type: Literal["image/png", "image/jpeg", "image/webp"]
    """Its media type."""


_BRAND_SHOW = Route(
    id="brand.show",
    method="GET",
    path="/v1/brand",
)


_BRAND_SET = Route(
    id="brand.set",
    method="PATCH",
    path="/v1/brand",
    takes=BrandSetInput,
    body="json",
    is_keyed=True,
)


_BRAND_LOGO = Route(
    id="brand.logo",
    method="POST",
    path="/v1/brand/logo",
    takes=BrandLogoInput,
    body="file",
    is_keyed=True,
)


_BRAND_REMOVE_LOGO = Route(
    id="brand.removeLogo",
    method="DELETE",
    path="/v1/brand/logo",
)


class Brand:
    """How the portal of an application looks."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> BrandWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return BrandWithRawResponse(Brand(self._sender.raw()))

    def show(self, *, options: ConditionalOptions | None = None) -> types.Brand:
        """Show how the portal looks.

        Name, colour, logo and support of the portal of the application, and how well its colour is read.

        GET /v1/brand.
        """
        return self._sender.call(_BRAND_SHOW, {}, options, types.Brand)

    def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[BrandSetInput]) -> types.Brand:
        """Change how the portal looks.

        Fields left out stay; None takes a field away. The answer tells how well the colour is read, and
        warns below a contrast of 4.5:1 to white. The logo is uploaded with brand.logo.

        PATCH /v1/brand. Its inputs are those of BrandSetInput.
        """
        return self._sender.call(_BRAND_SET, given, options, types.Brand)

    def logo(self, *, options: ConditionalOptions | None = None, **given: Unpack[BrandLogoInput]) -> types.Brand:
        """Upload the logo of the portal.

        A PNG, JPEG or WebP file as the body, with its media type as `Content-Type`: at most 512 KiB,
        2000 pixels a side, and not animated. Text, positions, colour profiles and every other annex are
        taken out of it; a picture that is turned only by its Exif data is shown as it is stored. SVG is
        not taken: it is a document that may hold scripts and addresses, and no picture.

        POST /v1/brand/logo. Its inputs are those of BrandLogoInput.
        """
        return self._sender.call(_BRAND_LOGO, given, options, types.Brand)

    def remove_logo(self, *, options: CallOptions | None = None) -> types.Brand:
        """Remove the logo of the portal.

        Its address answers nothing from then on.

        DELETE /v1/brand/logo (an extension).

        Raises ApiError: not_found.
        """
        return self._sender.call(_BRAND_REMOVE_LOGO, {}, options, types.Brand)


class BrandWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: Brand) -> None:
        self.show = raw(methods.show)
        self.set = raw(methods.set)
        self.logo = raw(methods.logo)
        self.remove_logo = raw(methods.remove_logo)


class AsyncBrand:
    """How the portal of an application looks."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncBrandWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncBrandWithRawResponse(AsyncBrand(self._sender.raw()))

    async def show(self, *, options: ConditionalOptions | None = None) -> types.Brand:
        """Show how the portal looks.

        Name, colour, logo and support of the portal of the application, and how well its colour is read.

        GET /v1/brand.
        """
        return await self._sender.call(_BRAND_SHOW, {}, options, types.Brand)

    async def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[BrandSetInput]) -> types.Brand:
        """Change how the portal looks.

        Fields left out stay; None takes a field away. The answer tells how well the colour is read, and
        warns below a contrast of 4.5:1 to white. The logo is uploaded with brand.logo.

        PATCH /v1/brand. Its inputs are those of BrandSetInput.
        """
        return await self._sender.call(_BRAND_SET, given, options, types.Brand)

    async def logo(self, *, options: ConditionalOptions | None = None, **given: Unpack[BrandLogoInput]) -> types.Brand:
        """Upload the logo of the portal.

        A PNG, JPEG or WebP file as the body, with its media type as `Content-Type`: at most 512 KiB,
        2000 pixels a side, and not animated. Text, positions, colour profiles and every other annex are
        taken out of it; a picture that is turned only by its Exif data is shown as it is stored. SVG is
        not taken: it is a document that may hold scripts and addresses, and no picture.

        POST /v1/brand/logo. Its inputs are those of BrandLogoInput.
        """
        return await self._sender.call(_BRAND_LOGO, given, options, types.Brand)

    async def remove_logo(self, *, options: CallOptions | None = None) -> types.Brand:
        """Remove the logo of the portal.

        Its address answers nothing from then on.

        DELETE /v1/brand/logo (an extension).

        Raises ApiError: not_found.
        """
        return await self._sender.call(_BRAND_REMOVE_LOGO, {}, options, types.Brand)


class AsyncBrandWithRawResponse:
    """The same methods, each of which gives a RawResponse."""

    def __init__(self, methods: AsyncBrand) -> None:
        self.show = async_raw(methods.show)
        self.set = async_raw(methods.set)
        self.logo = async_raw(methods.logo)
        self.remove_logo = async_raw(methods.remove_logo)
