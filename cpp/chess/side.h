// One side's pieces by kind, and what is needed to know about them without listing moves.
#pragma once

#include <array>

#include "chess/visit.h"

namespace murk::chess {

MURK_INLINE constexpr std::uint8_t own_rights(Colour colour) {
    return colour == kWhite ? kWhiteShort | kWhiteLong : kBlackShort | kBlackLong;
}

// Whether `us`, with pieces `kinds` against `enemies`, has any move. A slider has one if and only if a square beside it
// is free or an enemy's, and a king that can castle can also step aside, so all of it is shifts.
template <Colour us>
MURK_INLINE bool has_move(const std::array<Bitboard, kNumKinds>& kinds, Bitboard enemies, Square en_passant) {
    using P = Pawns<us>;
    const Bitboard own = kinds[kPawn] | kinds[kKnight] | kinds[kBishop] | kinds[kRook] | kinds[kQueen] | kinds[kKing];
    const Bitboard occupied = own | enemies, pawns = kinds[kPawn];
    Bitboard takeable = enemies;
    if (en_passant != kNoSquare) takeable |= bit(en_passant);
    if ((P::forward(pawns) & ~occupied) != 0 || ((P::left(pawns) | P::right(pawns)) & takeable) != 0) return true;
    for (Bitboard left = kinds[kKnight]; left != 0;)
        if ((knight_attacks(pop_lowest(left)) & ~own) != 0) return true;
    const Bitboard straight = kinds[kRook] | kinds[kQueen] | kinds[kKing];
    const Bitboard diagonal = kinds[kBishop] | kinds[kQueen] | kinds[kKing];
    const Bitboard beside = (straight & ~kFileA) >> 1 | (straight & ~kFileH) << 1 | straight >> 8 | straight << 8;
    const Bitboard corners =
        (diagonal & ~kFileA) >> 9 | (diagonal & ~kFileA) << 7 | (diagonal & ~kFileH) << 9 | (diagonal & ~kFileH) >> 7;
    return ((beside | corners) & ~own) != 0;
}

}  // namespace murk::chess
