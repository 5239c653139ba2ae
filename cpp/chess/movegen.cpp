#include "chess/movegen.h"

#include "chess/kernels.h"

namespace murk::chess {

void generate(const Position& position, MoveList& moves) { best_kernels().generate(position, moves); }

int count_moves(const Position& position) { return best_kernels().count_moves(position); }

std::vector<Move> legal_moves(const Position& position) {
    MoveList moves;
    generate(position, moves);
    std::vector<Move> out;
    out.reserve(static_cast<std::size_t>(moves.size()));
    for (const Move move : moves) out.push_back(move);
    return out;
}

bool is_over(const Position& position) { return position.king_captured() || count_moves(position) == 0; }

bool is_legal(const Position& position, Move move) {
    MoveList moves;
    generate(position, moves);
    for (const Move legal : moves)
        if (legal == move) return true;
    return false;
}

std::uint64_t perft(const Position& position, int depth, void (*poll)()) {
    return best_kernels().perft(position, depth, poll);
}

}  // namespace murk::chess
