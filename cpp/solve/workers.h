// A small team of threads that run one function together, with a spinning barrier inside it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace murk {

// All parts must arrive before any goes on. Spins briefly, then yields: steps last microseconds, but cores
// may be shared.
class Barrier {
  public:
    explicit Barrier(std::size_t parts) : parts_(parts) {}
    void wait() {
        if (parts_ == 1) return;
        const std::size_t turn = turn_.load(std::memory_order_acquire);
        if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == parts_) {
            arrived_.store(0, std::memory_order_relaxed);
            turn_.store(turn + 1, std::memory_order_release);
            return;
        }
        for (int spins = 0; turn_.load(std::memory_order_acquire) == turn; ++spins)
            if (spins > 2000) std::this_thread::yield();
    }

  private:
    const std::size_t parts_;
    std::atomic<std::size_t> arrived_{0};
    std::atomic<std::size_t> turn_{0};
};

class Workers {
  public:
    explicit Workers(std::size_t parts);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    std::size_t parts() const { return parts_; }
    // Runs job(0) .. job(parts - 1) at once, the first on the calling thread, and waits for all of them.
    void run(const std::function<void(std::size_t)>& job);

  private:
    void serve(std::size_t part);
    void stop();

    const std::size_t parts_;
    std::mutex mutex_;
    std::condition_variable start_;
    std::condition_variable done_;
    const std::function<void(std::size_t)>* job_ = nullptr;
    std::size_t generation_ = 0;
    std::size_t running_ = 0;
    bool stop_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace murk
