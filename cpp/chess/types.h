// Squares, colours, kinds of piece, bitboards and moves: the words the chess layer is written in.
//
// Squares run from a1 = 0 to h8 = 63, along the ranks. A move is sixteen bits; castling is the king's two-square step,
// and en passant a pawn's diagonal step onto an empty square, so neither needs a flag.
#pragma once

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string_view>

// What the chess kernels share with other files is always inlined: one copy, chosen by the linker, could need
// instructions that the processor lacks.
#define MURK_INLINE [[gnu::always_inline]] inline

namespace murk::chess {

using Bitboard = std::uint64_t;
using Square = int;

constexpr Square kNoSquare = 64;

enum Colour : std::uint8_t { kWhite, kBlack };
MURK_INLINE constexpr Colour operator~(Colour colour) { return static_cast<Colour>(colour ^ 1); }

enum Kind : std::uint8_t { kPawn, kKnight, kBishop, kRook, kQueen, kKing, kNoKind };
constexpr int kNumKinds = 6;
constexpr std::string_view kKindLetters = "pnbrqk";

// Castling rights, as bits.
constexpr std::uint8_t kWhiteShort = 1, kWhiteLong = 2, kBlackShort = 4, kBlackLong = 8;

MURK_INLINE constexpr Bitboard bit(Square square) { return Bitboard{1} << square; }
MURK_INLINE constexpr Square lowest(Bitboard board) { return std::countr_zero(board); }
MURK_INLINE constexpr int count(Bitboard board) { return std::popcount(board); }
MURK_INLINE constexpr Square pop_lowest(Bitboard& board) {
    const Square square = lowest(board);
    board &= board - 1;
    return square;
}
MURK_INLINE constexpr int file_of(Square square) { return square & 7; }
MURK_INLINE constexpr int rank_of(Square square) { return square >> 3; }

class Move {
  public:
    constexpr Move() = default;
    MURK_INLINE constexpr Move(Square from, Square to, Kind promotion = kPawn)
        : bits_(static_cast<std::uint16_t>(from | to << 6 | promotion << 12)) {}
    MURK_INLINE static constexpr Move from_bits(std::uint16_t bits) {
        Move move;
        move.bits_ = bits;
        return move;
    }

    MURK_INLINE constexpr Square from() const { return bits_ & 63; }
    MURK_INLINE constexpr Square to() const { return bits_ >> 6 & 63; }
    // kPawn means that nothing is promoted.
    MURK_INLINE constexpr Kind promotion() const { return static_cast<Kind>(bits_ >> 12); }
    MURK_INLINE constexpr std::uint16_t bits() const { return bits_; }
    // The null move (a1a1) stands for "no move".
    MURK_INLINE constexpr explicit operator bool() const { return bits_ != 0; }
    friend constexpr bool operator==(Move, Move) = default;

  private:
    std::uint16_t bits_ = 0;
};

// What the caller got wrong, as one clear sentence.
class Error : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
// A move that is none here.
class IllegalMove : public Error {
    using Error::Error;
};

}  // namespace murk::chess
