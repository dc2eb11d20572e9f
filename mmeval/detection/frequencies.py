"""The frequency group of each LVIS category: in how many training images it is, r < 10 <= c < 100 <= f."""

from __future__ import annotations

from typing import Any

import msgspec

from mmeval.boxes.annotations import GROUPS, Annotations, read_categories
from mmeval.errors import MetadataError


def frequencies_of(resource: Any, name: str) -> dict[str, str]:
    """The group (r, c, f) by a category's id and by its name, of the categories that tell it.

    Args:
        resource: a list of categories, an object of them by id, or a file of annotations; or an object with
            nothing but the group by category.
        name: what the resource is called.

    Raises:
        MetadataError: it is none of these.
    """
    if isinstance(resource, dict) and resource and all(each in GROUPS for each in resource.values()):
        return {str(key): str(group) for key, group in resource.items()}
    if not isinstance(resource, Annotations | dict | list):
        raise MetadataError(f"resource {name!r} lists no categories with their frequency")
    try:
        categories = read_categories(resource)
    except msgspec.ValidationError as error:
        raise MetadataError(f"resource {name!r} lists no categories with their frequency: {error}") from None
    grouped = [(each, each.frequency) for each in categories if each.frequency is not None]
    by_name = {each.name: group for each, group in grouped if each.name is not None}
    return {**by_name, **{str(each.id): group for each, group in grouped}}
