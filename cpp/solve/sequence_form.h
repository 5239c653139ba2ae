// The sequence form of a tree [Koller, Megiddo, von Stengel 1994]: two treeplexes, a payoff matrix, the extra
// payoffs B.
//
// A snapshot: it does not follow the tree when that grows. The payoff of a profile (x, y) to MAX is x'Ay +
// b.x + c.y, where b and c are the extra payoffs on MAX's and on MIN's sequences.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "solve/payoff_matrix.h"
#include "solve/treeplex.h"
#include "tree/tree.h"

namespace murk {

class SequenceForm {
  public:
    explicit SequenceForm(const Tree& tree);

    const Treeplex& treeplex(int p) const { return treeplex_[p]; }
    const PayoffMatrix& payoff(int p) const { return payoff_[p]; }
    // Extra payoffs in kernel order and from the player's own point of view.
    const Vector& extra(int p) const { return extra_[p]; }
    // The same for PayoffMatrix: nullptr if there are none.
    const double* base(int p) const { return has_extra_[p] ? extra_[p].data() : nullptr; }
    // MAX's payoffs by MAX's and MIN's sequences, and the extra ones by sequence, all in the tree's
    // numbering.
    const SparseRows& matrix() const { return matrix_; }
    const std::vector<double>& extra_by_sequence(int p) const { return extra_by_sequence_[p]; }
    bool has_extra(int p) const { return has_extra_[p]; }
    std::uint64_t revision() const { return revision_; }
    std::size_t bytes() const;

    // Infoset tables of acting infosets, for whoever assembles constraints.
    struct Constraint {
        InfosetId infoset;
        SequenceId parent;
        SequenceId first;
        std::int32_t actions;
    };
    const std::vector<Constraint>& constraints(int p) const { return constraints_[p]; }

    double expected_value(const double* x, const double* y) const;

  private:
    std::array<Treeplex, kNumPlayers> treeplex_;
    SparseRows matrix_;
    std::vector<PayoffMatrix> payoff_;
    std::array<Vector, kNumPlayers> extra_;
    std::array<std::vector<double>, kNumPlayers> extra_by_sequence_;
    std::array<std::vector<Constraint>, kNumPlayers> constraints_;
    std::array<bool, kNumPlayers> has_extra_{};
    std::uint64_t revision_;
};

// What best-responding to `strategy` gives: everything is from MAX's point of view, whoever responds.
struct BestResponse {
    double value = 0.0;
    std::vector<double> sequence_value;  // unnormalised counterfactual value of each of the responder's sequences
    std::vector<double> infoset_value;   // likewise of each infoset; 0 where the responder does not act
    std::vector<double> strategy;  // a pure best response in sequence form (the first best action at each infoset)
};

// Value to MAX when `responder` best-responds to the opponent's sequence-form strategy (tree numbering).
double best_response_value(const SequenceForm& game, int responder, const double* strategy);
BestResponse best_response(const SequenceForm& game, const Tree& tree, int responder, const double* strategy);

// q <- extra + A opponent, in kernel order, then the value of every infoset from the bottom up when its player
// maximises. The opponent's strategy is in kernel order too, or in the tree's own if `by_sequence` says so. Returns the
// value of the empty sequence; q holds sequence values afterwards.
double maximise_bottom_up(const SequenceForm& game, int player, const double* opponent, double* q,
                          double* infoset_value, bool by_sequence = false);

}  // namespace murk
