// The sequence-form linear program of one player, as arrays for an LP solver.
//
// Variables: her realisation plan x (one a sequence), then v, one free value for each infoset of the
// opponent. Every quantity is from her own point of view, so the program is always a maximisation.
//
//   maximise   sum_s (A[s, 0] + b[s]) x[s] + sum_{J at the top} v[J] + c[0]
//   opponent   sum_s A[s, t] x[s] + c[t] + sum_{J below t} v[J] - v[J(t)] >= 0     for each opponent sequence
//   t but the empty one flow       sum_a x[I a] - x[parent of I]  = 0                                  for
//   each own infoset I lower      x[I a] - lower[I a] x[parent of I] >= 0                             where
//   lower[I a] > 0
//
// The dual values of the opponent rows are her opponent's realisation plan.
#pragma once

#include <cstdint>
#include <vector>

#include "solve/sequence_form.h"

namespace murk {

struct LinearProgram {
    std::int32_t num_columns = 0;
    std::int32_t num_rows = 0;
    std::int32_t num_opponent_rows = 0;  // these come first: row t - 1 for opponent sequence t
    double offset = 0.0;
    std::vector<double> cost, column_lower, column_upper, row_lower, row_upper;
    std::vector<std::int32_t> start, index;  // by rows
    std::vector<double> value;
};

// `lower` is empty or has one entry for each of the player's sequences.
LinearProgram assemble_lp(const SequenceForm& game, int player, std::span<const double> lower);

}  // namespace murk
