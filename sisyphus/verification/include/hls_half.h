// Numbers of half precision, each operation rounded to the nearest: the part of the documented half interface that host
// compilation needs. Written for simulation only.
#ifndef SISY_HLS_HALF_H
#define SISY_HLS_HALF_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

class half {
public:
    half() : bits_(0) {}
    // A double is rounded once, and an integer that float does not hold is too large anyway.
    half(double value) : bits_(rounded(value)) {}
    half(float value) : bits_(rounded(value)) {}
    template <typename Integer, typename = typename std::enable_if<std::is_integral<Integer>::value>::type>
    half(Integer value) : bits_(rounded(static_cast<float>(value))) {}

    operator float() const {
        const std::uint32_t sign = std::uint32_t(bits_ & 0x8000u) << 16, exponent = bits_ >> 10 & 31u;
        const std::uint32_t fraction = bits_ & 0x3FFu;
        if (exponent == 0) {
            const float size = flushes(0x40u) ? 0.0f : static_cast<float>(fraction) * 5.9604644775390625e-8f;
            return sign ? -size : size;
        }
        const std::uint32_t wide = sign | (exponent == 31 ? 255u : exponent + 112u) << 23 | fraction << 13;
        float value;
        std::memcpy(&value, &wide, sizeof value);
        return value;
    }

    half &operator+=(half other) { return *this = *this + other; }
    half &operator-=(half other) { return *this = *this - other; }
    half &operator*=(half other) { return *this = *this * other; }
    half &operator/=(half other) { return *this = *this / other; }
    half operator-() const {
        half result(*this);
        result.bits_ ^= 0x8000u;
        return result;
    }

    // A float has more than twice the digits: rounded again, its sums, products and quotients are those of half.
    friend half operator+(half a, half b) { return half(float(a) + float(b)); }
    friend half operator-(half a, half b) { return half(float(a) - float(b)); }
    friend half operator*(half a, half b) { return half(float(a) * float(b)); }
    friend half operator/(half a, half b) { return half(float(a) / float(b)); }
    friend bool operator<(half a, half b) { return float(a) < float(b); }
    friend bool operator<=(half a, half b) { return float(a) <= float(b); }
    friend bool operator>(half a, half b) { return float(a) > float(b); }
    friend bool operator>=(half a, half b) { return float(a) >= float(b); }
    friend bool operator==(half a, half b) { return float(a) == float(b); }
    friend bool operator!=(half a, half b) { return float(a) != float(b); }

private:
    // Where the processor takes subnormal numbers for zeros (0x40) or gives zeros for them (0x8000), half does so, too.
    static bool flushes(unsigned flag) {
#if defined(__SSE2__)
        return (_mm_getcsr() & flag) != 0;
#else
        return flag == 0;
#endif
    }

    static std::uint16_t rounded(double value) {
        const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
        if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00u);
        const double size = std::fabs(value);
        if (size >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7C00u);
        if (size < 6.103515625e-5) {
            const unsigned steps = flushes(0x8000u) ? 0u : static_cast<unsigned>(std::nearbyint(size * 16777216.0));
            return static_cast<std::uint16_t>(sign | steps);
        }
        int exponent;
        const unsigned digits = static_cast<unsigned>(std::nearbyint(std::frexp(size, &exponent) * 2048.0));
        // What is rounded up to 2048 carries into the exponent.
        return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 14) << 10) + digits - 1024u));
    }

    std::uint16_t bits_;
};

#endif
