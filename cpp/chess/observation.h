// What one player sees of a position of dark chess.
//
// A player sees her own pieces, every square one of them can move to with what stands there, and the pawn she could
// take en passant. A pawn sees the squares in front of it while it can step there, and a diagonal while it can capture
// there. While the opponent is to move she sees what her pieces could do if it were her move, except en passant. She
// also knows whose move it is, her own castling rights, and that and how the game has ended.
//
// The form is canonical: two positions look the same to a player if and only if their observations are equal. From it
// follow her exact legal moves and more than is seen: see Deductions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "chess/movegen.h"
#include "chess/position.h"

namespace murk::chess {

constexpr std::uint8_t kNobody = 2;  // the winner of a game that goes on

struct Observation {
    std::array<Bitboard, kNumKinds> own{};   // the player's pieces
    std::array<Bitboard, kNumKinds> seen{};  // enemies on visible squares
    Bitboard visible = 0;                    // all squares whose contents are known by sight
    Colour colour = kWhite;                  // who looks
    Colour turn = kWhite;                    // whose move it is
    std::uint8_t castling = 0;               // the player's own rights
    std::uint8_t en_passant = kNoSquare;     // where she can capture en passant now
    std::uint8_t captured = kNoSquare;       // where the move just made took a piece of hers, if that was told
    std::uint8_t winner = kNobody;           // the end of the game is announced to both players

    friend bool operator==(const Observation&, const Observation&) = default;
    std::uint64_t key() const;
};

Bitboard all_of(const std::array<Bitboard, kNumKinds>& kinds);

// What follows from an observation about squares that are not seen.
struct Deductions {
    Bitboard no_enemy;  // squares that hold no enemy: seen ones, and diagonals on which a pawn sees nothing to take
    Bitboard enemy;     // squares that hold some enemy: seen ones, and those on which an unseen piece stops a pawn
    Bitboard blocked;   // own pawns with something in front of them
};
Deductions deduce(const Observation& observation);

// The squares `colour` sees.
Bitboard visible_squares(const Position& position, Colour colour);
// The winner if a king is gone or the side to move has no move at all, else kNobody.
std::uint8_t winner_of(const Position& position);

Observation observe(const Position& position, Colour colour);
// The square on which a move takes a piece of the other side, or kNoSquare.
Square captured_square(const Position& before, Move move);

// A position with the player's pieces and the enemies she sees, and for each deduced enemy a pawn: her moves there are
// her moves. An enemy king that is not seen stands where it disturbs none of them.
Position stand_in(const Observation& observation);
// Her legal moves, in the order of generate(); none when it is not her move or the game is over.
void legal_moves(const Observation& observation, MoveList& moves);

// The form of pyffish: FEN with '*' for what is not seen; her own castling rights only, no clocks.
std::string fog_fen(const Observation& observation);
// The fog FEN and three more fields: who looks, where a piece of hers was taken, who has won.
std::string to_text(const Observation& observation);
// Reads that form. Throws Error if it is malformed or no position looks like that.
Observation parse_observation(std::string_view text);

}  // namespace murk::chess
