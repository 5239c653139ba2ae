#include "solve/kernels.h"

#include <cstring>
#include <initializer_list>

namespace murk::kernels {

extern const Kernels k_portable;
#ifdef MURK_X86
extern const Kernels k_avx2;
extern const Kernels k_avx512;
#endif

const Kernels* find(const char* name) {
#ifdef MURK_X86
    __builtin_cpu_init();
    if (std::strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                       __builtin_cpu_supports("avx512vl")
                   ? &k_avx512
                   : nullptr;
    if (std::strcmp(name, "avx2") == 0) return __builtin_cpu_supports("avx2") ? &k_avx2 : nullptr;
#endif
    return std::strcmp(name, "portable") == 0 ? &k_portable : nullptr;
}

const Kernels& best() {
    static const Kernels& chosen = [&]() -> const Kernels& {
        for (const char* name : {"avx512", "avx2"})
            if (const Kernels* kernels = find(name)) return *kernels;
        return k_portable;
    }();
    return chosen;
}

}  // namespace murk::kernels
