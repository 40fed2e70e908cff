// A first-in first-out channel: the part of the documented hls::stream interface that host compilation needs.
// Written for simulation only; an empty read ends the program, since hardware would wait for ever. Items are numbers or
// vectors of them. They lie in a ring that doubles when it is full: a compiler reads <deque> longer than all the rest.
// Between functions that run by turns (sisy_turns.h), a stream is as long as it is told, and who finds it empty or full
// waits for its turn.
#ifndef SISY_HLS_STREAM_H
#define SISY_HLS_STREAM_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace hls {

// Who runs functions by turns: lets one wait that finds a stream empty or full, and is told of every beat.
class turns {
public:
    virtual ~turns() {}
    virtual void wait(const char *stream, bool sends) = 0;
    virtual void moved() = 0;
};

template <typename T, int Depth = 0>
class stream {
public:
    stream() : name_("stream") {}
    explicit stream(const char *name) : name_(name) {}
    ~stream() { std::free(items_); }
    stream(const stream &) = delete;
    stream &operator=(const stream &) = delete;

    bool empty() const { return count_ == 0; }
    bool full() const { return Depth > 0 && count_ >= static_cast<std::size_t>(Depth); }
    std::size_t size() const { return count_; }

    // So long, and between functions that run by turns.
    void between(turns &by, std::size_t beats) { by_ = &by, most_ = beats; }

    T read() {
        while (by_ && empty()) by_->wait(name_, false);
        if (empty()) {
            std::fprintf(stderr, "hls::stream `%s` is read while empty\n", name_);
            std::abort();
        }
        const T item = items_[first_];
        first_ = (first_ + 1) % room_;
        --count_;
        if (by_) by_->moved();
        return item;
    }
    void read(T &item) { item = read(); }
    void write(const T &item) {
        while (by_ && count_ >= most_) by_->wait(name_, true);
        if (count_ == room_) grow();
        ::new (static_cast<void *>(items_ + (first_ + count_++) % room_)) T(item);
        if (by_) by_->moved();
    }

    bool read_nb(T &item) {
        if (empty()) return false;
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
    void grow() {
        const std::size_t room = room_ ? 2 * room_ : 64;
        void *memory = nullptr;
        if (posix_memalign(&memory, alignof(T) < sizeof(void *) ? sizeof(void *) : alignof(T), room * sizeof(T)) != 0) {
            throw std::bad_alloc();
        }
        T *const items = static_cast<T *>(memory);
        for (std::size_t at = 0; at < count_; ++at) ::new (static_cast<void *>(items + at)) T(items_[(first_ + at) % room_]);
        std::free(items_);
        items_ = items;
        room_ = room;
        first_ = 0;
    }

    const char *name_;
    turns *by_ = nullptr;
    T *items_ = nullptr;
    std::size_t most_ = 0, room_ = 0, first_ = 0, count_ = 0;
};

}  // namespace hls

#endif
