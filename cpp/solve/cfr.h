// Counterfactual regret minimisation and its descendants over the sequence form.
//
//   CFR    Zinkevich et al. 2007            regret matching
//   CFR+   Tammelin 2014                    regret matching+, linear averaging
//   LCFR   Brown & Sandholm 2019            iteration t weighs t in regrets and average
//   DCFR   Brown & Sandholm 2019            regrets discounted by t^a / (t^a + 1), average weighs t^g
//   PCFR+  Farina, Kroer & Sandholm 2021    regret matching+ that predicts the next regret to be the last one
//
// Deviation shared by all: the strategy averaged at iteration t is the one computed in it, not the one it
// started from.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "solve/sequence_form.h"
#include "solve/workers.h"

namespace murk {

struct CfrOptions {
    kernels::Regret regret = kernels::Regret::kPredictive;
    bool linear_regret = false;  // LCFR: iteration t's regret weighs t
    double alpha = 1.5;          // DCFR's exponents; infinite means no discount, minus infinity means forget
    double beta = 0.0;
    double average_power = 2.0;  // iteration t weighs t^power in the average
    bool alternating = true;
    std::size_t threads = 1;
    const kernels::Kernels* kernels = nullptr;  // nullptr: the best for this processor
};

class Cfr {
  public:
    Cfr(std::shared_ptr<const SequenceForm> game, const CfrOptions& options);

    void run(std::int64_t iterations);
    std::int64_t iterations() const { return iteration_; }

    // Sequence-form strategies in the tree's numbering.
    std::vector<double> average(int p) const;
    std::vector<double> current(int p) const;

    // Value to MAX of best-responding to the opponent's average (or current) strategy.
    double best_response_value(int responder, bool of_average) const;

    // Everything a later run needs to go on from here, one vector of the tree's sequences each.
    struct State {
        std::int64_t iteration = 0;
        double average_weight = 0.0;
        std::array<std::array<std::vector<double>, 4>, kNumPlayers> vectors;  // regret, prediction, behaviour, sum
    };
    State save() const;
    void restore(const State& state);

  private:
    struct Side {
        Vector regret;
        Vector prediction;
        Vector behaviour;
        Vector x;
        Vector sum;
        Vector q;
        Vector infoset_value;
    };
    void respond(int p, std::size_t part, Barrier& barrier, const kernels::RegretWeights& weights);
    void advance(int p, std::size_t part, Barrier& barrier, double weight);
    void normalised_average(int p, double* kernel) const;

    std::shared_ptr<const SequenceForm> game_;
    CfrOptions options_;
    const kernels::Kernels& kernels_;
    std::array<Side, kNumPlayers> sides_;
    std::unique_ptr<Workers> workers_;
    std::int64_t iteration_ = 0;
    double average_weight_ = 0.0;
};

}  // namespace murk
