// A plain search of perfect information on top of any evaluator: what each move is worth if both sides see everything.
//
// Negamax with alpha-beta under the rules of dark chess. A search of depth 1 is the evaluator's own answer; one of
// depth d plays d - 1 more plies before it asks. Moves are tried in the order of their values, which the evaluator
// gives for all of them at once. It is what the paper's baseline does below its one ply of imperfect information, and
// how the agent that sees everything plays.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "eval/evaluator.h"

namespace murk::eval {

// A value loses this share with every ply it lies away, so that a win now is better than a win later.
constexpr float kDecay = 0.9995f;

struct LookaheadLimits {
    int depth = 1;
    std::int64_t values = std::numeric_limits<std::int64_t>::max();  // taken from the evaluator
    std::optional<std::chrono::steady_clock::time_point> deadline;
    // With this the best move alone has its exact value; the others have upper bounds, and the search is far quicker.
    bool best_only = false;
    std::function<bool()> stop;  // asked now and then
};

struct Lookahead {
    std::vector<float> values;  // of each legal move, for the side that plays it; nothing if it was not finished
    std::int64_t taken = 0;     // values that the evaluator was asked for
    bool complete = false;
};

// Searches all legal moves of `position`, which must not be the end of a game.
Lookahead look_ahead(const Evaluator& evaluator, const chess::Position& position, const LookaheadLimits& limits);

}  // namespace murk::eval
