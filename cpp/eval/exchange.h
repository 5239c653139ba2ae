// Captures of a position and what they win: the material side of the quiescence search.
#pragma once

#include <array>

#include "chess/movegen.h"
#include "chess/position.h"

namespace murk::eval {

// What pieces are worth in a capture, in hundredths of the unit of Stockfish 15.1's scores (where a pawn is 58).
constexpr std::array<int, chess::kNumKinds + 1> kPieceValue = {58, 237, 253, 382, 743, 5000, 0};

// All captures (en passant too) and all promotions to a queen, without captures of the king.
void generate_captures(const chess::Position& position, chess::MoveList& moves);

// What a move takes from the board or turns into, by kPieceValue.
int gain_of(const chess::Position& position, chess::Move move);
// Does the exchange begun by `move` on its target square win at least `threshold`, both sides taking with their
// cheapest piece and stopping when that is better?
bool exchange_wins(const chess::Position& position, chess::Move move, int threshold);

}  // namespace murk::eval
