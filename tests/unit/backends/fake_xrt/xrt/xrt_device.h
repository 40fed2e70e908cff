// A board made of memory: just enough of the native XRT interface to run a host program against the C++ kernel.
#ifndef FAKE_XRT_DEVICE_H
#define FAKE_XRT_DEVICE_H
#include <string>
namespace xrt {
struct uuid {};
struct device {
    explicit device(unsigned) {}
    uuid load_xclbin(const std::string &) { return {}; }
};
}  // namespace xrt
#endif
