// The kernels themselves. Compiled several times with MURK_ISA naming the instruction set and MURK_SLIDERS its way of
// finding slider attacks; see kernels.h and CMakeLists.txt.
#include "chess/kernels.h"
#include "chess/visit.h"

#define MURK_JOIN_(a, b) a##b
#define MURK_JOIN(a, b) MURK_JOIN_(a, b)

namespace murk::chess {
namespace {

// A type of this file's own makes every template below this file's own.
struct Sliders : MURK_SLIDERS {};

constexpr int kPollDepth = 4;  // below such a node lie some milliseconds of work

void list_moves(const Position& position, MoveList& moves) {
    if (position.king_captured()) return;
    const auto add = [&](Move move, Kind) { moves.push_back(move); };
    if (position.turn == kWhite)
        visit_moves<kWhite, Sliders>(position, kAllSquares, kAllSquares, add);
    else
        visit_moves<kBlack, Sliders>(position, kAllSquares, kAllSquares, add);
}

int count_all(const Position& position) {
    if (position.king_captured()) return 0;
    return position.turn == kWhite ? count_visits<kWhite, Sliders>(position) : count_visits<kBlack, Sliders>(position);
}

template <Colour us>
std::uint64_t leaves_below(const Position& position, int depth, void (*poll)()) {
    if (position.pieces(us, kKing) == 0) return 0;
    if (depth == 1) return static_cast<std::uint64_t>(count_visits<us, Sliders>(position));
    if (depth == kPollDepth && poll != nullptr) poll();
    std::uint64_t leaves = 0;
    visit_moves<us, Sliders>(position, kAllSquares, kAllSquares, [&](Move move, Kind kind) {
        Position child = position;
        child.template play_as<us>(move, kind);
        leaves += leaves_below<~us>(child, depth - 1, poll);
    });
    return leaves;
}

std::uint64_t count_leaves(const Position& position, int depth, void (*poll)()) {
    if (depth == 0) return 1;
    if (position.king_captured()) return 0;
    return position.turn == kWhite ? leaves_below<kWhite>(position, depth, poll)
                                   : leaves_below<kBlack>(position, depth, poll);
}

}  // namespace

extern const Kernels MURK_JOIN(kernels_, MURK_ISA);
const Kernels MURK_JOIN(kernels_, MURK_ISA) = {list_moves, count_all, count_leaves};

}  // namespace murk::chess
