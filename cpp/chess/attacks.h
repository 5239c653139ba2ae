// Attack sets: leaper tables, and sliders through PEXT where the processor is fast at it, else through magic numbers.
#pragma once

#include "chess/types.h"

namespace murk::chess {

Bitboard knight_attacks(Square square);
Bitboard king_attacks(Square square);
Bitboard pawn_attacks(Colour colour, Square square);
Bitboard bishop_attacks(Square square, Bitboard occupied);
Bitboard rook_attacks(Square square, Bitboard occupied);
inline Bitboard queen_attacks(Square square, Bitboard occupied) {
  return bishop_attacks(square, occupied) | rook_attacks(square, occupied);
}

}  // namespace murk::chess
