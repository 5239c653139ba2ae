// Positions that are set up rather than played: endgames, and material that no game reaches.
#pragma once

#include <cstdint>

#include "chess/position.h"
#include "eval/random.h"

namespace murk::eval {

// Both kings and up to five more a side, anywhere. Anything may be under attack, kings too.
chess::Position random_endgame(Random& random);
// Both kings and up to fifteen more of any kind a side.
chess::Position random_material(Random& random);

// A position that looks the same to the side to move, with the same legal moves: every enemy piece that it does not see
// stays or goes, at random, to another square that it does not see.
chess::Position shuffled_fog(const chess::Position& position, Random& random);

}  // namespace murk::eval
