#include "chess/movegen.h"

#include "chess/kernels.h"

namespace murk::chess {

void generate(const Position& position, MoveList& moves) { best_kernels().generate(position, moves); }

int count_moves(const Position& position) { return best_kernels().count_moves(position); }

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
