// The two loops over the boards of a belief, compiled once for each instruction set (see kernels.h).
//
// A board of the belief is kept if, after a move, it looks exactly as what was observed. That is asked without making
// the move and without computing a view: if the opponent's pieces agree with the observation on the squares that are
// seen, every slider of ours is stopped where it was seen to be stopped, and what pawns see and do not see follows too
// (chess/observation.h, Deductions). So a board matches if and only if it has an enemy on each square of `enemy`, none
// on `empty`, and the right kinds on `seen`. And since a move changes few squares, comparing the board *before* the
// move with that leaves few squares a move can start from and end on, mostly none.
#pragma once

#include <array>
#include <cstddef>

#include "chess/kernels.h"
#include "chess/packed_board.h"

namespace murk::chess {

// What a board must look like after a move, and what the move must have been.
struct BeliefStep {
    Bitboard own = 0;                  // the player's pieces: before an opponent's move, after an own one
    Bitboard empty = 0;                // squares that hold no enemy afterwards
    Bitboard enemy = 0;                // squares that hold one afterwards
    Bitboard seen = 0;                 // those whose kind is known
    std::array<Bitboard, 3> planes{};  // the codes on `seen`
    Bitboard not_rooks = 0;            // of a rook one does not see whether it may castle
    Colour opponent = kBlack;
    Square captured = kNoSquare;    // where the move takes a piece
    Square en_passant = kNoSquare;  // where the opponent may take our pawn that has just moved two squares
    // Opponent's moves only. Where a pawn must have arrived that we can now take en passant; else where a pawn may
    // arrive by a double step without that.
    Square passed_pawn = kNoSquare;
    Bitboard double_steps = 0;
    // Own moves only. The move takes the king; or the opponent is left without a move, or with one.
    bool takes_king = false;
    bool leaves_move = true;
};

struct BeliefKernels {
    // Writes what the boards can become to `out`, which has room for kMaxMoves each, and returns how many those are.
    std::size_t (*after_opponent_move)(const BeliefStep& step, const PackedBoard* boards, std::size_t count,
                                       PackedBoard* out);
    std::size_t (*after_own_move)(const BeliefStep& step, const PackedBoard* boards, std::size_t count,
                                  PackedBoard* out);
};
const BeliefKernels& belief_kernels_of(Isa isa);

}  // namespace murk::chess
