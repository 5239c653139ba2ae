// An append-only array whose elements never move.
//
// The address range is reserved once; memory is committed as the array grows. Views handed to numpy stay
// valid, and a reader may walk the committed part while a writer appends. Small arrays live on the heap, so
// that thousands of small trees do not each cost a dozen mappings.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace murk {

template <class T>
class StableArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    explicit StableArray(std::size_t capacity) : capacity_(capacity) {
        const std::size_t bytes = capacity * sizeof(T);
        if (bytes <= kHeapLimit) {
            data_ = static_cast<T*>(std::calloc(std::max<std::size_t>(capacity, 1), sizeof(T)));
            if (data_ == nullptr) throw std::bad_alloc();
            committed_ = capacity;
        } else {
            void* range = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (range == MAP_FAILED) throw std::bad_alloc();
            data_ = static_cast<T*>(range);
            mapped_ = true;
        }
    }
    ~StableArray() { release(); }
    StableArray(StableArray&& other) noexcept { swap(other); }
    StableArray& operator=(StableArray&& other) noexcept {
        swap(other);
        return *this;
    }
    StableArray(const StableArray&) = delete;
    StableArray& operator=(const StableArray&) = delete;

    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

    void push_back(T value) {
        const std::size_t at = size_;
        resize(at + 1);
        data_[at] = value;
    }

    // Grows to `size` elements; new ones are zero. Never shrinks.
    void resize(std::size_t size) {
        if (size > committed_) commit(size);
        size_ = std::max(size_, size);
    }

  private:
    static constexpr std::size_t kHeapLimit = std::size_t{1} << 18;
    static constexpr std::size_t kStep = std::size_t{1} << 21;

    void commit(std::size_t size) {
        if (size > capacity_) throw std::length_error("StableArray: capacity exceeded");
        const std::size_t have = committed_ * sizeof(T);
        std::size_t want = std::max(size * sizeof(T), have + have / 2);
        want = std::min((want + kStep - 1) / kStep * kStep, (capacity_ * sizeof(T) + kPage - 1) / kPage * kPage);
        if (mprotect(data_, want, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
        committed_ = std::min(want / sizeof(T), capacity_);
    }
    void release() {
        if (data_ == nullptr) return;
        if (mapped_) {
            munmap(data_, capacity_ * sizeof(T));
        } else {
            std::free(data_);
        }
        data_ = nullptr;
    }
    void swap(StableArray& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(committed_, other.committed_);
        std::swap(capacity_, other.capacity_);
        std::swap(mapped_, other.mapped_);
    }

    static constexpr std::size_t kPage = 4096;
    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t committed_ = 0;
    std::size_t capacity_ = 0;
    bool mapped_ = false;
};

}  // namespace murk
