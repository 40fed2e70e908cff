// Runs functions that streams join at the same time, in an interleaving that a seed picks, and sees when all wait.
// Each has a stack of its own and goes on by turns; after every beat another one may be next.
#ifndef SISY_TURNS_H
#define SISY_TURNS_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <hls_stream.h>
#include <new>
#include <sys/mman.h>
#include <ucontext.h>

class Turns : public hls::turns {
public:
    explicit Turns(std::uint64_t seed) : state_(seed * 2 + 1) {}
    Turns(const Turns &) = delete;
    Turns &operator=(const Turns &) = delete;
    ~Turns() override {
        for (std::size_t at = 0; at < count_; ++at) munmap(functions_[at].stack, functions_[at].bytes);
    }

    void add(std::size_t bytes, std::function<void()> work) {
        Function &one = functions_[count_];
        if (count_ == MOST) throw std::bad_alloc();
        one.work = std::move(work), one.bytes = bytes;
        one.stack = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (one.stack == MAP_FAILED) throw std::bad_alloc();
        ++count_;
    }

    // Whether all came to their end; if not, `told` says at which streams they wait.
    bool run() {
        for (std::size_t at = 0; at < count_; ++at) {
            Function &one = functions_[at];
            getcontext(&one.context);
            one.context.uc_stack.ss_sp = one.stack;
            one.context.uc_stack.ss_size = one.bytes;
            one.context.uc_link = &main_;
            running() = this;
            makecontext(&one.context, &Turns::enter, 0);
        }
        for (std::size_t open = next(); open; open = next()) {
            running() = this;
            swapcontext(&main_, &functions_[now_].context);
        }
        std::size_t length = 0;
        bool ended = true;
        for (std::size_t at = 0; at < count_; ++at) {
            const Function &one = functions_[at];
            if (one.ended) continue;
            ended = false;
            const int more = std::snprintf(told_ + length, sizeof told_ - length, "%sunit %zu to %s %.24s",
                                           length ? ", " : "units wait for each other: ", at,
                                           one.sends ? "send" : "receive", one.stream);
            if (more > 0 && length + static_cast<std::size_t>(more) < sizeof told_) length += static_cast<std::size_t>(more);
        }
        return ended;
    }

    const char *told() const { return told_; }

    void wait(const char *stream, bool sends) override {
        Function &one = functions_[now_];
        one.waits = true, one.stream = stream, one.sends = sends;
        swapcontext(&one.context, &main_);
    }

    void moved() override {
        for (std::size_t at = 0; at < count_; ++at) functions_[at].waits = false;
        if (random() & 1) swapcontext(&functions_[now_].context, &main_);
    }

private:
    static const std::size_t MOST = 64;
    struct Function {
        ucontext_t context;
        std::function<void()> work;
        void *stack = nullptr;
        std::size_t bytes = 0;
        bool ended = false, waits = false, sends = false;
        const char *stream = "";
    };

    static Turns *&running() {
        static Turns *found = nullptr;
        return found;
    }
    static void enter() {
        Function &one = running()->functions_[running()->now_];
        one.work();
        one.ended = true;
    }

    // How many can go on, one of which is the next.
    std::size_t next() {
        std::size_t open = 0;
        for (std::size_t at = 0; at < count_; ++at) {
            if (functions_[at].ended || functions_[at].waits) continue;
            if (random() % ++open == 0) now_ = at;
        }
        return open;
    }

    std::uint64_t random() {
        state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
        return state_ >> 11;
    }

    ucontext_t main_;
    Function functions_[MOST];
    std::size_t count_ = 0, now_ = 0;
    std::uint64_t state_;
    char told_[200] = "";
};

#endif
