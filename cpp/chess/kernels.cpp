#include "chess/kernels.h"

namespace murk::chess {

extern const Kernels kernels_portable;
#ifdef MURK_X86
extern const Kernels kernels_popcnt;
extern const Kernels kernels_bmi2;
#endif

const std::vector<Isa>& instruction_sets() {
    static const std::vector<Isa> found = [] {
        std::vector<Isa> sets = {Isa::kPortable};
#ifdef MURK_X86
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("popcnt") || !__builtin_cpu_supports("bmi")) return sets;
        sets.push_back(Isa::kPopcnt);
        // Before Zen 3, AMD's PEXT is microcode that takes up to hundreds of cycles.
        const bool slow = __builtin_cpu_is("amdfam15h") || __builtin_cpu_is("amdfam17h");
        if (__builtin_cpu_supports("bmi2") && !slow) sets.push_back(Isa::kBmi2);
#endif
        return sets;
    }();
    return found;
}

const Kernels& kernels_of(Isa isa) {
#ifdef MURK_X86
    if (isa == Isa::kBmi2) return kernels_bmi2;
    if (isa == Isa::kPopcnt) return kernels_popcnt;
#endif
    return kernels_portable;
}

const Kernels& best_kernels() {
    static const Kernels& best = kernels_of(instruction_sets().back());
    return best;
}

}  // namespace murk::chess
