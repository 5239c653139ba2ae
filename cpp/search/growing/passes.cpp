#include "search/growing/passes.h"

namespace murk::growing {

const Passes& best_passes() {
#ifdef MURK_X86
    if (__builtin_cpu_supports("avx2")) return avx2::passes;
#endif
    return portable::passes;
}

}  // namespace murk::growing
