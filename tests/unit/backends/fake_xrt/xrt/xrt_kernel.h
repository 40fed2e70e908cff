// The "kernel on the board" is the emitted C++ function, named by FAKE_TOP.
#ifndef FAKE_XRT_KERNEL_H
#define FAKE_XRT_KERNEL_H
#include <cstring>
#include <string>
#include <xrt/xrt_bo.h>
#include "kernel.h"
enum ert_cmd_state { ERT_CMD_STATE_COMPLETED = 4 };
namespace xrt {
struct address {
    template <typename T>
    operator T *() const { return static_cast<T *>(place); }
    void *place;
};
inline address as_argument(bo &buffer) { return {buffer.board()}; }
// A scalar arrives as its bytes, whatever its type is called on either side.
template <typename T>
struct scalar {
    template <typename U>
    operator U() const {
        static_assert(sizeof(U) == sizeof(T), "host and kernel disagree about a scalar");
        U arrived;
        std::memcpy(&arrived, &value, sizeof arrived);
        return arrived;
    }
    T value;
};
template <typename T>
scalar<T> as_argument(T value) { return {value}; }
struct run {
    ert_cmd_state wait() { return ERT_CMD_STATE_COMPLETED; }
};
struct kernel {
    kernel(const device &, const uuid &, const std::string &) {}
    int group_id(int) { return 0; }
    template <typename... T>
    run operator()(T &&...arguments) {
        FAKE_TOP(as_argument(arguments)...);
        return {};
    }
};
}  // namespace xrt
#endif
