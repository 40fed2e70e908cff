// A vector of N elements that travels as one word: the part of the documented hls::vector interface that host
// compilation needs. Written for simulation only.
#ifndef SISY_HLS_VECTOR_H
#define SISY_HLS_VECTOR_H

#include <cstddef>
#include <initializer_list>

namespace hls {

namespace sisy_detail {
// The alignment of a vector: its size where that is a power of two, else the largest power of two that divides it.
constexpr std::size_t lowest_bit(std::size_t bytes) { return bytes & (~bytes + 1); }
}  // namespace sisy_detail

template <typename T, std::size_t N>
class alignas(sisy_detail::lowest_bit(sizeof(T) * N)) vector {
    static_assert(N > 0, "a vector has at least one element");

public:
    using value_type = T;
    using size_type = std::size_t;
    using reference = T &;
    using const_reference = const T &;
    using iterator = T *;
    using const_iterator = const T *;

    vector() = default;

    vector(const T &value) {
        for (std::size_t at = 0; at < N; ++at) data_[at] = value;
    }

    vector(std::initializer_list<T> values) {
        std::size_t at = 0;
        for (const T &value : values) {
            if (at < N) data_[at++] = value;
        }
        for (; at < N; ++at) data_[at] = T();
    }

    reference operator[](std::size_t at) { return data_[at]; }
    const_reference operator[](std::size_t at) const { return data_[at]; }

    static constexpr std::size_t size() { return N; }

    iterator begin() { return data_; }
    iterator end() { return data_ + N; }
    const_iterator begin() const { return data_; }
    const_iterator end() const { return data_ + N; }

    vector &operator+=(const vector &other) { return apply(other, [](T a, T b) { return static_cast<T>(a + b); }); }
    vector &operator-=(const vector &other) { return apply(other, [](T a, T b) { return static_cast<T>(a - b); }); }
    vector &operator*=(const vector &other) { return apply(other, [](T a, T b) { return static_cast<T>(a * b); }); }
    vector &operator/=(const vector &other) { return apply(other, [](T a, T b) { return static_cast<T>(a / b); }); }

    friend vector operator+(vector left, const vector &right) { return left += right; }
    friend vector operator-(vector left, const vector &right) { return left -= right; }
    friend vector operator*(vector left, const vector &right) { return left *= right; }
    friend vector operator/(vector left, const vector &right) { return left /= right; }

    friend bool operator==(const vector &left, const vector &right) {
        for (std::size_t at = 0; at < N; ++at) {
            if (!(left.data_[at] == right.data_[at])) return false;
        }
        return true;
    }
    friend bool operator!=(const vector &left, const vector &right) { return !(left == right); }

private:
    template <typename Operation>
    vector &apply(const vector &other, Operation operation) {
        for (std::size_t at = 0; at < N; ++at) data_[at] = operation(data_[at], other.data_[at]);
        return *this;
    }

    T data_[N];
};

}  // namespace hls

#endif
