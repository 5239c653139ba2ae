// Attack sets: leaper tables, and sliders through magic numbers, or through PEXT where the processor is fast at it.
//
// Both methods index a table of their own by the occupied squares that matter and give the same sets. A hot loop is
// compiled once for each instruction set (see kernels.h) and takes the method as a template argument; all other code
// calls the functions below, which are portable.
#pragma once

#include <array>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "chess/types.h"

namespace murk::chess {

constexpr Bitboard kFileA = 0x0101010101010101, kFileH = kFileA << 7;
constexpr Bitboard kRank1 = 0xff, kRank8 = kRank1 << 56;

namespace detail {

constexpr std::array<Bitboard, 64> leaper_table(const std::array<std::array<int, 2>, 8>& steps, std::size_t num_steps) {
    std::array<Bitboard, 64> table{};
    for (Square square = 0; square < 64; ++square)
        for (std::size_t i = 0; i < num_steps; ++i) {
            const int file = file_of(square) + steps[i][0], rank = rank_of(square) + steps[i][1];
            if (file >= 0 && file < 8 && rank >= 0 && rank < 8)
                table[static_cast<std::size_t>(square)] |= bit(8 * rank + file);
        }
    return table;
}

inline constexpr std::array<Bitboard, 64> kKnightSets =
    leaper_table({{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}}, 8);
inline constexpr std::array<Bitboard, 64> kKingSets =
    leaper_table({{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}}, 8);
inline constexpr std::array<std::array<Bitboard, 64>, 2> kPawnSets = {leaper_table({{{-1, 1}, {1, 1}}}, 2),
                                                                      leaper_table({{{-1, -1}, {1, -1}}}, 2)};

struct MagicEntry {
    Bitboard mask;
    std::uint64_t factor;
    const Bitboard* sets;
    int shift;
};
struct PextEntry {
    Bitboard mask;
    const Bitboard* sets;
};
struct SliderTables {
    std::array<MagicEntry, 64> magic_bishop, magic_rook;
    std::array<PextEntry, 64> pext_bishop, pext_rook;
};
// Filled when the library is loaded, and constant from then on.
extern const SliderTables sliders;

}  // namespace detail

MURK_INLINE Bitboard knight_attacks(Square square) { return detail::kKnightSets[static_cast<std::size_t>(square)]; }
MURK_INLINE Bitboard king_attacks(Square square) { return detail::kKingSets[static_cast<std::size_t>(square)]; }
MURK_INLINE Bitboard pawn_attacks(Colour colour, Square square) {
    return detail::kPawnSets[colour][static_cast<std::size_t>(square)];
}

struct Magic {
    MURK_INLINE static Bitboard look_up(const detail::MagicEntry& entry, Bitboard occupied) {
        return entry.sets[(occupied & entry.mask) * entry.factor >> entry.shift];
    }
    MURK_INLINE static Bitboard bishop(Square square, Bitboard occupied) {
        return look_up(detail::sliders.magic_bishop[static_cast<std::size_t>(square)], occupied);
    }
    MURK_INLINE static Bitboard rook(Square square, Bitboard occupied) {
        return look_up(detail::sliders.magic_rook[static_cast<std::size_t>(square)], occupied);
    }
};

#ifdef __BMI2__
struct Pext {
    MURK_INLINE static Bitboard look_up(const detail::PextEntry& entry, Bitboard occupied) {
        return entry.sets[_pext_u64(occupied, entry.mask)];
    }
    MURK_INLINE static Bitboard bishop(Square square, Bitboard occupied) {
        return look_up(detail::sliders.pext_bishop[static_cast<std::size_t>(square)], occupied);
    }
    MURK_INLINE static Bitboard rook(Square square, Bitboard occupied) {
        return look_up(detail::sliders.pext_rook[static_cast<std::size_t>(square)], occupied);
    }
};
#endif

MURK_INLINE Bitboard bishop_attacks(Square square, Bitboard occupied) { return Magic::bishop(square, occupied); }
MURK_INLINE Bitboard rook_attacks(Square square, Bitboard occupied) { return Magic::rook(square, occupied); }
MURK_INLINE Bitboard queen_attacks(Square square, Bitboard occupied) {
    return bishop_attacks(square, occupied) | rook_attacks(square, occupied);
}

}  // namespace murk::chess
