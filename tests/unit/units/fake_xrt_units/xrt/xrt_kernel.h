// Several kernels on one board, named by FAKE_TOPS as FAKE_CALL(one) FAKE_CALL(other); they run when they are waited for.
#ifndef FAKE_XRT_KERNEL_H
#define FAKE_XRT_KERNEL_H
#include <cstdio>
#include <functional>
#include <string>
#include <type_traits>
#include <xrt/xrt_bo.h>
#include "kernel_0.h"
#include "kernel_1.h"
#if __has_include("kernel_2.h")
#include "kernel_2.h"
#endif
#include "wired.h"
enum ert_cmd_state { ERT_CMD_STATE_COMPLETED = 4 };
namespace xrt {
struct address {
    template <typename T>
    operator T *() const { return static_cast<T *>(place); }
    void *place;
};
inline address as_argument(bo &buffer) { return {buffer.board()}; }
inline float as_argument(float value) { return value; }
// How many were started and not yet waited for, at most; told when the program ends.
struct flight {
    ~flight() { std::fprintf(stderr, "started at most %d at once, %d copies\n", most, bo::copies); }
    int now = 0, most = 0;
};
inline flight in_flight;
struct run {
    ert_cmd_state wait() {
        work();
        --in_flight.now;
        return ERT_CMD_STATE_COMPLETED;
    }
    std::function<void()> work;
};
struct kernel {
    kernel(const device &, const uuid &, const std::string &name) : name_(name) {}
    int group_id(int) { return 0; }
    template <typename... T>
    run operator()(T &&...arguments) {
        if (++in_flight.now > in_flight.most) in_flight.most = in_flight.now;
        return {[=, this, given = std::make_tuple(as_argument(arguments)...)] {
            std::apply([this](auto... values) { call(values...); }, given);
        }};
    }
    template <typename... T>
    void call(T... values) {
#define FAKE_CALL(top) \
    if constexpr (std::is_invocable_v<decltype(&board::top), T...>) \
        if (name_ == #top ":{" #top "_1}") board::top(values...);
        FAKE_TOPS
    }
    std::string name_;
};
}  // namespace xrt
#endif
