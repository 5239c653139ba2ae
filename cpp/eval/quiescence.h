// A quiescence search under the rules of dark chess, with the net at its leaves.
//
// A position is searched through captures and promotions until it is quiet, so that a hanging queen counts as lost. A
// side that can capture the king has won. A side whose king is attacked may not stand pat: its moves out of the attack
// are searched, and if there is none the king is lost. The search is bounded in depth and nodes; where it stops, the
// static value stands.
#pragma once

#include <array>
#include <cstdint>

#include "chess/movegen.h"
#include "chess/position.h"
#include "eval/network.h"

namespace murk::eval {

constexpr int kWon = 1'000'000;  // the king captured now; a ply later it is worth one less
constexpr int kWonAtLeast = kWon - 1'000;
constexpr int kLargestStatic = 200'000;

struct QuiescenceLimits {
    int nodes = 2'000;        // positions looked at for one value
    int evasions = 2;         // so many first plies search the moves out of an attack on the king
    int quiet_evasions = 2;   // of which so many that take nothing
    int captures = 64;        // captures tried at one position
    int recaptures_from = 3;  // from this ply on only recaptures
    int margin = 120;         // hundredths: a capture whose gain and this stay below alpha is not tried
};

// What a search works on.
struct QuiescenceStack {
    static constexpr int kMostPlies = 40;
    struct Node {
        chess::Position position;
        chess::Position leaf;
        chess::Move move;
        bool ready = false;  // is the accumulator that of the position?
        Accumulator accumulator;
    };

    // Not an aggregate: its accumulators would be filled with zeros each time.
    QuiescenceStack(const Network& its_network, const QuiescenceLimits& its_limits)
        : network(its_network), limits(its_limits) {}

    const Network& network;
    const QuiescenceLimits limits;
    int visited = 0;
    std::array<Node, kMostPlies + 1> nodes;  // the parent, then the position after its move, then the search
};

class Quiescence {
  public:
    // Takes the portable loops with a portable net, else the best that this processor can run.
    Quiescence(const Network& network, const QuiescenceLimits& limits);
    Quiescence(const Quiescence&) = delete;
    Quiescence& operator=(const Quiescence&) = delete;

    // Makes `position` the one whose moves are evaluated.
    void set_parent(const chess::Position& position);
    // The value of the parent's move for the side that moves *after* it, in units of 1 / kValueOne, or beyond
    // kWonAtLeast if a king falls. The move must leave both kings on the board.
    int value_after(chess::Move move);
    // The value of the parent itself for its side to move.
    int value_here();
    // The position whose static value the last value was, and whether its sign was turned on the way.
    const chess::Position& leaf() const { return stack_.nodes[1].leaf; }
    bool leaf_is_opponents() const { return leaf().turn != stack_.nodes[1].position.turn; }
    int visited() const { return stack_.visited; }

  private:
    QuiescenceStack stack_;
    int (*search_)(QuiescenceStack& stack);  // see quiescence_kernels.h
};

}  // namespace murk::eval
