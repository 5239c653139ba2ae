// The opponent's pieces in sixteen bytes: what a belief stores of each position.
//
// A player knows her own pieces, so the positions of a belief differ in the opponent's alone: which squares they stand
// on (64 bits) and, for each of at most 16 pieces in the order of the squares, a code of three bits, as three planes of
// 16 bits. A rook that may still castle has a code of its own, which is all the castling rights there are.
#pragma once

#include <array>
#include <cstdint>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "chess/types.h"

namespace murk::chess {

constexpr int kCastlingRook = 7;  // codes 0 to 5 are the kinds; rooks of both sorts share the two lower bits

struct PackedBoard {
    std::uint64_t squares;
    std::uint64_t codes;  // the planes from the lowest bits up; the top bit is always set, so no board is all zero

    friend bool operator==(const PackedBoard&, const PackedBoard&) = default;
};
static_assert(sizeof(PackedBoard) == 16);

constexpr std::uint64_t kPacked = std::uint64_t{1} << 63;

// The same board spread out: plane i holds bit i of the code of the piece on each square.
struct Spread {
    Bitboard squares;
    std::array<Bitboard, 3> planes;

    MURK_INLINE Bitboard castling_rooks() const { return planes[0] & planes[1] & planes[2]; }
    MURK_INLINE Bitboard of(Kind kind) const {
        switch (kind) {
            case kPawn:
                return squares & ~(planes[0] | planes[1] | planes[2]);
            case kKnight:
                return planes[0] & ~planes[1] & ~planes[2];
            case kBishop:
                return planes[1] & ~planes[0] & ~planes[2];
            case kRook:
                return planes[0] & planes[1];
            case kQueen:
                return planes[2] & ~planes[0] & ~planes[1];
            default:
                return planes[0] & planes[2] & ~planes[1];
        }
    }
};

#ifdef __BMI2__
MURK_INLINE static std::uint64_t gather_bits(std::uint64_t from, std::uint64_t mask) { return _pext_u64(from, mask); }
MURK_INLINE static std::uint64_t scatter_bits(std::uint64_t bits, std::uint64_t mask) { return _pdep_u64(bits, mask); }
#else
MURK_INLINE static std::uint64_t gather_bits(std::uint64_t from, std::uint64_t mask) {
    std::uint64_t bits = 0;
    for (std::uint64_t to = 1; mask != 0; mask &= mask - 1, to <<= 1)
        if ((from & mask & (0 - mask)) != 0) bits |= to;
    return bits;
}
MURK_INLINE static std::uint64_t scatter_bits(std::uint64_t bits, std::uint64_t mask) {
    std::uint64_t to = 0;
    for (; mask != 0; mask &= mask - 1, bits >>= 1)
        if ((bits & 1) != 0) to |= mask & (0 - mask);
    return to;
}
#endif

MURK_INLINE static Spread spread(const PackedBoard& board) {
    return {board.squares,
            {scatter_bits(board.codes & 0xffff, board.squares), scatter_bits(board.codes >> 16 & 0xffff, board.squares),
             scatter_bits(board.codes >> 32 & 0xffff, board.squares)}};
}
MURK_INLINE static PackedBoard pack(Bitboard squares, Bitboard plane0, Bitboard plane1, Bitboard plane2) {
    return {squares, kPacked | gather_bits(plane0, squares) | gather_bits(plane1, squares) << 16 |
                         gather_bits(plane2, squares) << 32};
}

// Where a board comes in the canonical order of a set.
MURK_INLINE std::uint64_t hash_of(const PackedBoard& board) {
    const auto product =
        static_cast<unsigned __int128>(board.squares ^ 0xa0761d6478bd642f) * (board.codes ^ 0xe7037ed1a0b428db);
    const std::uint64_t folded = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    return (folded ^ folded >> 32) * 0x9fb21c651e98df25;
}

}  // namespace murk::chess
