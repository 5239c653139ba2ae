// Two players in the fog, for the labeller: each holds a belief and imagines a few boards of it.
//
// The positions that a search of dark chess evaluates are those that its player holds possible, and what follows from
// them. They are seen in no game with open eyes: pieces are left to be taken and kings walk into attacks, since nobody
// knows better.
#pragma once

#include <array>
#include <vector>

#include "chess/position_set.h"
#include "eval/random.h"

namespace murk::eval {

class FogBeliefs {
  public:
    explicit FogBeliefs(const chess::Position& position);

    // Some different boards that a player holds possible.
    std::vector<chess::Position> imagine(chess::Colour who, std::size_t count, Random& random) const;
    // Both see what they see after `move`. A belief is a sample, and one that has run dry is told the truth.
    void follow(const chess::Position& before, chess::Move move, Random& random);

  private:
    std::array<chess::PositionSet, 2> sets_;
};

}  // namespace murk::eval
