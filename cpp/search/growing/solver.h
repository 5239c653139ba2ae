// Predictive CFR+ on a tree that grows meanwhile.
//
// One iteration updates one player and then the other. For the player in question a forward pass finds how likely the
// others are to reach each node, a backward pass the value of each node and of each of her actions; then her infosets
// are updated. Parents come before children, so both are plain loops over the nodes published when the iteration began.
// Subtrees that the others never enter are skipped (partial pruning): nothing in them counts for her.
#pragma once

#include <algorithm>
#include <vector>

#include "search/growing/gadget.h"
#include "search/growing/passes.h"

namespace murk::growing {

class RegretSolver {
  public:
    // The first nodes of the tree are nature's, one for each infoset with which the opponent enters. If `shared`, other
    // threads look at the strategies meanwhile.
    RegretSolver(TreeCore& tree, GadgetRoot& gadget, int us, bool shared)
        : tree_(tree), gadget_(gadget), us_(us), shared_(shared), value_(gadget.size(), 0.0) {}

    void iterate() {
        const auto size = tree_.published();
        ++iterations_;
        // The opponent goes first: our own last word is then an answer to hers.
        update(1 - us_, size);
        update(us_, size);
        if (watched_ != kNone) watch_support();
        seen_.store(size.nodes, std::memory_order_release);
    }

    std::int64_t iterations() const { return iterations_; }
    // Nodes that an iteration has gone over.
    std::int32_t seen() const { return seen_.load(std::memory_order_acquire); }
    // Our value at each root infoset, and of the whole.
    const std::vector<double>& values() const { return value_; }
    double value() const {
        double total = 0.0, weights = 0.0;
        for (std::size_t j = 0; j < value_.size(); ++j) {
            total += gadget_.weight()[j] * value_[j];
            weights += gadget_.weight()[j];
        }
        return weights > 0.0 ? total / weights : 0.0;
    }
    // How likely everyone but `player` is to reach each node, by the strategies of now.
    std::vector<float> reach_of_others(int player) {
        forward(player, tree_.published().nodes);
        return {reach_.begin(), reach_.begin() + tree_.published().nodes};
    }
    // Of the regrets, what is kept from one iteration to the next: 1 forgets nothing.
    float kept = 1.0f;
    // Leave out the subtrees that the others never enter.
    bool pruning = true;
    // Adds up the average strategy too.
    bool averaging = false;

    // From now on remembers which actions of an infoset are in the support after every iteration.
    void watch(std::int32_t infoset) {
        watched_ = infoset;
        stable_.assign(static_cast<std::size_t>(tree_.infosets[infoset].actions), 1);
        average_.assign(stable_.size(), 0.0);
        watch_support();
    }
    bool watching() const { return watched_ != kNone; }
    const std::vector<std::uint8_t>& stable() const { return stable_; }
    // The sum of the watched infoset's strategies since then.
    const std::vector<double>& average() const { return average_; }

  private:
    void watch_support() {
        const InfosetEntry& infoset = tree_.infosets[watched_];
        for (std::int32_t a = 0; a < infoset.actions; ++a) {
            const float p = tree_.strategy[infoset.first + a];
            average_[static_cast<std::size_t>(a)] += p;
            if (!(p > 0.0f)) stable_[static_cast<std::size_t>(a)] = 0;
        }
    }

    PassArrays arrays() {
        return {tree_.links.data(),
                tree_.infosets.data(),
                tree_.value.data(),
                tree_.strategy.data(),
                tree_.regret.data(),
                tree_.gain.data(),
                tree_.mass.data(),
                reach_.data(),
                kept,
                pruning};
    }

    void forward(int player, std::int32_t nodes) {
        reach_.resize(static_cast<std::size_t>(nodes));
        const auto roots = static_cast<std::int32_t>(gadget_.size());
        for (std::int32_t i = 0; i < roots; ++i)
            reach_[i] =
                player == us_ || gadget_.gadget() == Gadget::kNone ? static_cast<float>(gadget_.weight()[i]) : 1.0f;
        passes_.forward(arrays(), player, roots, nodes);
    }

    void update(int player, TreeCore::Size size) {
        forward(player, size.nodes);
        const PassArrays all = arrays();
        passes_.backward(all, player, static_cast<std::int32_t>(gadget_.size()), size.nodes, value_.data());
        if (us_ == kMin)
            for (double& value : value_) value = -value;
        if (player != us_) gadget_.update(value_);
        for (std::int32_t i = 0; i < size.infosets; ++i)
            if (tree_.infosets[i].player == player && tree_.mass[i] > 0.0f) match(all, i);
        if (averaging) add_to_average(player, size.infosets);
    }

    void match(const PassArrays& all, std::int32_t infoset) {
        const InfosetEntry& entry = tree_.infosets[infoset];
        const std::size_t n = padded(static_cast<std::size_t>(entry.actions));
        if (scratch_.size() < 2 * n) scratch_.resize(2 * n);
        float* const shown = &tree_.shown_value[entry.first];
        passes_.match(all, infoset, shared_ ? scratch_.data() + n : shown, scratch_.data());
        if (!shared_) {
            std::copy_n(&tree_.strategy[entry.first], n, &tree_.shown_strategy[entry.first]);
            return;
        }
        for (std::int32_t a = 0; a < entry.actions; ++a) {
            relax(shown[a], scratch_[n + static_cast<std::size_t>(a)]);
            relax(tree_.shown_strategy[entry.first + a], tree_.strategy[entry.first + a]);
        }
    }

    void add_to_average(int player, std::int32_t infosets) {
        const auto weight = static_cast<float>(iterations_) * static_cast<float>(iterations_);
        if (infosets == 0) return;
        // By what is published: the array itself may be growing just now.
        const InfosetEntry& last = tree_.infosets[infosets - 1];
        own_reach_.resize(static_cast<std::size_t>(last.first + last.actions));
        for (std::int32_t i = 0; i < infosets; ++i) {
            const InfosetEntry& entry = tree_.infosets[i];
            if (entry.player != player) continue;
            const float reach = entry.parent_action == kNone ? 1.0f : own_reach_[entry.parent_action];
            for (std::int32_t a = entry.first; a < entry.first + entry.actions; ++a) {
                own_reach_[a] = reach * tree_.strategy[a];
                tree_.sum[a] += weight * own_reach_[a];
            }
        }
    }

    const Passes& passes_ = best_passes();
    TreeCore& tree_;
    GadgetRoot& gadget_;
    const int us_;
    const bool shared_;
    std::vector<double> value_;
    std::vector<float> reach_;
    std::vector<float> own_reach_;
    std::vector<float> scratch_;
    std::vector<std::uint8_t> stable_;
    std::vector<double> average_;
    std::int32_t watched_ = kNone;
    std::int64_t iterations_ = 0;
    std::atomic<std::int32_t> seen_{0};
};

}  // namespace murk::growing
