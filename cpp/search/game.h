// What a search must know of a game: how to expand a state, what each player learns, and an estimate of every child.
//
// The searcher is always kMax: a game seen from the other side turns players and payoffs round before it is handed in.
// States belong to the game and are called by number; the tree of the search refers to them. A player's key stands for
// everything she knows at a state, so two states are in one infoset of hers if and only if their keys are equal; a key
// is a hash of the parent's key, her own action, and what she observes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tree/tree.h"

namespace murk::search {

using StateId = std::int32_t;
using Key = std::uint64_t;
using Keys = std::array<Key, kNumPlayers>;

// One step of a 64-bit mixing function (Steele, Lea & Flood's SplitMix).
constexpr Key mix(Key a, Key b) {
    Key z = a * 0x9e3779b97f4a7c15 + b + 0x632be59bd9b4e019;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

// The key after a step: `acted` if the player made the move herself.
constexpr Key next_key(Key parent, bool acted, std::int64_t action, Key observation) {
    return mix(mix(parent, acted ? static_cast<Key>(action) + 1 : 0), observation);
}

// A state of which nobody has been told how it came about.
struct Seed {
    StateId state = kNone;
    Keys keys{};
    double value = 0.0;
};

// What expanding a state gives: one entry a child, in an order that is the same for all states of an infoset.
struct Children {
    int player = kNature;  // who acts at the state that was expanded
    std::vector<std::int64_t> action;
    std::vector<double> probability;  // nature's; empty if a player acts
    std::vector<double> value;        // u~ of the child, or its payoff if the game is over there
    std::vector<float> interest;      // a higher number is expanded earlier
    std::vector<StateId> state;       // kNone where the game is over
    std::array<std::vector<Key>, kNumPlayers> key;

    std::size_t size() const { return action.size(); }
    void clear() {
        action.clear();
        probability.clear();
        value.clear();
        interest.clear();
        state.clear();
        for (auto& keys : key) keys.clear();
    }
};

class Game {
  public:
    Game() = default;
    virtual ~Game() = default;
    Game(const Game&) = delete;
    Game& operator=(const Game&) = delete;

    // All children of a state at which the game goes on; `keys` are the players' there.
    virtual void expand(StateId state, const Keys& keys, Children& out) = 0;
    // Equal for states with the same future (Section 2 of [ZS21], transpositions).
    virtual Key transposition(StateId state) const = 0;
    // Forgets all states but these: states[i] gets number i.
    virtual void keep(std::span<const StateId> states) = 0;
};

}  // namespace murk::search
