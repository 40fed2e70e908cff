"""The part of testbench.cpp that is the same for every kernel: data, memory with fences, comparison.

It does without <cmath> and <xmmintrin.h>, of which a compiler reads longer than of all the rest.
"""

LIBRARY = r"""
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

namespace {

// Numbers that depend on the seed alone (splitmix64), on every machine.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t bits() {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
        return z ^ (z >> 31);
    }
    // At least 0, less than 1.
    double unit() { return static_cast<double>(bits() >> 11) / 9007199254740992.0; }

private:
    std::uint64_t state_;
};

bool is(const char *set, const char *name) { return std::strcmp(set, name) == 0; }

// In such sets the kernel runs as on AMD's floating-point cores: subnormal operands and results are zeros.
const char FLUSHED[] = "flushed_";
inline bool is_flushed(const char *set) { return std::strncmp(set, FLUSHED, sizeof FLUSHED - 1) == 0; }
inline const char *data_of(const char *set) { return is_flushed(set) ? set + sizeof FLUSHED - 1 : set; }

#if defined(__SSE2__)
const bool CAN_FLUSH = true;
class Flushing {
public:
    explicit Flushing(bool wanted) : before_(__builtin_ia32_stmxcsr()) {
        if (wanted) __builtin_ia32_ldmxcsr(before_ | 0x8040u);
    }
    ~Flushing() { __builtin_ia32_ldmxcsr(before_); }

private:
    unsigned before_;
};
#else
const bool CAN_FLUSH = false;
class Flushing {
public:
    explicit Flushing(bool) {}
    ~Flushing() {}
};
#endif

// About the fourth root of the largest number: products of a few are finite.
template <typename T>
constexpr T large_number() {
    T root = 1;
    for (int power = 0; power < std::numeric_limits<T>::max_exponent / 4; ++power) root *= 2;
    return root;
}

template <typename T>
T draw(const char *set, Random &random, std::true_type) {
    const double unit = random.unit();
    if (is(set, "zeros")) return unit < 0.5 ? T(0) : -T(0);
    if (is(set, "dominant")) return static_cast<T>(0.5 + unit);
    if (is(set, "negatives")) return static_cast<T>(-1.0 - unit);
    if (is(set, "denormals")) {
        if (unit < 0.25) return T(1);
        return static_cast<T>(unit - 0.5) * std::numeric_limits<T>::min();
    }
    if (is(set, "large")) {
        constexpr T most = large_number<T>();
        return static_cast<T>((unit - 0.5) * most);
    }
    return static_cast<T>(2.0 * unit - 1.0);
}

template <typename T>
T draw(const char *set, Random &random, std::false_type) {
    const int number = static_cast<int>(random.bits() % 4);
    if (is(set, "zeros")) return T(0);
    if (is(set, "wide")) return static_cast<T>(random.bits());
    if (is(set, "dominant")) return static_cast<T>(number + 1);
    if (is(set, "negatives") && std::is_signed<T>::value) return static_cast<T>(-number - 1);
    return static_cast<T>(number);
}

template <typename T>
T draw(const char *set, Random &random) {
    return draw<T>(set, random, std::is_floating_point<T>());
}

// Memory of `count` elements between two fences, which must never change. Under AddressSanitizer there are none, since
// it sees every access outside by itself.
#if defined(__SANITIZE_ADDRESS__)
const std::size_t FENCE = 0;
#else
const std::size_t FENCE = 4096;
#endif
// A huge number in every type, so that a read beyond an array shows in the results.
const unsigned char FENCE_BYTE = 0xFE;
// Padding of rows, and whatever else no test sets, is not a number to whoever reads it by mistake.
const unsigned char UNSET_BYTE = 0xFF;

template <typename T>
class Block {
public:
    explicit Block(std::size_t count) : bytes_(count * sizeof(T)) {
        void *memory = nullptr;
        if (posix_memalign(&memory, 4096, bytes_ + 2 * FENCE) != 0) throw std::bad_alloc();
        raw_ = static_cast<unsigned char *>(memory);
        std::memset(raw_, FENCE_BYTE, bytes_ + 2 * FENCE);
        std::memset(raw_ + FENCE, UNSET_BYTE, bytes_);
    }
    ~Block() { std::free(raw_); }
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;

    T *data() { return reinterpret_cast<T *>(raw_ + FENCE); }
    bool intact() const {
        for (std::size_t at = 0; at < FENCE; ++at) {
            if (raw_[at] != FENCE_BYTE || raw_[FENCE + bytes_ + at] != FENCE_BYTE) return false;
        }
        return true;
    }

private:
    std::size_t bytes_;
    unsigned char *raw_;
};

// What so many bits hold of an integer, with the sign carried up where there is one.
template <int Bits, typename T>
T low_bits(T value) {
    const std::uint64_t low = static_cast<std::uint64_t>(value) & (~std::uint64_t(0) >> (64 - Bits));
    const std::uint64_t sign = std::is_signed<T>::value ? std::uint64_t(1) << (Bits - 1) : 0;
    return static_cast<T>((low ^ sign) - sign);
}

// `diagonal` is the extent of a square matrix, 0 for anything else: a heavy diagonal keeps factorizations finite.
template <typename T>
void fill(T *data, std::size_t count, const char *set, Random &random, std::size_t diagonal) {
    for (std::size_t at = 0; at < count; ++at) data[at] = draw<T>(set, random);
    if (!is(set, "dominant")) return;
    for (std::size_t at = 0; at < diagonal; ++at) data[at * diagonal + at] += static_cast<T>(diagonal);
}

template <typename T>
T &element(T *port, std::size_t at) {
    return port[at];
}

// Element `at` of the source lies at this place of the memory behind a port.
std::size_t place(std::size_t at, std::size_t last, std::size_t padded) { return at / last * padded + at % last; }

// Memory of `Stripes` ports, over which the elements of an array are dealt in turn.
template <typename Beat, std::size_t Stripes>
struct Dealt {
    Beat *port[Stripes];
};

template <typename Beat, std::size_t Stripes>
auto &element(const Dealt<Beat, Stripes> &dealt, std::size_t at) {
    return element(dealt.port[at % Stripes], at / Stripes);
}

// Memory that holds an array tile after tile, the rows of each so many elements apart.
template <typename Port, std::size_t Dimensions>
struct Tiled {
    Port port;
    std::size_t extents[Dimensions], tile[Dimensions], row;
};

template <typename Port, std::size_t Dimensions>
auto &element(const Tiled<Port, Dimensions> &tiled, std::size_t at) {
    std::size_t number = 0, tiles = 1, inside = 0, size = 1;
    for (std::size_t d = Dimensions; d-- > 0;) {
        const std::size_t extent = tiled.extents[d], tile = tiled.tile[d], index = at % extent;
        number += index / tile * tiles;
        tiles *= (extent + tile - 1) / tile;
        inside += index % tile * size;
        size *= d + 1 == Dimensions ? tiled.row : tile;
        at /= extent;
    }
    return element(tiled.port, number * size + inside);
}

template <typename T, typename Port>
void pack(T *data, Port port, std::size_t count, std::size_t last, std::size_t padded) {
    for (std::size_t at = 0; at < count; ++at) element(port, place(at, last, padded)) = data[at];
}

struct Tally {
    std::size_t compared = 0, finite = 0, mismatches = 0;
    double worst = 0;
    char first[200] = "";
};

template <typename T>
bool same_bits(T got, T wanted) {
    return std::memcmp(&got, &wanted, sizeof(T)) == 0 || (got != got && wanted != wanted);
}

inline double magnitude(double value) { return value < 0 ? -value : value; }
inline bool is_finite(double value) { return value - value == 0; }

template <typename T, typename Port>
void compare(const char *name, T *wanted, Port port, const std::size_t *extents, std::size_t dimensions,
             std::size_t padded, double tolerance, Tally &tally) {
    std::size_t count = 1;
    for (std::size_t d = 0; d < dimensions; ++d) count *= extents[d];
    const std::size_t last = dimensions ? extents[dimensions - 1] : 1;
    double sum = 0;
    std::size_t finite = 0;
    for (std::size_t at = 0; at < count; ++at) {
        const double value = magnitude(static_cast<double>(wanted[at]));
        if (is_finite(value)) sum += value, ++finite;
    }
    const double mean = finite ? sum / static_cast<double>(finite) : 0;
    tally.compared += count;
    tally.finite += finite;
    for (std::size_t at = 0; at < count; ++at) {
        const T got = element(port, place(at, last, padded)), want = wanted[at];
        if (same_bits(got, want)) continue;
        // Relative to the element, or to the mean size of the array where the element is smaller by cancellation.
        const double size = magnitude(static_cast<double>(want)), scale = size > mean ? size : mean;
        double error = magnitude(static_cast<double>(got) - static_cast<double>(want)) / scale;
        if (got == want) error = 0;
        if (error != error) error = std::numeric_limits<double>::infinity();
        if (error > tally.worst) tally.worst = error;
        if (tolerance > 0 && error <= tolerance) continue;
        if (tally.mismatches++) continue;
        char index[100] = "";
        std::size_t rest = at, block = count, length = 0;
        for (std::size_t d = 0; d < dimensions && length + 24 < sizeof index; ++d) {
            block /= extents[d];
            length += static_cast<std::size_t>(std::snprintf(index + length, 24, "[%zu]", rest / block));
            rest %= block;
        }
        std::snprintf(tally.first, sizeof tally.first, "%.40s%s is %.9g, must be %.9g", name, index,
                      static_cast<double>(got), static_cast<double>(want));
    }
}

// One line that a program can read back.
void report(const char *set, const Tally &tally) {
    std::printf("sisy set=%s compared=%zu finite=%zu mismatches=%zu worst=%.9g first=%s\n", set,
                tally.compared, tally.finite, tally.mismatches, tally.worst, tally.first);
    std::fflush(stdout);
}

template <typename T>
void check_fence(const char *name, const Block<T> &block, Tally &tally) {
    if (block.intact()) return;
    ++tally.mismatches;
    std::snprintf(tally.first, sizeof tally.first, "%.40s is written outside its elements", name);
}

}  // namespace
""".strip()

HALVES = r"""
namespace {

// A class that the traits of the library know nothing of.
template <>
half draw<half>(const char *set, Random &random) {
    const double unit = random.unit();
    if (is(set, "large")) return static_cast<half>(16.0f * static_cast<float>(unit - 0.5));
    if (is(set, "denormals") && unit >= 0.25) return static_cast<half>(static_cast<float>(unit - 0.5) * 6.1e-5f);
    return static_cast<half>(draw<float>(set, random));
}

}  // namespace
""".strip()

VECTORS = r"""
namespace {

// A port moves several elements at a time.
template <typename T, std::size_t N>
T &element(hls::vector<T, N> *port, std::size_t at) {
    return port[at / N][at % N];
}

}  // namespace
""".strip()

STACK = r"""
#include <sys/resource.h>
#include <unistd.h>

// On-chip memory is a local array of the kernel here: the program starts itself again with a stack of that size.
static void need_stack(std::size_t bytes, char **argv) {
    rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes) return;
    limit.rlim_cur = bytes;
    if (setrlimit(RLIMIT_STACK, &limit) == 0) execv("/proc/self/exe", argv);
    std::fprintf(stderr, "the kernel needs a stack of %zu bytes: raise the limit with `ulimit -s`\n", bytes);
    std::exit(3);
}
""".strip()

TRAP = r"""
#include <csetjmp>
#include <csignal>

// Where the source divides by zero, other data are taken.
static sigjmp_buf divided;
static void on_trap(int) { siglongjmp(divided, 1); }
static const std::uint64_t TRIES = 20;
""".strip()
