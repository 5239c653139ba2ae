// Between dark chess and an engine of ordinary chess: which positions it can be asked about, how they are written, and
// what its answers mean.
//
// Ordinary chess forbids what dark chess allows, and Stockfish crashes on what ordinary chess forbids: a capturable
// king of the side not to move, castling rights without king and rook, an en-passant square whose capture would expose
// the king. Nothing of that is ever sent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chess/position.h"

namespace murk::eval {

// What an engine says a move is worth to the side that plays it: centipawns, or moves to mate (negative: to be mated).
struct UciScore {
    int value = 0;
    bool mate = false;
    friend bool operator==(const UciScore&, const UciScore&) = default;
};

// The score of a move that leaves the opponent no way to save its king.
constexpr UciScore kMateInOne = {1, true};

// The same to the other side.
constexpr UciScore negated(UciScore score) {
    // "Mate in 0" is how an engine says that the side to move is mated already.
    if (score.mate && score.value == 0) return kMateInOne;
    return {-score.value, score.mate};
}

// tanh(centipawns / tau), short of +-1: a mate is worth more than any material, a quick one more than a slow one, and
// none is as certain as a king that is gone.
float squashed(UciScore score, double tau);

// Centipawns that mean what 600 of Stockfish 13 mean, by what the engine calls itself. From 15.1 on Stockfish reports
// about 1 / 1.43 of what it did.
double usual_tau(std::string_view engine_name);

// One line "info ... score ... pv MOVE ..." of an engine's answer.
struct UciInfo {
    int line = 1;  // of MultiPV
    UciScore score;
    chess::Move move;  // the null move if there is no "pv"
};
std::optional<UciInfo> parse_info(std::string_view line);

// A move as an engine writes it; the null move if it is none.
chess::Move engine_move(std::string_view text);

// Six fields, with only those rights that ordinary chess grants too. Both kings stand and the king of the side not to
// move is safe.
std::string orthodox_fen(const chess::Position& position);

// Does the side to move have a move after which its king cannot be captured?
bool has_safe_move(const chess::Position& position);

// How to find out about some moves of a position that the rules do not decide: by themselves, from a search of the
// position with these moves, or from a search of the child.
struct Plan {
    std::string fen;                    // of the position; empty if no move is in `together`
    bool all = false;                   // `together` are all moves of ordinary chess
    std::vector<int> together;          // indices of moves
    std::vector<int> alone;             // and of those whose child is searched
    std::vector<std::string> children;  // its FEN, for each of `alone`
    std::vector<int> mates;             // after these the opponent cannot save its king, be it attacked or not
};
Plan make_plan(const chess::Position& position, const std::vector<chess::Move>& moves);

}  // namespace murk::eval
