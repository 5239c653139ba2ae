#include "chess/belief_kernels.h"

namespace murk::chess {

extern const BeliefKernels belief_kernels_portable;
#ifdef MURK_X86
extern const BeliefKernels belief_kernels_popcnt;
extern const BeliefKernels belief_kernels_bmi2;
#endif

const BeliefKernels& belief_kernels_of(Isa isa) {
#ifdef MURK_X86
    if (isa == Isa::kBmi2) return belief_kernels_bmi2;
    if (isa == Isa::kPopcnt) return belief_kernels_popcnt;
#endif
    return belief_kernels_portable;
}

}  // namespace murk::chess
