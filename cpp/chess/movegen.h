// Move generation under the rules of dark chess, and perft, by the best kernels of this processor.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "chess/position.h"

namespace murk::chess {

// No position with at most 16 pieces a side has more moves than this (fifteen queens and a king have fewer).
constexpr int kMaxMoves = 512;

class MoveList {
  public:
    MURK_INLINE MoveList() : size_(0) {}
    MURK_INLINE void push_back(Move move) { bits_[static_cast<std::size_t>(size_++)] = move.bits(); }
    MURK_INLINE int size() const { return size_; }
    MURK_INLINE bool empty() const { return size_ == 0; }
    MURK_INLINE Move operator[](int i) const { return Move::from_bits(bits_[static_cast<std::size_t>(i)]); }

    class Iterator {
      public:
        MURK_INLINE explicit Iterator(const std::uint16_t* at) : at_(at) {}
        MURK_INLINE Move operator*() const { return Move::from_bits(*at_); }
        MURK_INLINE Iterator& operator++() {
            ++at_;
            return *this;
        }
        friend bool operator==(Iterator, Iterator) = default;

      private:
        const std::uint16_t* at_;
    };
    MURK_INLINE Iterator begin() const { return Iterator(bits_.data()); }
    MURK_INLINE Iterator end() const { return Iterator(bits_.data() + size_); }

  private:
    std::array<std::uint16_t, kMaxMoves> bits_;  // left uninitialised: only the first size_ are ever read
    int size_;
};

// All moves of the side to move, in a fixed order; none once a king is gone.
void generate(const Position& position, MoveList& moves);
// How many there are, without listing them.
int count_moves(const Position& position);
// All moves, to be kept, in the same order.
std::vector<Move> legal_moves(const Position& position);
// Whether a king is gone, or the side to move has no move.
bool is_over(const Position& position);
// Whether a move is among them.
bool is_legal(const Position& position, Move move);

// Leaves of the move tree at `depth` plies; a captured king ends its line. `poll`, if given, is called every few
// milliseconds and may throw to stop.
std::uint64_t perft(const Position& position, int depth, void (*poll)() = nullptr);

}  // namespace murk::chess
