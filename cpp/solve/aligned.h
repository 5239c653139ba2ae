// Cache-line aligned storage for the kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace murk {

inline constexpr std::size_t kLanes = 8;  // doubles in a cache line, and slots in a kernel step

inline constexpr std::size_t round_up(std::size_t n, std::size_t to = kLanes) { return (n + to - 1) / to * to; }

// A fixed-size array of zeros, 64-byte aligned, with one spare line at the end so that full-width loads may
// overrun.
template <class T>
class AlignedArray {
  public:
    AlignedArray() = default;
    explicit AlignedArray(std::size_t size) : size_(size) {
        const std::size_t bytes = round_up(size * sizeof(T), 64) + 64;
        data_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
        if (!data_) throw std::bad_alloc();
        std::memset(static_cast<void*>(data_.get()), 0, bytes);
    }
    std::size_t size() const { return size_; }
    T* data() { return data_.get(); }
    const T* data() const { return data_.get(); }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* begin() { return data(); }
    T* end() { return data() + size_; }
    void fill(T value) { std::fill(begin(), end(), value); }
    void copy_from(const AlignedArray& other) {
        std::memcpy(data(), other.data(), std::min(size_, other.size_) * sizeof(T));
    }

  private:
    struct Free {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T[], Free> data_;
    std::size_t size_ = 0;
};

using Vector = AlignedArray<double>;

}  // namespace murk
