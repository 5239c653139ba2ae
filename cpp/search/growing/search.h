// Solve and grow at once: the search of [ZS25] over any game.
//
// With one thread expansions and iterations take turns by a fixed rule, so that a seed and a limit on nodes give the
// same result every time. With more, one thread solves and the others expand until the time is nearly up; the solver
// then goes on alone for the rest.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "search/growing/expander.h"
#include "search/growing/solver.h"

namespace murk::growing {

struct SearchOptions {
    ExpanderOptions expander;
    Gadget gadget = Gadget::kBlend;
    int threads = 1;
    std::size_t max_nodes = 1'000'000;  // expanded ones that the tree can hold
    // One thread: part of the time for the solver, and what an expansion costs in terms of passing over a node.
    double solver_share = 0.05;
    double expansion_cost = 7000;
    // The solver has this part of the time for itself at the end.
    double frozen_share = 0.05;
    bool pruning = true;       // of subtrees that the other side never enters
    double kept_regret = 1.0;  // from one iteration to the next, while the tree grows
    double tremble = 0.0;      // how likely the opponent enters by the prior whatever it costs her
    std::uint64_t seed = 0;
    bool averaging = false;
};

struct SearchLimits {
    double seconds = 1e9;
    std::int64_t nodes = std::numeric_limits<std::int64_t>::max();       // expanded by this search
    std::int64_t iterations = std::numeric_limits<std::int64_t>::max();  // for a tree that cannot grow any more
};

// An infoset with which the opponent may enter: its states, how likely each is given the infoset, and their values.
template <class State>
struct RootGroup {
    std::vector<RootState<State>> states;
    std::vector<double> chance;
    std::vector<double> value;  // to MAX
    double alternate = 0.0;     // ours
    double prior = 1.0;
};

template <Game G>
class GrowingSearch {
  public:
    using State = typename G::State;
    using Clock = std::chrono::steady_clock;

    GrowingSearch(G game, int us, SearchOptions options, std::vector<RootGroup<State>> groups)
        : game_(std::move(game)), us_(us), options_(options), tree_(options.max_nodes) {
        std::vector<double> alternate, prior;
        for (const RootGroup<State>& group : groups) {
            add_group(group);
            alternate.push_back(group.alternate);
            prior.push_back(group.prior);
        }
        tree_.publish();
        gadget_ = GadgetRoot(options.gadget, std::move(alternate), std::move(prior), options.tremble);
        root_weight_.assign(gadget_.size(), 0.0f);
        show_root_weights();
        solver_ = std::make_unique<RegretSolver>(tree_, gadget_, us, options.threads > 1);
        solver_->averaging = options.averaging;
        solver_->pruning = options.pruning;
        solver_->kept = static_cast<float>(options.kept_regret);
        for (int t = 0; t < std::max(1, options.threads - 1); ++t)
            expanders_.push_back(std::make_unique<Expander<G>>(game_, tree_, roots_, root_weight_, us, options.expander,
                                                               options.threads <= 1, options.seed + 0x51ed2701 * t));
    }

    // Takes over what an older search has below the first root groups: `origins` has its node for each of their states,
    // or kNone. To be called before run().
    void adopt(const GrowingTree<State>& old, const std::vector<std::vector<std::int32_t>>& origins, bool regrets) {
        std::vector<std::int32_t> moved(static_cast<std::size_t>(old.published().nodes), kNone);
        std::vector<std::int32_t> place(moved.size(), kNone);  // the entry a node hangs on in this tree
        std::vector<std::int32_t> above(moved.size(), kNone);
        for (std::size_t j = 0; j < origins.size(); ++j)
            for (std::size_t i = 0; i < origins[j].size(); ++i)
                if (origins[j][i] != kNone) {
                    place[origins[j][i]] = tree_.links[j].row + static_cast<std::int32_t>(i);
                    above[origins[j][i]] = static_cast<std::int32_t>(j);
                }
        Moves moves;
        for (std::size_t i = 0; i < moved.size() && !tree_.full(); ++i) {
            const Link& link = old.links[i];
            if (above[i] == kNone && link.parent != kNone && moved[link.parent] != kNone) {
                above[i] = moved[link.parent];
                place[i] = tree_.links[above[i]].row + link.entry - old.links[link.parent].row;
            }
            if (above[i] != kNone)
                moved[i] = adopt(old, static_cast<std::int32_t>(i), above[i], place[i], moves, regrets);
        }
        tree_.publish();
    }

    // Runs until a limit is met or `stop` says so; can be called again. With a limit on nodes alone it also ends when
    // the tree has stopped growing, because it is full or the game has no more.
    void run(const SearchLimits& limits, const std::function<bool()>& stop = [] { return false; }) {
        const auto begin = Clock::now();
        const auto at = [&](double share) {
            return begin + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(std::min(limits.seconds, 1e8) * share));
        };
        const auto end = at(1.0);
        const auto freeze = limits.seconds >= 1e8 ? end : at(1.0 - options_.frozen_share);
        const std::int64_t most = std::min<std::int64_t>(limits.nodes, 1'000'000'000) + tree_.published().nodes;
        const std::int64_t last = limits.iterations == std::numeric_limits<std::int64_t>::max()
                                      ? limits.iterations
                                      : solver_->iterations() + limits.iterations;
        const bool timed = limits.seconds < 1e8, counted = limits.nodes < 1'000'000'000;
        begin_ = begin;
        open_ended_ = !timed && !counted;
        only_counted_ = !timed && counted;
        half_time_ = timed ? at(0.5) : open_ended_ ? begin + kFirstWatch : Clock::time_point::max();
        half_nodes_ = counted ? (tree_.published().nodes + most) / 2 : most + 1;
        if (options_.threads > 1)
            grow_in_parallel(most, freeze, last, stop);
        else
            grow_in_turns(most, freeze, last, stop);
        while (Clock::now() < end && solver_->iterations() < last && !stop() && limits.seconds < 1e8) solve();
    }

    // Our infoset whose stable actions are wanted, by its key: they are watched from the middle of a run on.
    void watch_key(Key key) { watched_key_ = key; }

    // Where the time went, all threads together.
    struct Seconds {
        double evaluating = 0.0;
        double walking = 0.0;
        double solving = 0.0;
    };
    Seconds seconds() const {
        Seconds out;
        for (const auto& expander : expanders_) {
            out.evaluating += expander->describing();
            out.walking += expander->walking();
        }
        out.solving = std::chrono::duration<double>(solving_).count();
        return out;
    }

    // An infoset by its key, also while the search runs; kNone if there is none.
    std::int32_t find(int player, Key key) {
        const std::lock_guard guard(tree_.lock);
        return tree_.find(player, key);
    }

    const GrowingTree<State>& tree() const { return tree_; }
    const GadgetRoot& gadget() const { return gadget_; }
    RegretSolver& solver() { return *solver_; }
    const RegretSolver& solver() const { return *solver_; }
    const G& game() const { return game_; }
    int us() const { return us_; }

  private:
    std::int32_t adopt(const GrowingTree<State>& old, std::int32_t i, std::int32_t above, std::int32_t entry,
                       Moves& moves, bool regrets) {
        const NodeEntry<State>& node = old.nodes[i];
        const Link& link = old.links[i];
        moves.clear();
        moves.player = link.player;
        for (std::int32_t a = 0; a < link.actions; ++a) {
            moves.labels.push_back(old.label[link.first + a]);
            moves.values.push_back(old.value[link.row + a]);
            moves.ended.push_back(old.child[link.row + a] == kEnded);
            if (link.player == kNature) moves.chance.push_back(old.strategy[link.first + a]);
        }
        std::array<std::int32_t, 2> last = {kNone, kNone};
        const Link& parent = tree_.links[above];
        if (static_cast<std::size_t>(above) >= gadget_.size()) {
            last = tree_.nodes[above].last_action;
            if (parent.player < 2) last[parent.player] = parent.first + entry - parent.row;
        }
        const std::size_t known = tree_.infosets.size();
        const std::int32_t id = tree_.append(node.state, node.keys, last, above, entry, moves, 0);
        tree_.child[entry] = id;
        if (tree_.infosets.size() > known && link.player < 2) {
            const std::int32_t to = tree_.infosets[known].first;
            for (std::int32_t a = 0; a < link.actions; ++a) {
                const std::int32_t from = link.first + a;
                tree_.strategy[to + a] = old.strategy[from];
                if (regrets) tree_.regret[to + a] = old.regret[from];
                relax(tree_.shown_strategy[to + a], old.strategy[from]);
                relax(tree_.shown_value[to + a], relaxed(old.shown_value[from]));
                tree_.visits[to + a] = old.visits[from];
                tree_.mean[to + a] = old.mean[from];
                tree_.spread[to + a] = old.spread[from];
            }
        }
        return id;
    }

    void add_group(const RootGroup<State>& group) {
        Moves moves;
        moves.player = kNature;
        for (std::size_t i = 0; i < group.states.size(); ++i) {
            moves.labels.push_back(static_cast<std::int32_t>(i));
            moves.values.push_back(static_cast<float>(group.value[i]));
            moves.chance.push_back(static_cast<float>(group.chance[i]));
            moves.ended.push_back(0);
        }
        tree_.append({}, {}, {kNone, kNone}, kNone, kNone, moves, 0);
        roots_.resize(tree_.value.size());
        const std::size_t row = tree_.links[tree_.links.size() - 1].row;
        for (std::size_t i = 0; i < group.states.size(); ++i) roots_[row + i] = group.states[i];
    }

    void watch() {
        const std::int32_t infoset = find(us_, watched_key_);
        if (infoset != kNone && infoset < tree_.published().infosets) solver_->watch(infoset);
    }

    void show_root_weights() {
        for (std::size_t j = 0; j < root_weight_.size(); ++j)
            relax(root_weight_[j], static_cast<float>(gadget_.weight()[j]));
    }

    // Whether to begin watching: in the middle of a run. One that may be stopped at any time never knows where that is,
    // and begins anew whenever its time has doubled.
    bool time_to_watch() {
        const auto now = Clock::now();
        if (open_ended_) {
            if (now < half_time_) return false;
            half_time_ = now + (now - begin_);
            return true;
        }
        return !solver_->watching() && (tree_.published().nodes >= half_nodes_ || now >= half_time_);
    }

    void solve() {
        const auto begin = Clock::now();
        solver_->iterate();
        if (time_to_watch()) watch();
        show_root_weights();
        solving_ += Clock::now() - begin;
    }

    void grow_in_turns(std::int64_t most, Clock::time_point freeze, std::int64_t last,
                       const std::function<bool()>& stop) {
        const double owed_by_expansion =
            options_.expansion_cost * options_.solver_share / (1.0 - options_.solver_share);
        double owed = 0.0;
        int failures = 0, barren = 0;
        while (Clock::now() < freeze && !stop() && solver_->iterations() < last) {
            if (owed <= 0.0 && tree_.published().nodes < most && failures < kPatience) {
                const bool grown =
                    expanders_[0]->walk(std::max(solver_->seen(), static_cast<std::int32_t>(gadget_.size())));
                failures = grown ? 0 : failures + 1;
                if (grown) barren = 0;
                owed += grown ? owed_by_expansion : kWalkCost;
            } else {
                if (tree_.published().nodes >= most) {
                    // A limit on nodes ends the search after as many iterations as the nodes have earned.
                    if (owed <= 0.0) return;
                }
                solve();
                owed -= 2.0 * tree_.published().nodes;
                if (failures >= kPatience) {
                    failures = 0;
                    if (only_counted_ && ++barren >= kBarren) return;
                }
            }
        }
    }

    void grow_in_parallel(std::int64_t most, Clock::time_point freeze, std::int64_t last,
                          const std::function<bool()>& stop) {
        std::atomic<bool> done{false};
        std::vector<std::thread> threads;
        for (auto& expander : expanders_)
            threads.emplace_back([&, e = expander.get()] {
                while (!done.load(std::memory_order_relaxed) && tree_.published().nodes < most && Clock::now() < freeze)
                    if (!e->walk(std::max(solver_->seen(), static_cast<std::int32_t>(gadget_.size()))))
                        std::this_thread::yield();
            });
        std::int32_t nodes = 0;
        int barren = 0;
        while (Clock::now() < freeze && solver_->iterations() < last && tree_.published().nodes < most && !stop()) {
            solve();
            barren = tree_.published().nodes > nodes ? 0 : barren + 1;
            nodes = tree_.published().nodes;
            if (only_counted_ && barren >= kBarrenIterations) break;
        }
        done.store(true, std::memory_order_relaxed);
        for (std::thread& t : threads) t.join();
    }

    static constexpr int kPatience = 1000;     // walks in vain before the solver is given a turn
    static constexpr double kWalkCost = 20.0;  // a walk in vain, in terms of passing over a node
    static constexpr int kBarren = 10;         // times that patience ran out, one after the other: nothing grows here
    static constexpr int kBarrenIterations = 1000;
    static constexpr auto kFirstWatch = std::chrono::milliseconds(50);

    G game_;
    const int us_;
    const SearchOptions options_;
    GrowingTree<State> tree_;
    GadgetRoot gadget_;
    std::vector<RootState<State>> roots_;
    std::vector<float> root_weight_;
    Key watched_key_ = 0;
    Clock::duration solving_{0};
    Clock::time_point begin_;
    bool open_ended_ = false;    // nothing but `stop` ends the run
    bool only_counted_ = false;  // no limit but one on nodes
    Clock::time_point half_time_ = Clock::time_point::max();
    std::int64_t half_nodes_ = std::numeric_limits<std::int64_t>::max();
    std::unique_ptr<RegretSolver> solver_;
    std::vector<std::unique_ptr<Expander<G>>> expanders_;
};

}  // namespace murk::growing
