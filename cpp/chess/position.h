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

#include "chess/types.h"

namespace murk::chess {

struct Position {
  std::array<Bitboard, kNumKinds> kinds{};  // both colours together
  std::array<Bitboard, 2> colours{};
  Colour turn = kWhite;
  std::uint8_t castling = 0;
  std::uint8_t en_passant = kNoSquare;

  Bitboard occupied() const { return colours[kWhite] | colours[kBlack]; }
  Bitboard pieces(Colour colour, Kind kind) const { return colours[colour] & kinds[kind]; }
  Kind kind_at(Square square) const;  // kNoKind on an empty square

  // A king is missing: the game is over and the side that still has one has won.
  bool king_captured() const { return count(kinds[kKing]) < 2; }

  // Plays a legal move in place (copy the position first to be able to go back).
  void play(Move move);

  // A 64-bit hash over placement, side, castling and en-passant rights: the transposition key.
  std::uint64_t key() const;

  friend bool operator==(const Position&, const Position&) = default;
};

Position start_position();

// Reads a FEN (four to six fields; the clocks are checked and returned through `clocks` if given). Throws
// std::invalid_argument with one clear sentence: a side without exactly one king (a captured king is allowed only with
// `allow_missing_king`), more than 16 pieces a side, a pawn on the first or last rank, malformed fields. Castling rights
// without their king and rook at home, and an en-passant square behind no double step, are errors too; an en-passant
// square that no pawn can use is dropped.
struct Clocks {
  int halfmove = 0;  // plies since the last pawn move or capture
  int fullmove = 1;
};
Position parse_fen(std::string_view fen, Clocks* clocks = nullptr, bool allow_missing_king = false);
// The four fields of the position itself.
std::string to_fen(const Position& position);

}  // namespace murk::chess
