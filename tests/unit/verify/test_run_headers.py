"""Our stand-ins for the vendor's headers: free of warnings, and doing what the documented interface says."""

from __future__ import annotations

from pathlib import Path

import pytest

from sisyphus.tools import find_tool, run_tool
from sisyphus.verification.differential_run import INCLUDE_DIR

PROGRAM = r"""
#include <ap_int.h>
#include <hls_math.h>
#include <hls_stream.h>
#include <hls_vector.h>

#define CHECK(condition) if (!(condition)) return __LINE__

int main() {
    hls::vector<float, 4> v = 2.0f;
    v[3] = 5.0f;
    const hls::vector<float, 4> w = v + hls::vector<float, 4>{1, 2, 3, 4};
    CHECK(w[0] == 3.0f && w[3] == 9.0f && w != v && w.size() == 4);
    float sum = 0;
    for (float x : w) sum += x;
    CHECK(sum == 3 + 4 + 5 + 9);
    CHECK(alignof(hls::vector<float, 16>) == 64 && sizeof(hls::vector<float, 16>) == 64);
    CHECK(sizeof(hls::vector<double, 3>) == 24);

    hls::stream<int, 2> channel("channel");
    CHECK(channel.empty() && channel.write_nb(1));
    channel << 2;
    CHECK(channel.full() && !channel.write_nb(3) && channel.size() == 2);
    int first = 0, second = 0;
    channel >> first;
    CHECK(channel.read_nb(second) && first == 1 && second == 2 && !channel.read_nb(second));
    hls::stream<hls::vector<float, 16>> grows;
    int written = 0, taken = 0;
    for (; written < 1000; ++written) {
        grows.write(hls::vector<float, 16>(static_cast<float>(written)));
        if (written % 3 == 0) CHECK(grows.read()[15] == static_cast<float>(taken++));
    }
    for (; !grows.empty(); ++taken) CHECK(grows.read()[0] == static_cast<float>(taken));
    CHECK(taken == written);

    ap_uint<4> u = 15;
    CHECK(++u == 0u && u.length() == 4);
    ap_int<4> s = 7;
    s += 1;
    CHECK(s == -8 && s.test(3) && s.range(3, 2) == 2);
    s >>= 1;
    CHECK(s == -4 && s.to_int() == -4);
    ap_int<64> wide = -1;
    CHECK(wide == -1 && ap_uint<64>(wide).range(63, 0) == ~0ull);
    CHECK(ap_uint<3>(ap_int<8>(-1)) == 7u && ap_int<2>(6) == -2);

    CHECK(hls::sqrtf(4.0f) == 2.0f && hls::sqrt(2.0) == std::sqrt(2.0));
    CHECK(hls::expf(1.0f) == ::expf(1.0f) && hls::exp(1.0f) == ::expf(1.0f) && hls::exp(1.0) == ::exp(1.0));
    CHECK(hls::fmaxf(1.0f, 2.0f) == 2.0f && hls::pow(2.0, 0.5) == ::pow(2.0, 0.5) && hls::fmaf(2, 3, 4) == 10.0f);
    return 0;
}
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("standard", ["c++14", "c++17"])
def test_headers_work_without_a_warning(compiler: str, standard: str, tmp_path: Path) -> None:
    if find_tool(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "program.cpp").write_text(PROGRAM)
    command = [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{INCLUDE_DIR}"]
    run_tool([*command, "program.cpp", "-o", "program"], cwd=tmp_path, timeout_s=300)
    run_tool([tmp_path / "program"], cwd=tmp_path, timeout_s=300)
