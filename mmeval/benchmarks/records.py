"""The rows of data files as they lie: JSON lines, JSON arrays, parquet."""

from __future__ import annotations

import base64
import datetime
import decimal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from mmeval.errors import ResultError, UsageError
from mmeval.readers.decoding import decode_row, sanitised
from mmeval.readers.layout import load
from mmeval.types import Json

# Bytes appear only in parquet, where images lie in the table.
Cell: TypeAlias = Any
Record: TypeAlias = dict[str, Cell]
_BATCH = 256


def records(path: Path, pictures: bool) -> Iterator[Record]:
    """Every row of a file.

    Args:
        path: a `.parquet` file, or JSON in an array or in lines.
        pictures: whether to read columns that hold bytes; without them a table of images reads in no time.

    Raises:
        ResultError: the file cannot be read.
        UsageError: it is parquet, and pyarrow is not installed.
    """
    if path.suffix.lower() == ".parquet":
        return _parquet(path, pictures)
    return _json(path)


def count(path: Path) -> int:
    """How many rows a file holds; see `records`."""
    if path.suffix.lower() == ".parquet":
        with _opened(path) as table:
            rows: int = table.metadata.num_rows
            return rows
    loaded = load(path)
    return len(loaded.rows)


def _json(path: Path) -> Iterator[Record]:
    for number, raw in enumerate(load(path).rows):
        columns = decode_row(bytes(raw))
        if columns.flaw is not None:
            raise ResultError(f"{path}: row {number}: {columns.flaw.detail}; mend that row of the data")
        clean = columns.values if columns.sound else sanitised(columns.values)
        yield clean if isinstance(clean, dict) else {}


def _opened(path: Path) -> Any:
    try:
        import pyarrow.parquet as parquet
        from pyarrow.lib import ArrowException
    except ImportError:
        raise UsageError(
            f"{path}: parquet is read through pyarrow, which is not installed; "
            "pip install 'mmeval-score[hub]'"
        ) from None
    try:
        return parquet.ParquetFile(path)
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        raise ResultError(f"{path}: cannot be read as parquet ({_first(error)}); fetch it again") from None


def _parquet(path: Path, pictures: bool) -> Iterator[Record]:
    with _opened(path) as table:
        from pyarrow.lib import ArrowException

        names = [field.name for field in table.schema_arrow if pictures or not _holds_bytes(field.type)]
        try:
            for batch in table.iter_batches(_BATCH, columns=names):
                yield from batch.to_pylist()
        except (ArrowException, OSError, UnicodeDecodeError) as error:
            raise ResultError(f"{path}: is damaged ({_first(error)}); fetch it again") from None


def _holds_bytes(kind: Any) -> bool:
    """Whether a column holds bytes, by itself or inside a list or a structure."""
    import pyarrow.types as types

    if types.is_struct(kind):
        return any(_holds_bytes(field.type) for field in kind)
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _holds_bytes(kind.value_type)
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


def _first(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0].rstrip(".")


def as_json(cell: Cell) -> Json:
    """A cell as JSON has it: dates as ISO texts, decimals as texts, bytes in base64, NaN as null."""
    if isinstance(cell, dict):
        return {str(key): as_json(value) for key, value in cell.items()}
    if isinstance(cell, list | tuple):
        return [as_json(value) for value in cell]
    if isinstance(cell, bytes):
        return base64.b64encode(cell).decode()
    if isinstance(cell, datetime.date | datetime.time):
        return cell.isoformat()
    if isinstance(cell, decimal.Decimal | datetime.timedelta):
        return str(cell)
    return sanitised(cell)


def embedded(text: str) -> Json:
    """A list or an object that a cell holds as text, as JSON or as Python writes it; else the text."""
    bare = text.strip()
    if bare[:1] + bare[-1:] not in ("[]", "{}"):
        return text
    try:
        value: Json = msgspec.json.decode(bare)
        return value
    except (msgspec.DecodeError, RecursionError):
        pass
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            literal = ast.literal_eval(bare)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return as_json(literal) if isinstance(literal, list | dict) else text
