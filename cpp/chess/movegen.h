// Move generation under the rules of dark chess, and perft.
#pragma once

#include <array>
#include <cstdint>

#include "chess/position.h"

namespace murk::chess {

// No position with at most 16 pieces a side has more moves than this (fifteen queens and a king have fewer).
constexpr int kMaxMoves = 512;

class MoveList {
 public:
  void push_back(Move move) { moves_[static_cast<std::size_t>(size_++)] = move; }
  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Move operator[](int i) const { return moves_[static_cast<std::size_t>(i)]; }
  const Move* begin() const { return moves_.data(); }
  const Move* end() const { return moves_.data() + size_; }

 private:
  std::array<Move, kMaxMoves> moves_;
  int size_ = 0;
};

// All moves of the side to move, in a fixed order; none once a king is gone.
void generate(const Position& position, MoveList& moves);
// How many there are, without listing them.
int count_moves(const Position& position);

// Leaves of the move tree at `depth` plies; a captured king ends its line.
std::uint64_t perft(const Position& position, int depth);

}  // namespace murk::chess
