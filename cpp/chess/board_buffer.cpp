#include "chess/board_buffer.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace murk::chess {
namespace {

// Larger buffers are mappings of their own, so that what is freed goes back to the system whatever else is allocated.
constexpr std::size_t kHeapLimit = std::size_t{1} << 16;
constexpr std::size_t kPage = std::size_t{1} << 12;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

BoardBuffer::BoardBuffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    if (size > (std::size_t{1} << 48) / sizeof(PackedBoard)) throw std::bad_alloc();
    const std::size_t bytes = size * sizeof(PackedBoard);
    if (bytes <= kHeapLimit) {
        data_ = static_cast<PackedBoard*>(std::calloc(size, sizeof(PackedBoard)));
        if (data_ == nullptr) throw std::bad_alloc();
        return;
    }
    void* range = mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<PackedBoard*>(range);
    mapped_ = whole_pages(bytes);
}

BoardBuffer::~BoardBuffer() {
    if (mapped_ != 0) {
        munmap(data_, mapped_);
    } else {
        std::free(data_);
    }
}

void BoardBuffer::shrink(std::size_t size) {
    if (size >= size_) return;
    size_ = size;
    const std::size_t bytes = size * sizeof(PackedBoard);
    if (mapped_ != 0) {
        const std::size_t keep = std::max(whole_pages(bytes), kPage);
        if (keep < mapped_) munmap(reinterpret_cast<char*>(data_) + keep, mapped_ - keep);
        mapped_ = keep;
    } else if (size == 0) {
        std::free(data_);
        data_ = nullptr;
    } else if (void* smaller = std::realloc(data_, bytes); smaller != nullptr) {
        data_ = static_cast<PackedBoard*>(smaller);
    }
}

}  // namespace murk::chess
