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
    int evasions = 4;         // so many first plies search the moves out of an attack on the king
    int quiet_evasions = 2;   // of which so many that take nothing
    int captures = 64;        // captures tried at one position
    int recaptures_from = 6;  // from this ply on only recaptures
    int margin = 120;         // hundredths: a capture whose gain and this stay below alpha is not tried
};

class Quiescence {
  public:
    Quiescence(const Network& network, const QuiescenceLimits& limits) : network_(network), limits_(limits) {}
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
    const chess::Position& leaf() const { return nodes_[1].leaf; }
    bool leaf_is_opponents() const { return nodes_[1].leaf.turn != nodes_[1].position.turn; }
    int visited() const { return visited_; }

  private:
    static constexpr int kMostPlies = 40;
    struct Node {
        chess::Position position;
        chess::Position leaf;
        chess::Move move;
        bool ready = false;  // is the accumulator that of the position?
        Accumulator accumulator;
    };

    int run();
    int search(int ply, int alpha, int beta);
    int search_evasions(int ply, int alpha, int beta);
    int search_captures(int ply, int alpha, int beta);
    bool try_move(int ply, chess::Move move, int& alpha, int beta, int& best);
    int static_value(int ply);
    const Accumulator& accumulator(int ply);
    Node& node(int ply) { return nodes_[static_cast<std::size_t>(ply)]; }

    const Network& network_;
    const QuiescenceLimits limits_;
    int visited_ = 0;
    std::array<Node, kMostPlies + 1> nodes_;  // the parent, then the position after its move, then the search
};

}  // namespace murk::eval
