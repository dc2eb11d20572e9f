"""Parquet: the same columns as CSV, typed, one row group a run, null as null."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mmeval.errors import UsageError
from mmeval.exports.options import Options, Tell
from mmeval.exports.runs import RUN_COLUMNS, SAMPLE_COLUMNS, Run, table

MARK = b"mmeval export"


def export(runs: Sequence[Run], options: Options, tell: Tell) -> Iterator[bytes]:
    """The runs, or their samples, as one Parquet file.

    Raises:
        UsageError: pyarrow is missing.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("parquet needs pyarrow; pip install 'mmeval-score[tables]'") from None
    columns = SAMPLE_COLUMNS if options.rows else RUN_COLUMNS
    schema = _schema(pa, columns).with_metadata({MARK: b"samples" if options.rows else b"runs"})
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for part in [[run] for run in runs] if options.rows else [runs]:
            writer.write_table(pa.Table.from_pylist(list(table(part, options.rows)), schema))
    yield sink.getvalue().to_pybytes()


def _schema(pa: Any, columns: Mapping[str, type]) -> Any:
    types = {str: pa.string(), float: pa.float64(), int: pa.int64(), bool: pa.bool_()}
    return pa.schema([(name, types[kind]) for name, kind in columns.items()])
