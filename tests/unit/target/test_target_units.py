"""Sizes and amounts as people type them."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sisyphus.target import parse_amount, parse_size

SEEDED = settings(derandomize=True, max_examples=100, deadline=None)
UNITS = {"": 1, "B": 1, "kB": 1000, "MB": 10**6, "GB": 10**9, "KiB": 1024, "MiB": 2**20, "GiB": 2**30}


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("7.2MB", 7_200_000),
        ("7.2 MB", 7_200_000),
        ("1MiB", 1_048_576),
        ("0.5KiB", 512),
        ("64kB", 64_000),
        ("4096", 4096),
        ("4096B", 4096),
        ("1.5GB", 1_500_000_000),
        (".5kB", 500),
        ("1.0009kB", 1000),
        ("0.1MiB", 104_857),
        ("0", 0),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MB", "7.2Mb", "7,2MB", "-1MB", "1e6", "7.2.1MB", "7 apples", "inf", "٣MB", "7."])
def test_no_size(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a size|unknown unit"):
        parse_size(text)


@SEEDED
@given(st.integers(0, 10**9), st.integers(0, 999_999), st.sampled_from(sorted(UNITS)))
def test_size_is_the_exact_value_rounded_down(whole: int, millionths: int, unit: str) -> None:
    exact = (whole + Fraction(millionths, 10**6)) * UNITS[unit]
    size = parse_size(f"{whole}.{millionths:06d}{unit}")
    assert size <= exact < size + 1


@pytest.mark.parametrize(
    ("text", "total", "amount"),
    [("80%", 6840, 5472), ("2000", 6840, 2000), ("100%", 7, 7), ("33.3%", 10, 3), ("0%", 9, 0), (" 50 % ", 9, 4)],
)
def test_amounts(text: str, total: int, amount: int) -> None:
    assert parse_amount(text, total) == amount


@pytest.mark.parametrize("text", ["", "%", "120%", "100.1%", "-5", "2.5", "80 percent", "2k"])
def test_no_amount(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not an amount|more than there is"):
        parse_amount(text, 100)


@SEEDED
@given(st.integers(0, 100_00), st.integers(0, 10**7))
def test_a_share_never_exceeds_the_total(hundredths: int, total: int) -> None:
    amount = parse_amount(f"{hundredths // 100}.{hundredths % 100:02d}%", total)
    assert amount * 10_000 <= hundredths * total < (amount + 1) * 10_000
    assert 0 <= amount <= total
