"""Converts inputs of the caller to the formats of the API. The inputs include names, amounts and times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timezone
from types import NoneType, UnionType
from typing import Annotated, Any, TypeAlias, Union, cast, get_args, get_origin

from typing_extensions import NotRequired, Required, get_type_hints, is_typeddict

from .document import Document, wire_name
from .errors import TollgateError

Amount: TypeAlias = Annotated[str | int, "amount"]
"""An integer of any size, sent as a decimal string."""

Time: TypeAlias = str | date
"""A point in time or a day. A datetime requires a time zone."""


def sent(value: object, hint: Any, name: str = "the input") -> Any:
    """Converts a value to JSON. Fields that the type does not know are sent unchanged, because newer servers may accept
    them.

    Raises TollgateError for a datetime without a time zone, and for a text instead of a list.
    """
    if isinstance(value, Document):
        return value.to_dict()
    if isinstance(value, date):
        return time_text(value, name)
    kind = _chosen(value, hint)
    if get_origin(kind) is Annotated and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, object]", value)
        if is_typeddict(kind):
            hints = hints_of(kind)
            return {wire_name(key): sent(one, hints.get(key), key) for key, one in fields.items()}
        one_hint = get_args(kind)[1] if get_origin(kind) is Mapping else None
        return {key: sent(one, one_hint, key) for key, one in fields.items()}
    if get_origin(kind) is Sequence and isinstance(value, str):
        raise TollgateError(f"{name} must be a list of texts, but is one text.")
    if isinstance(value, (list, tuple)):
        item = get_args(kind)[0] if get_origin(kind) is Sequence else None
        return [sent(one, item, name) for one in cast("Sequence[object]", value)]
    return value


def hints_of(kind: Any) -> dict[str, Any]:
    """Returns the types of a TypedDict's fields."""
    return {name: _unmarked(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}


def _unmarked(hint: Any) -> Any:
    origin: Any = get_origin(hint)
    return get_args(hint)[0] if origin in (NotRequired, Required) else hint


def time_text(value: date, name: str) -> str:
    """Formats a day, or a point in time in UTC, as ISO 8601."""
    if not isinstance(value, datetime):
        return value.isoformat()
    if value.tzinfo is None:
        raise TollgateError(f"{name} must be a datetime with a time zone, like datetime.now(timezone.utc).")
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _chosen(value: object, hint: Any) -> Any:
    """Returns the type in a union that matches the value."""
    if get_origin(hint) not in (Union, UnionType):
        return hint
    kinds = [kind for kind in get_args(hint) if kind is not NoneType]
    if isinstance(value, Mapping):
        return next((kind for kind in kinds if is_typeddict(kind) or get_origin(kind) is Mapping), None)
    if isinstance(value, int):
        return next((kind for kind in kinds if get_origin(kind) is Annotated), None)
    return next((kind for kind in kinds if get_origin(kind) is Sequence), None)
