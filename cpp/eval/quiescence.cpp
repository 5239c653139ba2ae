#include "eval/quiescence.h"

#include <string_view>

#include "chess/kernels.h"
#include "eval/quiescence_kernels.h"

namespace murk::eval {

using chess::Isa;
using chess::Move;
using chess::Position;

extern const QuiescenceKernels quiescence_portable;
#ifdef MURK_X86
extern const QuiescenceKernels quiescence_popcnt;
extern const QuiescenceKernels quiescence_bmi2;
#endif

const QuiescenceKernels& quiescence_kernels_of([[maybe_unused]] Isa isa) {
#ifdef MURK_X86
    if (isa == Isa::kBmi2) return quiescence_bmi2;
    if (isa == Isa::kPopcnt) return quiescence_popcnt;
#endif
    return quiescence_portable;
}

Quiescence::Quiescence(const Network& network, const QuiescenceLimits& limits) : stack_(network, limits) {
    const bool portable = std::string_view(network.kernels().name) == "portable";
    search_ = quiescence_kernels_of(portable ? Isa::kPortable : chess::instruction_sets().back()).search;
}

void Quiescence::set_parent(const Position& position) {
    QuiescenceStack::Node& parent = stack_.nodes[0];
    parent.position = position;
    stack_.network.refresh(position, parent.accumulator);
    parent.ready = true;
}

int Quiescence::value_after(Move move) {
    QuiescenceStack::Node& child = stack_.nodes[1];
    child.position = stack_.nodes[0].position;
    child.position.play(move);
    child.move = move;
    child.ready = false;
    return search_(stack_);
}

int Quiescence::value_here() {
    QuiescenceStack::Node& child = stack_.nodes[1];
    child.position = stack_.nodes[0].position;
    child.accumulator = stack_.nodes[0].accumulator;
    child.ready = true;
    return search_(stack_);
}

}  // namespace murk::eval
