// Zeroed memory for packed boards that can be given back piece by piece.
#pragma once

#include <cstddef>
#include <utility>

#include "chess/packed_board.h"

namespace murk::chess {

class BoardBuffer {
  public:
    BoardBuffer() = default;
    explicit BoardBuffer(std::size_t size);
    ~BoardBuffer();
    BoardBuffer(BoardBuffer&& other) noexcept { swap(other); }
    BoardBuffer& operator=(BoardBuffer&& other) noexcept {
        swap(other);
        return *this;
    }
    BoardBuffer(const BoardBuffer&) = delete;
    BoardBuffer& operator=(const BoardBuffer&) = delete;

    std::size_t size() const { return size_; }
    PackedBoard* data() { return data_; }
    const PackedBoard* data() const { return data_; }
    PackedBoard& operator[](std::size_t i) { return data_[i]; }
    const PackedBoard& operator[](std::size_t i) const { return data_[i]; }
    const PackedBoard* begin() const { return data_; }
    const PackedBoard* end() const { return data_ + size_; }

    // Keeps the first `size` boards.
    void shrink(std::size_t size);
    // Gives back what it can of the first `count` boards, which are then lost.
    void drop_front(std::size_t count);

  private:
    void swap(BoardBuffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(mapped_, other.mapped_);
        std::swap(dropped_, other.dropped_);
    }

    PackedBoard* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t mapped_ = 0;   // bytes of the mapping; 0 on the heap
    std::size_t dropped_ = 0;  // bytes of it that were given back in front
};

}  // namespace murk::chess
