// Predictive CFR+ on a tree that grows meanwhile.
//
// One iteration updates one player and then the other. For the player in question a forward pass finds how likely the
// others are to reach each node, a backward pass the value of each node and of each of her actions; then her infosets
// are updated. Parents come before children, so both are plain loops over the nodes published when the iteration began.
// Subtrees that the others never enter are skipped (partial pruning): nothing in them counts for her.
#pragma once

#include <vector>

#include "search/growing/gadget.h"
#include "search/growing/tree.h"

namespace murk::growing {

typedef float Lanes __attribute__((vector_size(4 * kPad), aligned(4)));

// Sums lane by lane in a fixed order, whatever the instruction set.
inline float dot(const float* a, const float* b, std::size_t n) {
    Lanes sum = {};
    for (std::size_t i = 0; i < n; i += kPad)
        sum += *reinterpret_cast<const Lanes*>(a + i) * *reinterpret_cast<const Lanes*>(b + i);
    float total = 0.0f;
    for (std::size_t i = 0; i < kPad; ++i) total += sum[i];
    return total;
}
inline void add_scaled(float* to, float factor, const float* from, std::size_t n) {
    for (std::size_t i = 0; i < n; i += kPad)
        *reinterpret_cast<Lanes*>(to + i) += factor * *reinterpret_cast<const Lanes*>(from + i);
}

template <class State>
class RegretSolver {
  public:
    // The first `roots` nodes of the tree are nature's, one for each infoset with which the opponent enters.
    RegretSolver(GrowingTree<State>& tree, GadgetRoot& gadget, int us)
        : tree_(tree), gadget_(gadget), us_(us), value_(gadget.size(), 0.0) {}

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

    void forward(int player, std::int32_t nodes) {
        reach_.resize(static_cast<std::size_t>(nodes));
        const auto roots = static_cast<std::int32_t>(gadget_.size());
        for (std::int32_t i = 0; i < roots; ++i)
            reach_[i] =
                player == us_ || gadget_.gadget() == Gadget::kNone ? static_cast<float>(gadget_.weight()[i]) : 1.0f;
        for (std::int32_t i = roots; i < nodes; ++i) {
            const NodeEntry<State>& node = tree_.nodes[i];
            const NodeEntry<State>& parent = tree_.nodes[node.parent];
            float reach = reach_[node.parent];
            if (parent.player != player && reach != 0.0f)
                reach *= tree_.strategy[tree_.infosets[parent.infoset].first + node.entry - parent.row];
            reach_[i] = reach;
        }
    }

    void update(int player, typename GrowingTree<State>::Size size) {
        forward(player, size.nodes);
        const float sign = player == kMax ? 1.0f : -1.0f;
        const auto roots = static_cast<std::int32_t>(gadget_.size());
        for (std::int32_t i = size.nodes; i-- > 0;) {
            const float reach = reach_[i];
            if (reach == 0.0f && i >= roots) continue;
            const NodeEntry<State>& node = tree_.nodes[i];
            const std::int32_t first = tree_.infosets[node.infoset].first;
            const float* row = &tree_.value[node.row];
            const std::size_t n = padded(static_cast<std::size_t>(node.actions));
            const float v = dot(&tree_.strategy[first], row, n);
            if (node.player == player) {
                add_scaled(&tree_.gain[first], reach * sign, row, n);
                tree_.mass[node.infoset] += reach;
            }
            if (i >= roots)
                tree_.value[node.entry] = v;
            else
                value_[i] = us_ == kMax ? v : -v;
        }
        if (player != us_) gadget_.update(value_);
        for (std::int32_t i = 0; i < size.infosets; ++i)
            if (tree_.infosets[i].player == player && tree_.mass[i] > 0.0f) regret_matching(i);
        if (averaging) add_to_average(player, size.infosets);
    }

    void regret_matching(std::int32_t infoset) {
        const InfosetEntry& entry = tree_.infosets[infoset];
        const std::int32_t first = entry.first;
        const std::size_t n = static_cast<std::size_t>(entry.actions);
        float* gain = &tree_.gain[first];
        float* strategy = &tree_.strategy[first];
        float* regret = &tree_.regret[first];
        float* prediction = &tree_.prediction[first];
        const float value = dot(strategy, gain, padded(n));
        const float scale = 1.0f / tree_.mass[infoset];
        float total = 0.0f;
        for (std::size_t a = 0; a < n; ++a) {
            relax(tree_.shown_value[first + a], gain[a] * scale);
            const float better = gain[a] - value;
            regret[a] = std::max(0.0f, regret[a] + better);
            prediction[a] = std::max(0.0f, regret[a] + better);
            total += prediction[a];
            gain[a] = 0.0f;
        }
        tree_.mass[infoset] = 0.0f;
        // With no regret at all the strategy stays as it is: a new infoset keeps its best action until something is
        // better.
        if (!(total > 0.0f)) return;
        const float factor = 1.0f / total;
        for (std::size_t a = 0; a < n; ++a) {
            strategy[a] = prediction[a] * factor;
            relax(tree_.shown_strategy[first + a], strategy[a]);
        }
    }

    void add_to_average(int player, std::int32_t infosets) {
        const auto weight = static_cast<float>(iterations_) * static_cast<float>(iterations_);
        own_reach_.resize(tree_.strategy.size());
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

    GrowingTree<State>& tree_;
    GadgetRoot& gadget_;
    const int us_;
    std::vector<double> value_;
    std::vector<float> reach_;
    std::vector<float> own_reach_;
    std::vector<std::uint8_t> stable_;
    std::vector<double> average_;
    std::int32_t watched_ = kNone;
    std::int64_t iterations_ = 0;
    std::atomic<std::int32_t> seen_{0};
};

}  // namespace murk::growing
