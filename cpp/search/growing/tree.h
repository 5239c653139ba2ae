// The tree of the growing search: expanded nodes only, a row of values for the children of each, and the infosets.
//
// Most nodes of a search are leaves that were evaluated and never looked at again. They are no nodes here but entries
// of their parent's row of values, so that one pass over a node is a few vector operations on that row. A child that
// is expanded keeps its entry: whoever solves the tree writes the child's value there.
//
// Threads: expanders append under a lock and publish how much is complete; the solver reads up to that point without
// one. Fields are marked by who writes them after publication.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>

#include "search/growing/game.h"
#include "tree/stable_array.h"

namespace murk::growing {

// What stands in a child entry instead of a node.
enum Child : std::int32_t { kLeaf = -1, kEnded = -2, kBusy = -3 };

// A new infoset begins with the same on each of its actions.
constexpr std::size_t kUniform = static_cast<std::size_t>(-1);

// Rows are padded to whole vectors; padding is 0 and stays so.
constexpr std::size_t kPad = 8;
constexpr std::size_t padded(std::size_t n) { return (n + kPad - 1) / kPad * kPad; }

// One player's infoset, or one node of nature's with her fixed probabilities.
struct InfosetEntry {
    Key key;
    std::int32_t first;          // its actions' place in the arrays over actions
    std::int32_t parent_action;  // the place of its owner's action before, kNone at the top
    std::int32_t actions;
    std::uint8_t player;
};

// Where a node hangs in the tree, in few bytes: the solver goes over all of them in every iteration.
struct Link {
    std::int32_t parent;   // kNone for the top of the tree
    std::int32_t entry;    // the place of this node in its parent's row
    std::int32_t came_by;  // the place of the action that leads here in the arrays over actions, kNone at the top
    std::int32_t row;      // the place of its own row in the arrays over children
    std::int32_t infoset;
    std::int32_t first;  // the infoset's actions
    std::int32_t actions;
    std::uint8_t player;
    std::uint8_t mover;  // who moves at the parent
    std::int16_t depth;  // below the top
};

template <class State>
struct NodeEntry {
    State state;
    std::array<Key, 2> keys;
    std::array<std::int32_t, 2> last_action;  // the place of each player's last action on the way here
};

// Shared between threads without a lock: never torn, in no particular order.
template <class T>
T relaxed(const T& at) {
    return std::atomic_ref<T>(const_cast<T&>(at)).load(std::memory_order_relaxed);
}
template <class T>
void relax(T& at, T value) {
    std::atomic_ref<T>(at).store(value, std::memory_order_relaxed);
}

// All but the states.
class TreeCore {
  public:
    explicit TreeCore(std::size_t max_nodes)
        : links(max_nodes),
          value(max_nodes * 40),
          child(max_nodes * 40),
          infosets(max_nodes),
          label(max_nodes * 40),
          strategy(max_nodes * 40),
          regret(max_nodes * 40),
          sum(max_nodes * 40),
          gain(max_nodes * 40),
          mass(max_nodes),
          shown_strategy(max_nodes * 40),
          shown_value(max_nodes * 40),
          visits(max_nodes * 40),
          mean(max_nodes * 40),
          spread(max_nodes * 40) {}

    struct Size {
        std::int32_t nodes;
        std::int32_t infosets;
    };
    // What is complete. The solver looks at nothing else.
    Size published() const {
        const std::uint64_t both = published_.load(std::memory_order_acquire);
        return {static_cast<std::int32_t>(both >> 32), static_cast<std::int32_t>(both & 0xffffffff)};
    }
    void publish() {
        published_.store(static_cast<std::uint64_t>(links.size()) << 32 | infosets.size(), std::memory_order_release);
    }
    bool full() const { return links.size() + 1 >= links.capacity() || value.size() + 1024 >= value.capacity(); }

    std::int32_t find(int player, Key key) const {
        const auto it = by_key_[player].find(key);
        return it == by_key_[player].end() ? kNone : it->second;
    }

    std::mutex lock;

    StableArray<Link> links;
    StableArray<float> value;         // over children: MAX's value, the estimate until the child is solved (solver)
    StableArray<std::int32_t> child;  // over children: a node or Child (expanders)

    StableArray<InfosetEntry> infosets;
    StableArray<std::int32_t> label;
    StableArray<float> strategy;  // over actions: the current strategy and what it is made of (solver)
    StableArray<float> regret;
    StableArray<float> sum;
    StableArray<float> gain;
    StableArray<float> mass;            // over infosets: how likely the others let it happen (solver)
    StableArray<float> shown_strategy;  // over actions: copies for the expanders, see relaxed()
    StableArray<float> shown_value;     // its owner's value of each action, given that the infoset is reached
    StableArray<float> visits;          // over actions: what the walks have seen (expanders)
    StableArray<float> mean;
    StableArray<float> spread;

  protected:
    // Adds a row and a link to it. The infoset is found by the mover's key or made, with all weight on `best`, or with
    // the same on each action if that is kUniform.
    void append_link(const std::array<Key, 2>& keys, const std::array<std::int32_t, 2>& last_action,
                     std::int32_t parent, std::int32_t entry, const Moves& moves, std::size_t best) {
        const std::size_t n = moves.labels.size();
        const auto row = static_cast<std::int32_t>(value.size());
        value.resize(value.size() + padded(n));
        child.resize(child.size() + padded(n));
        for (std::size_t a = 0; a < n; ++a) {
            value[row + a] = moves.values[a];
            child[row + a] = moves.ended[a] ? kEnded : kLeaf;
        }
        Link link{parent,
                  entry,
                  kNone,
                  row,
                  find_or_add(moves, keys, last_action, best),
                  0,
                  static_cast<std::int32_t>(n),
                  static_cast<std::uint8_t>(moves.player),
                  kNature,
                  0};
        link.first = infosets[link.infoset].first;
        if (parent != kNone) {
            link.came_by = links[parent].first + entry - links[parent].row;
            link.mover = links[parent].player;
            link.depth = static_cast<std::int16_t>(links[parent].depth + 1);
        }
        links.push_back(link);
    }

  private:
    std::int32_t find_or_add(const Moves& moves, const std::array<Key, 2>& keys,
                             const std::array<std::int32_t, 2>& last_action, std::size_t best) {
        const bool nature = moves.player == kNature;
        const Key key = nature ? 0 : keys[static_cast<std::size_t>(moves.player)];
        const auto next = static_cast<std::int32_t>(infosets.size());
        if (!nature) {
            const auto [it, fresh] = by_key_[moves.player].try_emplace(key, next);
            if (!fresh) return it->second;
        }
        const std::size_t n = moves.labels.size();
        const auto first = static_cast<std::int32_t>(strategy.size());
        const std::size_t size = strategy.size() + padded(n);
        for (StableArray<float>* array :
             {&strategy, &regret, &sum, &gain, &shown_strategy, &shown_value, &visits, &mean, &spread})
            array->resize(size);
        label.resize(size);
        const float even = 1.0f / static_cast<float>(n);
        for (std::size_t a = 0; a < n; ++a) {
            label[first + a] = moves.labels[a];
            strategy[first + a] = nature ? moves.chance[a] : best == kUniform ? even : a == best ? 1.0f : 0.0f;
            relax(shown_strategy[first + a], strategy[first + a]);
            if (nature) continue;
            // As if each action had been seen once to lose and once to win.
            visits[first + a] = 2.0f;
            spread[first + a] = 2.0f;
            relax(shown_value[first + a], moves.player == kMax ? moves.values[a] : -moves.values[a]);
        }
        mass.resize(mass.size() + 1);
        infosets.push_back({key, first, nature ? kNone : last_action[static_cast<std::size_t>(moves.player)],
                            static_cast<std::int32_t>(n), static_cast<std::uint8_t>(moves.player)});
        return next;
    }

    std::array<std::unordered_map<Key, std::int32_t>, 2> by_key_;
    std::atomic<std::uint64_t> published_{0};
};

template <class State>
class GrowingTree : public TreeCore {
  public:
    explicit GrowingTree(std::size_t max_nodes) : TreeCore(max_nodes), nodes(max_nodes) {}

    // Appends a node with its row; the caller holds the lock if there are other threads.
    std::int32_t append(const State& state, const std::array<Key, 2>& keys,
                        const std::array<std::int32_t, 2>& last_action, std::int32_t parent, std::int32_t entry,
                        const Moves& moves, std::size_t best) {
        const auto id = static_cast<std::int32_t>(nodes.size());
        nodes.push_back({state, keys, last_action});
        append_link(keys, last_action, parent, entry, moves, best);
        return id;
    }

    StableArray<NodeEntry<State>> nodes;
};

}  // namespace murk::growing
