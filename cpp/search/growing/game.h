// What the growing search asks of a game.
//
// A game has states, and for a state says who moves, which moves there are, and what each of them is worth by an
// estimate: `describe` does all of that in one call, because an evaluator is cheapest when asked for all children at
// once. What a player knows at a state is a 64-bit key that grows along the path; two states with equal keys are in one
// infoset of hers. Values are MAX's.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "tree/tree.h"

namespace murk::growing {

using Key = std::uint64_t;

// Everything about the moves of one state, in the caller's buffers.
struct Moves {
    int player = kTerminal;
    std::vector<std::int32_t> labels;
    std::vector<float> values;        // of the state after each move, to MAX
    std::vector<float> chance;        // nature's probabilities; empty elsewhere
    std::vector<std::uint8_t> ended;  // whether the state after the move is terminal; its value is then exact

    void clear() {
        labels.clear();
        values.clear();
        chance.clear();
        ended.clear();
    }
};

template <class G>
concept Game = std::is_trivially_copyable_v<typename G::State> &&
               requires(const G& game, const typename G::State& state, Moves& moves, std::int32_t label, Key key) {
                   { game.describe(state, moves) };
                   { game.child(state, label) } -> std::same_as<typename G::State>;
                   // The key of `player` after `label` was played by `mover` at a state where her key was `key`.
                   { game.key_after(key, 0, 1, label, state) } -> std::same_as<Key>;
               };

// Mixes 64 bits into a key.
inline constexpr Key mix(Key key, std::uint64_t more) {
    key = (key ^ more) * 0x9e3779b97f4a7c15;
    key ^= key >> 32;
    key *= 0xd6e8feb86659fd93;
    return key ^ key >> 32;
}

}  // namespace murk::growing
