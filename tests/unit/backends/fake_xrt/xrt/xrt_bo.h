// What the host sees and what the board sees are two memories; only `sync` copies between them.
#ifndef FAKE_XRT_BO_H
#define FAKE_XRT_BO_H
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <xrt/xrt_device.h>
enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE, XCL_BO_SYNC_BO_FROM_DEVICE };
namespace xrt {
struct bo {
    bo(const device &, std::size_t size, int) : size_(size), host_(make()), board_(make()) {}
    bo(const bo &) = delete;
    ~bo() { std::free(host_), std::free(board_); }
    template <typename T>
    T map() { return static_cast<T>(host_); }
    void sync(xclBOSyncDirection way) {
        way == XCL_BO_SYNC_BO_TO_DEVICE ? std::memcpy(board_, host_, size_) : std::memcpy(host_, board_, size_);
    }
    // On the board alone, as the real one does between buffers of one device.
    void copy(const bo &source, std::size_t size, std::size_t from = 0, std::size_t to = 0) {
        if (from + size > source.size_ || to + size > size_) std::abort();
        std::memcpy(static_cast<char *>(board_) + to, static_cast<const char *>(source.board_) + from, size);
        ++copies;
    }
    static inline int copies = 0;
    void *board() { return board_; }
    std::size_t size_;
private:
    void *make() { return std::memset(std::aligned_alloc(4096, (size_ + 4095) / 4096 * 4096), 0x5A, size_); }
    void *host_, *board_;
};
}  // namespace xrt
#endif
