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
    """Of brand.set: change the portal brand."""
    product_name: NotRequired[str | None]
    """Product name that end users see. Null means the name of the application. 1 to 128 characters."""
    primary_color: NotRequired[str]
    """Brand color, `#rrggbb`."""
    support_email: NotRequired[str | None]
    """Email address where end users get help. Null if not set. At most 254 characters."""
    support_url: NotRequired[str | None]
    """Web page where end users get help, http or https. Null if not set. At most 512 characters."""
    top_up_url: NotRequired[str | None]
    """Page where the application sells credit. Rejections for lack of money return it as `portal_url`,
    and the portal links to it. Null means the portal. At most 512 characters.
    """
    pay_url: NotRequired[str | None]
    """Page where end users pay invoices. The portal links past-due invoices to it. Null if not set. At
    most 512 characters.
    """


class BrandLogoInput(TypedDict):
    """Of brand.logo: upload the portal logo."""
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
    """The appearance of an application's portal."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> BrandWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return BrandWithRawResponse(Brand(self._sender.raw()))

    def show(self, *, options: ConditionalOptions | None = None) -> types.Brand:
        """Show the portal brand.

        Returns the name, color, logo and support contact of the portal, and the readability of the
        color.

        GET /v1/brand.
        """
        return self._sender.call(_BRAND_SHOW, {}, options, types.Brand)

    def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[BrandSetInput]) -> types.Brand:
        """Change the portal brand.

        Changes the given fields and returns the brand. Omitted fields keep their values, and None
        removes a value. The response has a warning if the contrast of the color to white is below 4.5:1.
        The logo is uploaded with `brand.logo`.

        PATCH /v1/brand. Its inputs are those of BrandSetInput.
        """
        return self._sender.call(_BRAND_SET, given, options, types.Brand)

    def logo(self, *, options: ConditionalOptions | None = None, **given: Unpack[BrandLogoInput]) -> types.Brand:
        """Upload the portal logo.

        Sets the logo of the portal. Send the file as the body, with its media type as `Content-Type`.

        - The file must be a PNG, JPEG or WebP image of at most 512 KiB and 2000 pixels per side.
        Animated images are rejected.
        - Text, locations, color profiles and all other metadata are removed. Rotation by Exif data is
        ignored.
        - SVG is rejected, because an SVG file can contain scripts and links.

        POST /v1/brand/logo. Its inputs are those of BrandLogoInput.
        """
        return self._sender.call(_BRAND_LOGO, given, options, types.Brand)

    def remove_logo(self, *, options: CallOptions | None = None) -> types.Brand:
        """Delete the portal logo.

        Deletes the logo and returns the brand. The path of the logo then returns 404.

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
    """The appearance of an application's portal."""

    def __init__(self, sender: AsyncSender) -> None:
        self._sender = sender

    @property
    def with_raw_response(self) -> AsyncBrandWithRawResponse:
        """The same methods, each of which gives a RawResponse."""
        return AsyncBrandWithRawResponse(AsyncBrand(self._sender.raw()))

    async def show(self, *, options: ConditionalOptions | None = None) -> types.Brand:
        """Show the portal brand.

        Returns the name, color, logo and support contact of the portal, and the readability of the
        color.

        GET /v1/brand.
        """
        return await self._sender.call(_BRAND_SHOW, {}, options, types.Brand)

    async def set(self, *, options: ConditionalOptions | None = None, **given: Unpack[BrandSetInput]) -> types.Brand:
        """Change the portal brand.

        Changes the given fields and returns the brand. Omitted fields keep their values, and None
        removes a value. The response has a warning if the contrast of the color to white is below 4.5:1.
        The logo is uploaded with `brand.logo`.

        PATCH /v1/brand. Its inputs are those of BrandSetInput.
        """
        return await self._sender.call(_BRAND_SET, given, options, types.Brand)

    async def logo(self, *, options: ConditionalOptions | None = None, **given: Unpack[BrandLogoInput]) -> types.Brand:
        """Upload the portal logo.

        Sets the logo of the portal. Send the file as the body, with its media type as `Content-Type`.

        - The file must be a PNG, JPEG or WebP image of at most 512 KiB and 2000 pixels per side.
        Animated images are rejected.
        - Text, locations, color profiles and all other metadata are removed. Rotation by Exif data is
        ignored.
        - SVG is rejected, because an SVG file can contain scripts and links.

        POST /v1/brand/logo. Its inputs are those of BrandLogoInput.
        """
        return await self._sender.call(_BRAND_LOGO, given, options, types.Brand)

    async def remove_logo(self, *, options: CallOptions | None = None) -> types.Brand:
        """Delete the portal logo.

        Deletes the logo and returns the brand. The path of the logo then returns 404.

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
