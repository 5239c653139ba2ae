// The loops of the quiescence search, compiled once for each of the chess layer's instruction sets (chess/kernels.h).
// All give the same values.
#pragma once

#include "chess/kernels.h"
#include "eval/quiescence.h"

namespace murk::eval {

struct QuiescenceKernels {
    // The value of the position at the first ply of the stack for its side to move.
    int (*search)(QuiescenceStack& stack);
};
const QuiescenceKernels& quiescence_kernels_of(chess::Isa isa);

}  // namespace murk::eval
