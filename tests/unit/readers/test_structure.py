"""Where elements lie."""

import pytest

from mmeval.readers.structure import elements, line_of

CASES = [
    ("plain", b"[1,22,3]", [b"1", b"22", b"3"], True),
    ("nested", b'[{"a":[1,2]},[3,{"b":4}]]', [b'{"a":[1,2]}', b'[3,{"b":4}]'], True),
    ("brackets-in-text", b'["],[",{"a":"}"}]', [b'"],["', b'{"a":"}"}'], True),
    ("quotes-in-text", rb'["\"],","\\"]', [rb'"\"],"', rb'"\\"'], True),
    ("object", b'{"a":1,"b":[2,3]}', [b'"a":1', b'"b":[2,3]'], True),
    ("empty", b"[]", [b""], True),
    ("blank-elements", b"[1,,]", [b"1", b"", b""], True),
    ("torn", b"[1,[2,3", [b"1", b"[2,3"], False),
    ("torn-text", b'[1,"ab]', [b"1", b'"ab]'], False),
    ("line-break-in-text", b'["a\nb",1]', [b'"a\nb"', b"1"], True),
]


@pytest.mark.parametrize("data,parts,sure", [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_elements(data: bytes, parts: list[bytes], sure: bool) -> None:
    found = list(elements(b"  " + data, 2))
    assert [(b"  " + data)[begin:end] for begin, end, _ in found] == parts
    assert found[-1][2] is sure
    assert all(known for _, _, known in found[:-1])


def test_line_of() -> None:
    assert [line_of(b"a\nb\n", at) for at in (0, 1, 2, 4)] == [1, 1, 2, 3]


@pytest.mark.parametrize("filler", [b"\\", b'"', b"[", b"{},", b'"\\', b"a"], ids=repr)
def test_time_is_linear(filler: bytes) -> None:
    assert len(list(elements(b"[" + filler * 300_000, 0))) >= 1
