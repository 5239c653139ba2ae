// A position of dark chess: placement, side to move, castling and en-passant rights. No clock, no history.
//
// Dark chess knows no check: every pseudo-legal move is legal, a king may be left or moved into attack, castling asks
// only for empty squares between king and rook and for the right, and capturing the king wins. A side with no move
// loses. The en-passant square is kept only while the side to move has a pawn that can capture there, so positions
// that differ in nothing a player could ever notice are equal.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "chess/attacks.h"
#include "chess/types.h"

namespace murk::chess {

struct Position {
    std::array<Bitboard, kNumKinds> kinds{};  // both colours together
    std::array<Bitboard, 2> colours{};
    Colour turn = kWhite;
    std::uint8_t castling = 0;
    std::uint8_t en_passant = kNoSquare;

    MURK_INLINE Bitboard occupied() const { return colours[kWhite] | colours[kBlack]; }
    MURK_INLINE Bitboard pieces(Colour colour, Kind kind) const { return colours[colour] & kinds[kind]; }
    MURK_INLINE Kind kind_at(Square square) const;  // kNoKind on an empty square

    // A king is missing: the game is over and the side that still has one has won.
    MURK_INLINE bool king_captured() const { return count(kinds[kKing]) < 2; }

    // Plays a legal move in place (copy the position first to be able to go back).
    MURK_INLINE void play(Move move);
    // The same for a loop that knows the side to move and the kind of the piece.
    template <Colour us>
    MURK_INLINE void play_as(Move move, Kind kind);

    // A 64-bit hash over placement, side, castling and en-passant rights: the transposition key.
    std::uint64_t key() const;

    // The same position with colours exchanged and the board turned upside down.
    Position mirror() const;

    friend bool operator==(const Position&, const Position&) = default;
};

Position start_position();
constexpr std::string_view kStartFen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

// Reads a FEN (four to six fields; the clocks are checked and returned through `clocks` if given). Throws Error with
// one clear sentence: a side without exactly one king (one captured king is allowed with `allow_missing_king`), more
// than 16 pieces or 8 pawns a side, a pawn on the first or last rank, malformed fields. Castling rights without their
// king and rook at home, and an en-passant square behind no double step, are errors too; an en-passant square that no
// pawn can use is dropped.
struct Clocks {
    int halfmove = 0;  // plies since the last pawn move or capture
    int fullmove = 1;
};
Position parse_fen(std::string_view fen, Clocks* clocks = nullptr, bool allow_missing_king = false);
// The four fields of the position itself.
std::string to_fen(const Position& position);

// --- inline bodies ---

namespace detail {

// The castling rights that remain when something moves from or to a square.
inline constexpr std::array<std::uint8_t, 64> kRightsKept = [] {
    std::array<std::uint8_t, 64> kept{};
    kept.fill(15);
    kept[0] = 15 & ~kWhiteLong;
    kept[4] = 15 & ~(kWhiteShort | kWhiteLong);
    kept[7] = 15 & ~kWhiteShort;
    kept[56] = 15 & ~kBlackLong;
    kept[60] = 15 & ~(kBlackShort | kBlackLong);
    kept[63] = 15 & ~kBlackShort;
    return kept;
}();

}  // namespace detail

MURK_INLINE Kind Position::kind_at(Square square) const {
    const Bitboard here = bit(square);
    if ((occupied() & here) == 0) return kNoKind;
    int kind = kPawn;
    for (int k = kKnight; k < kNumKinds; ++k)
        if ((kinds[static_cast<std::size_t>(k)] & here) != 0) kind = k;
    return static_cast<Kind>(kind);
}

template <Colour us>
MURK_INLINE void Position::play_as(Move move, Kind kind) {
    constexpr Colour them = ~us;
    const Square from = move.from(), to = move.to();
    const Bitboard both = bit(from) | bit(to);
    for (Bitboard& board : kinds) board &= ~both;
    colours[us] ^= both;
    colours[them] &= ~bit(to);
    castling &= detail::kRightsKept[static_cast<std::size_t>(from)] & detail::kRightsKept[static_cast<std::size_t>(to)];
    const std::uint8_t en_passant_before = en_passant;
    en_passant = kNoSquare;
    turn = them;
    const Kind placed = kind == kPawn && move.promotion() != kPawn ? move.promotion() : kind;
    kinds[placed] |= bit(to);
    if (kind == kPawn) {
        constexpr int up = us == kWhite ? 8 : -8;
        if (to == en_passant_before) {
            kinds[kPawn] &= ~bit(to - up);
            colours[them] &= ~bit(to - up);
        } else if (to - from == 2 * up && (pawn_attacks(us, from + up) & pieces(them, kPawn)) != 0) {
            en_passant = static_cast<std::uint8_t>(from + up);
        }
    } else if (kind == kKing && (to - from == 2 || from - to == 2)) {
        const Bitboard rook = to > from ? bit(to + 1) | bit(to - 1) : bit(to - 2) | bit(to + 1);
        kinds[kRook] ^= rook;
        colours[us] ^= rook;
    }
}

MURK_INLINE void Position::play(Move move) {
    const Kind kind = kind_at(move.from());
    turn == kWhite ? play_as<kWhite>(move, kind) : play_as<kBlack>(move, kind);
}

}  // namespace murk::chess
