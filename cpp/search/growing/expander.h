// Expansion walks: one-sided GT-CFR ([ZS25]).
//
// A walk goes from the root to a leaf and expands it. One player explores and the other follows her current strategy;
// they change roles after every walk. The explorer takes, half of the time, an action at random from the support
// of her strategy, else the one with the best upper bound u(I, a) + C s(I, a) sqrt(N(I)) / (1 + N(I, a)), s being the
// deviation of what that action was seen to be worth. A walk that ends at a terminal node, at one another thread is
// busy with, or at one the solver has not yet gone over is dropped.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "search/growing/gadget.h"
#include "search/growing/tree.h"

namespace murk::growing {

// A small, fast, seeded generator (splitmix64).
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }
    float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 32) * n >> 32); }

  private:
    std::uint64_t state_;
};

struct ExpanderOptions {
    float exploration = 1.0f;  // C
    bool one_sided = true;     // else both explore in every walk
    bool best_first = true;    // a new infoset begins on its best action, else on all alike
    // By how much a certain win or loss counts less for each move that it is away: the sooner or the later the better.
    float hurry = 0.0f;
};

// A value with hurry: of a certain win or loss, `away` is taken off, and however far it is away, it is worth more than
// what is only estimated.
constexpr float kCertain = 0.999f;
constexpr float kMostEstimated = 0.95f;
inline float hurried(float value, float away) {
    const bool certain = value >= kCertain || value <= -kCertain;
    return value * (certain ? std::max(1.0f - away, kMostEstimated) : kMostEstimated);
}

// A state with which the subgame may begin.
template <class State>
struct RootState {
    State state;
    std::array<Key, 2> keys;
    std::array<std::int32_t, 2> last_action;
};

template <Game G>
class Expander {
  public:
    using State = typename G::State;

    // `roots` holds the states behind the entries of the first rows of the tree, nature's choices at the root.
    Expander(const G& game, GrowingTree<State>& tree, const std::vector<RootState<State>>& roots,
             const std::vector<float>& root_weight, int us, ExpanderOptions options, bool alone, std::uint64_t seed)
        : game_(game),
          tree_(tree),
          roots_(roots),
          root_weight_(root_weight),
          us_(us),
          options_(options),
          alone_(alone),
          random_(seed),
          explorer_(us) {}

    // Seconds spent on walks and on what the game takes to describe new nodes (their evaluation, mostly).
    double walking() const { return relaxed(walking_); }
    double describing() const { return relaxed(describing_); }

    // One walk; whether it expanded something. `seen` is what the solver has gone over.
    bool walk(std::int32_t seen) {
        const auto begin = Clock::now();
        const double before = describing_;
        const bool grown = try_walk(seen);
        relax(walking_, walking_ + since(begin) - (describing_ - before));
        return grown;
    }

    static std::size_t best_of(const Moves& moves) {
        std::size_t best = 0;
        for (std::size_t a = 1; a < moves.values.size(); ++a)
            if (moves.player == kMin ? moves.values[a] < moves.values[best] : moves.values[a] > moves.values[best])
                best = a;
        return best;
    }

  private:
    using Clock = std::chrono::steady_clock;

    static double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

    bool try_walk(std::int32_t seen) {
        // After every walk, not only after one that expands: one player may have nothing left to explore.
        explorer_ = 1 - explorer_;
        explored_.clear();
        std::int32_t at = choose_root();
        for (;;) {
            const Link& node = tree_.links[at];
            const std::size_t a = node.player == kNature || (options_.one_sided && node.player != explorer_)
                                      ? sample(tree_.infosets[node.infoset])
                                      : explore(tree_.infosets[node.infoset]);
            const std::int32_t entry = node.row + static_cast<std::int32_t>(a);
            std::atomic_ref<std::int32_t> child(tree_.child[entry]);
            std::int32_t next = child.load(std::memory_order_acquire);
            if (next == kLeaf) {
                if (!child.compare_exchange_strong(next, kBusy, std::memory_order_acq_rel)) return false;
                remember_explored();
                return expand(at, a, entry);
            }
            if (next < 0 || next >= seen) {
                // A walk that has only come before the solver has not explored anything. Alone, it is better not to go
                // the same way at once again; beside a solver that is busy elsewhere there would be no end of such
                // walks.
                if (alone_ || next == kEnded) remember_explored();
                return false;
            }
            at = next;
        }
    }

    // Expands the child at `entry` of a node.
    bool expand(std::int32_t at, std::size_t a, std::int32_t entry) {
        const RootState<State> next = after(at, a, entry);
        moves_.clear();
        std::atomic_ref<std::int32_t> child(tree_.child[entry]);
        const auto begin = Clock::now();
        try {
            game_.describe(next.state, moves_);
        } catch (...) {
            child.store(kLeaf, std::memory_order_release);
            throw;
        }
        relax(describing_, describing_ + since(begin));
        if (options_.hurry > 0.0f) {
            const float away = options_.hurry * static_cast<float>(tree_.links[at].depth + 1);
            for (float& value : moves_.values) value = hurried(value, away);
        }
        const std::lock_guard guard(tree_.lock);
        if (tree_.full()) {
            child.store(kLeaf, std::memory_order_release);
            return false;
        }
        const std::int32_t id = tree_.append(next.state, next.keys, next.last_action, at, entry, moves_,
                                             options_.best_first ? best_of(moves_) : kUniform);
        child.store(id, std::memory_order_release);
        tree_.publish();
        return true;
    }

    RootState<State> after(std::int32_t at, std::size_t a, std::int32_t entry) const {
        if (static_cast<std::size_t>(entry) < roots_.size()) return roots_[static_cast<std::size_t>(entry)];
        const NodeEntry<State>& node = tree_.nodes[at];
        const int mover = tree_.links[at].player;
        const std::int32_t action = tree_.links[at].first + static_cast<std::int32_t>(a);
        RootState<State> next{game_.child(node.state, tree_.label[action]), {}, node.last_action};
        for (int p = 0; p < 2; ++p)
            next.keys[p] = game_.key_after(node.keys[p], p, mover, tree_.label[action], next.state);
        if (mover < 2) next.last_action[mover] = action;
        return next;
    }

    std::int32_t choose_root() {
        const std::size_t n = root_weight_.size();
        if (n == 1) return 0;
        if (explorer_ != us_ && random_.uniform() < 0.5f) return static_cast<std::int32_t>(random_.below(n));
        float total = 0.0f;
        for (const float& w : root_weight_) total += relaxed(w);
        if (!(total > 0.0f)) return static_cast<std::int32_t>(random_.below(n));
        float left = random_.uniform() * total;
        for (std::size_t j = 0; j + 1 < n; ++j)
            if ((left -= relaxed(root_weight_[j])) < 0.0f) return static_cast<std::int32_t>(j);
        return static_cast<std::int32_t>(n - 1);
    }

    std::size_t sample(const InfosetEntry& infoset) {
        float left = random_.uniform();
        std::size_t last = 0;
        for (std::int32_t a = 0; a < infoset.actions; ++a) {
            const float p = relaxed(tree_.shown_strategy[infoset.first + a]);
            if (p <= 0.0f) continue;
            last = static_cast<std::size_t>(a);
            if ((left -= p) < 0.0f) break;
        }
        return last;
    }

    std::size_t explore(const InfosetEntry& infoset) {
        const std::size_t a = random_.uniform() < 0.5f ? any_of_support(infoset) : best_bound(infoset);
        explored_.push_back(infoset.first + static_cast<std::int32_t>(a));
        return a;
    }

    std::size_t any_of_support(const InfosetEntry& infoset) {
        std::size_t count = 0, chosen = 0;
        for (std::int32_t a = 0; a < infoset.actions; ++a)
            if (relaxed(tree_.shown_strategy[infoset.first + a]) > 0.0f && random_.below(++count) == 0)
                chosen = static_cast<std::size_t>(a);
        return chosen;
    }

    std::size_t best_bound(const InfosetEntry& infoset) {
        float total = 0.0f;
        for (std::int32_t a = infoset.first; a < infoset.first + infoset.actions; ++a)
            total += relaxed(tree_.visits[a]) - 2.0f;
        const float root = std::sqrt(total);
        std::size_t best = 0;
        float best_bound = -1e30f;
        for (std::int32_t a = 0; a < infoset.actions; ++a) {
            const std::int32_t at = infoset.first + a;
            const float visits = relaxed(tree_.visits[at]);
            const float deviation = std::sqrt(std::max(0.0f, relaxed(tree_.spread[at])) / visits);
            const float bound =
                relaxed(tree_.shown_value[at]) + options_.exploration * deviation * root / (1.0f + visits - 2.0f);
            if (bound > best_bound) {
                best_bound = bound;
                best = static_cast<std::size_t>(a);
            }
        }
        return best;
    }

    void remember_explored() {
        for (const std::int32_t at : explored_) remember(at);
    }

    // Welford's running mean and sum of squared deviations. Two threads may lose an update to each other.
    void remember(std::int32_t at) {
        const float value = relaxed(tree_.shown_value[at]);
        const float visits = relaxed(tree_.visits[at]) + 1.0f;
        const float before = relaxed(tree_.mean[at]);
        const float mean = before + (value - before) / visits;
        relax(tree_.visits[at], visits);
        relax(tree_.mean[at], mean);
        relax(tree_.spread[at], relaxed(tree_.spread[at]) + (value - before) * (value - mean));
    }

    const G& game_;
    GrowingTree<State>& tree_;
    const std::vector<RootState<State>>& roots_;
    const std::vector<float>& root_weight_;
    const int us_;
    const ExpanderOptions options_;
    const bool alone_;  // by turns with the solver, else at the same time
    Random random_;
    int explorer_;
    Moves moves_;
    std::vector<std::int32_t> explored_;  // the explorer's actions in this walk
    double walking_ = 0.0;
    double describing_ = 0.0;
};

}  // namespace murk::growing
