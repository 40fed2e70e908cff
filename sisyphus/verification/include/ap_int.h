// Integers of 1 to 64 bits that wrap around: the part of the documented ap_int interface that host compilation needs.
// Written for simulation only.
#ifndef SISY_AP_INT_H
#define SISY_AP_INT_H

#include <cstdint>

namespace sisy_detail {

template <bool Signed>
struct word {
    using type = std::int64_t;
};
template <>
struct word<false> {
    using type = std::uint64_t;
};

}  // namespace sisy_detail

template <int Bits, bool Signed>
class ap_int_base {
    static_assert(Bits >= 1 && Bits <= 64, "1 to 64 bits");

public:
    using word = typename sisy_detail::word<Signed>::type;
    static constexpr int width = Bits;

    ap_int_base() : value_(0) {}
    template <typename Number>
    ap_int_base(Number value) : value_(wrap(static_cast<std::uint64_t>(value))) {}
    template <int Other, bool Sign>
    ap_int_base(const ap_int_base<Other, Sign> &other)
        : value_(wrap(static_cast<std::uint64_t>(static_cast<typename ap_int_base<Other, Sign>::word>(other)))) {}

    operator word() const { return value_; }
    int to_int() const { return static_cast<int>(value_); }
    unsigned to_uint() const { return static_cast<unsigned>(value_); }
    std::int64_t to_int64() const { return static_cast<std::int64_t>(value_); }
    std::uint64_t to_uint64() const { return static_cast<std::uint64_t>(value_); }
    int length() const { return Bits; }

    bool test(int bit) const { return ((static_cast<std::uint64_t>(value_) >> bit) & 1u) != 0; }
    bool operator[](int bit) const { return test(bit); }
    std::uint64_t range(int high, int low) const {
        const std::uint64_t bits = static_cast<std::uint64_t>(value_) >> low;
        const int count = high - low + 1;
        return count >= 64 ? bits : bits & ((std::uint64_t(1) << count) - 1);
    }

    template <typename Number>
    ap_int_base &operator+=(Number other) { return set(bits() + static_cast<std::uint64_t>(other)); }
    template <typename Number>
    ap_int_base &operator-=(Number other) { return set(bits() - static_cast<std::uint64_t>(other)); }
    template <typename Number>
    ap_int_base &operator*=(Number other) { return set(bits() * static_cast<std::uint64_t>(other)); }
    ap_int_base &operator<<=(int count) { return set(bits() << count); }
    ap_int_base &operator>>=(int count) { return set(static_cast<std::uint64_t>(value_ >> count)); }
    ap_int_base &operator++() { return set(bits() + 1); }
    ap_int_base &operator--() { return set(bits() - 1); }

private:
    std::uint64_t bits() const { return static_cast<std::uint64_t>(value_); }
    ap_int_base &set(std::uint64_t bits) {
        value_ = wrap(bits);
        return *this;
    }
    // The low bits, with the sign carried up where there is one.
    static word wrap(std::uint64_t bits) {
        const int spare = 64 - Bits;
        const std::uint64_t low = (bits << spare) >> spare;
        const std::uint64_t sign = std::uint64_t(1) << (Bits - 1);
        return static_cast<word>(Signed ? (low ^ sign) - sign : low);
    }

    word value_;
};

template <int Bits>
class ap_int : public ap_int_base<Bits, true> {
public:
    using ap_int_base<Bits, true>::ap_int_base;
};

template <int Bits>
class ap_uint : public ap_int_base<Bits, false> {
public:
    using ap_int_base<Bits, false>::ap_int_base;
};

#endif
