#include "chess/board_buffer.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace murk::chess {
namespace {

// Larger buffers are mappings of their own, so that what is freed goes back to the system whatever else is allocated.
constexpr std::size_t kHeapLimit = std::size_t{1} << 16;
constexpr std::size_t kPage = std::size_t{1} << 12;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

char* map(std::size_t bytes) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
#ifdef MAP_POPULATE
    if (bytes < kHugePage) flags |= MAP_POPULATE;  // all of it will be used: one call instead of many page faults
#endif
    void* range = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (range == MAP_FAILED) throw std::bad_alloc();
    return static_cast<char*>(range);
}

// Boards are looked up at random: with small pages each look would first have to find its page.
char* map_huge(std::size_t bytes) {
    char* const range = map(bytes + kHugePage);
    const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(range) % kHugePage) % kHugePage;
    if (before > 0) munmap(range, before);
    if (before < kHugePage) munmap(range + before + bytes, kHugePage - before);
#ifdef MADV_HUGEPAGE
    madvise(range + before, bytes, MADV_HUGEPAGE);
#endif
    return range + before;
}

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
    mapped_ = whole_pages(bytes);
    data_ = reinterpret_cast<PackedBoard*>(mapped_ < kHugePage ? map(mapped_) : map_huge(mapped_));
}

BoardBuffer::~BoardBuffer() {
    if (mapped_ == 0) {
        std::free(data_);
    } else if (dropped_ < mapped_) {
        munmap(reinterpret_cast<char*>(data_) + dropped_, mapped_ - dropped_);
    }
}

void BoardBuffer::shrink(std::size_t size) {
    if (size >= size_) return;
    size_ = size;
    const std::size_t bytes = size * sizeof(PackedBoard);
    if (mapped_ != 0) {
        const std::size_t keep = std::max({whole_pages(bytes), kPage, dropped_});
        if (keep < mapped_) munmap(reinterpret_cast<char*>(data_) + keep, mapped_ - keep);
        mapped_ = keep;
    } else if (size == 0) {
        std::free(data_);
        data_ = nullptr;
    } else if (void* smaller = std::realloc(data_, bytes); smaller != nullptr) {
        data_ = static_cast<PackedBoard*>(smaller);
    }
}

void BoardBuffer::drop_front(std::size_t count) {
    if (mapped_ == 0) return;
    const std::size_t upto = std::min(count, size_) * sizeof(PackedBoard) / kHugePage * kHugePage;
    if (upto <= dropped_) return;
    munmap(reinterpret_cast<char*>(data_) + dropped_, upto - dropped_);
    dropped_ = upto;
}

}  // namespace murk::chess
