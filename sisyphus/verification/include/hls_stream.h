// A first-in first-out channel: the part of the documented hls::stream interface that host compilation needs.
// Written for simulation only; an empty read ends the program, since hardware would wait for ever.
#ifndef SISY_HLS_STREAM_H
#define SISY_HLS_STREAM_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>

namespace hls {

template <typename T, int Depth = 0>
class stream {
public:
    stream() : name_("stream") {}
    explicit stream(const char *name) : name_(name) {}
    stream(const stream &) = delete;
    stream &operator=(const stream &) = delete;

    bool empty() const { return items_.empty(); }
    bool full() const { return Depth > 0 && items_.size() >= static_cast<std::size_t>(Depth); }
    std::size_t size() const { return items_.size(); }

    T read() {
        if (items_.empty()) {
            std::fprintf(stderr, "hls::stream `%s` is read while empty\n", name_);
            std::abort();
        }
        T item = items_.front();
        items_.pop_front();
        return item;
    }
    void read(T &item) { item = read(); }
    void write(const T &item) { items_.push_back(item); }

    bool read_nb(T &item) {
        if (items_.empty()) return false;
        item = read();
        return true;
    }
    bool write_nb(const T &item) {
        if (full()) return false;
        write(item);
        return true;
    }

    void operator>>(T &item) { item = read(); }
    void operator<<(const T &item) { write(item); }

private:
    const char *name_;
    std::deque<T> items_;
};

}  // namespace hls

#endif
