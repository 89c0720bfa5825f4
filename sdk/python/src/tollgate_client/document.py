"""Documents that the server returns. Their fields are attributes with Python names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Union, cast, get_args, get_origin

from typing_extensions import get_type_hints


class Document:
    """A document that the server returned. `to_dict()` also contains fields that this version does not know."""

    _wire: ClassVar[Mapping[str, str]] = {}
    """Maps an attribute to the name in the document, if it differs from the result of `wire_name`."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document

    def to_dict(self) -> dict[str, Any]:
        """Returns the unchanged document, with the field names of the API (`capMicros`)."""
        return self._document

    # Type checkers know only the declared attributes.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            hint = None if name.startswith("_") else _fields_of(kind).get(name)
            if hint is None:
                raise AttributeError(f"{kind.__name__} has no field {name}")
            wire = kind._wire.get(name, wire_name(name))
            if wire not in self._document and NoneType not in get_args(hint):
                raise AttributeError(f"the server omitted {wire} in this {kind.__name__}")
            value = read(self._document.get(wire), hint)
            self.__dict__[name] = value
            return value

    def __dir__(self) -> list[str]:
        kind: Any = type(self)
        return sorted({*super().__dir__(), *_fields_of(kind)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and type(self) is type(other) and self._document == other._document

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._document!r})"


def reader(hint: Any) -> Callable[[Any], Any]:
    """Returns the function that converts a part of a document to the given type."""
    return lambda document: read(document, hint)


def read(value: Any, hint: Any) -> Any:
    """Converts a part of a document to the given type. A part of another type is returned unchanged."""
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return _read_union(value, get_args(hint))
    if origin is list and isinstance(value, list):
        rows = cast("list[Any]", value)
        (item,) = get_args(hint)
        return [read(one, item) for one in rows]
    if origin is dict and isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        _, one = get_args(hint)
        return {key: read(part, one) for key, part in fields.items()}
    if isinstance(value, dict) and _is_document(hint):
        return hint(cast("dict[str, Any]", value))
    return cast("object", value)


def _read_union(value: Any, hints: tuple[Any, ...]) -> Any:
    if isinstance(value, list):
        rows = cast("list[Any]", value)
        return next((read(rows, hint) for hint in hints if get_origin(hint) is list), rows)
    if not isinstance(value, dict):
        return value
    document = cast("dict[str, Any]", value)
    kinds = [hint for hint in hints if _is_document(hint)]
    if kinds:
        return max(kinds, key=lambda kind: _known_fields(kind, document))(document)
    return next((read(document, hint) for hint in hints if get_origin(hint) is dict), document)


def _known_fields(kind: Any, document: dict[str, Any]) -> int:
    wire = kind._wire
    return sum(wire.get(name, wire_name(name)) in document for name in _fields_of(kind))


def _is_document(hint: Any) -> bool:
    return isinstance(hint, type) and get_origin(hint) is None and issubclass(hint, Document)


@cache
def _fields_of(kind: Any) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if not name.startswith("_")}


@cache
def wire_name(name: str) -> str:
    """Converts `cap_micros` to `capMicros`. Reserved Python words end with an underscore: `from_`."""
    return re.sub("_([a-z0-9])", lambda match: match.group(1).upper(), name.rstrip("_"))
