#include "solve/workers.h"

namespace murk {

Workers::Workers(std::size_t parts) : parts_(parts == 0 ? 1 : parts) {
    try {
        for (std::size_t part = 1; part < parts_; ++part) threads_.emplace_back([this, part] { serve(part); });
    } catch (...) {  // the system has no more threads to give; those it gave must end before this object does
        stop();
        throw;
    }
}

Workers::~Workers() { stop(); }

void Workers::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    start_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::run(const std::function<void(std::size_t)>& job) {
    if (parts_ == 1) return job(0);
    {
        const std::lock_guard lock(mutex_);
        job_ = &job;
        running_ = parts_ - 1;
        ++generation_;
    }
    start_.notify_all();
    job(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    job_ = nullptr;
}

void Workers::serve(std::size_t part) {
    std::size_t seen = 0;
    for (;;) {
        const std::function<void(std::size_t)>* job = nullptr;
        {
            std::unique_lock lock(mutex_);
            start_.wait(lock, [&] { return stop_ || generation_ != seen; });
            if (stop_) return;
            seen = generation_;
            job = job_;
        }
        (*job)(part);
        {
            const std::lock_guard lock(mutex_);
            --running_;
        }
        done_.notify_one();
    }
}

}  // namespace murk
