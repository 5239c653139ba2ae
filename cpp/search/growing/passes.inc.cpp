// Compiled once for each instruction set, see passes.h. MURK_ISA is its name.
#include <algorithm>

#include "search/growing/passes.h"

namespace murk::growing::MURK_ISA {
namespace {

typedef float Lanes __attribute__((vector_size(4 * kPad), aligned(4)));

const Lanes& lanes(const float* at) { return *reinterpret_cast<const Lanes*>(at); }
Lanes& lanes(float* at) { return *reinterpret_cast<Lanes*>(at); }

// What is smaller counts as nothing: its inverse would be infinite, and faded regrets get there.
constexpr float kTiny = 1e-30f;

float total(const Lanes& sum) {
    float out = 0.0f;
    for (std::size_t i = 0; i < kPad; ++i) out += sum[i];
    return out;
}

float dot(const float* a, const float* b, std::size_t n) {
    Lanes sum = {};
    for (std::size_t i = 0; i < n; i += kPad) sum += lanes(a + i) * lanes(b + i);
    return total(sum);
}

void add_scaled(float* to, float factor, const float* from, std::size_t n) {
    for (std::size_t i = 0; i < n; i += kPad) lanes(to + i) += factor * lanes(from + i);
}

// The larger of each lane and 0, without the lanes that are padding.
Lanes positive(const Lanes& x, std::size_t left) {
    Lanes out = x > 0.0f ? x : Lanes{};
    for (std::size_t i = left; i < kPad; ++i) out[i] = 0.0f;
    return out;
}

void forward(const PassArrays& arrays, int player, std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i) {
        const Link& link = arrays.links[i];
        const float reach = arrays.reach[link.parent];
        const float here = link.mover == player ? reach : reach * arrays.strategy[link.came_by];
        arrays.reach[i] = here > kTiny ? here : 0.0f;
    }
}

void backward(const PassArrays& arrays, int player, std::int32_t roots, std::int32_t nodes, double* root_value) {
    const float sign = player == kMax ? 1.0f : -1.0f;
    for (std::int32_t i = nodes; i-- > 0;) {
        const float reach = arrays.reach[i];
        if (arrays.pruning && reach == 0.0f && i >= roots) continue;
        const Link& link = arrays.links[i];
        const float* row = arrays.value + link.row;
        const std::size_t n = padded(static_cast<std::size_t>(link.actions));
        const float v = dot(arrays.strategy + link.first, row, n);
        if (link.player == player) {
            add_scaled(arrays.gain + link.first, reach * sign, row, n);
            arrays.mass[link.infoset] += reach;
        }
        if (i >= roots)
            arrays.value[link.entry] = v;
        else
            root_value[i] = v;
    }
}

void match(const PassArrays& arrays, std::int32_t infoset, float* worth, float* scratch) {
    const InfosetEntry& entry = arrays.infosets[infoset];
    const auto actions = static_cast<std::size_t>(entry.actions);
    const std::size_t n = padded(actions);
    float* const gain = arrays.gain + entry.first;
    float* const strategy = arrays.strategy + entry.first;
    float* const regret = arrays.regret + entry.first;
    const float value = dot(strategy, gain, n);
    const float scale = 1.0f / arrays.mass[infoset];
    Lanes sum = {};
    for (std::size_t i = 0; i < n; i += kPad) {
        const std::size_t left = std::min(kPad, actions - i);
        const Lanes better = lanes(gain + i) - value;
        lanes(worth + i) = lanes(gain + i) * scale;
        const Lanes now = positive(arrays.kept * lanes(regret + i) + better, left);
        const Lanes next = positive(arrays.kept * now + better, left);
        lanes(regret + i) = now;
        lanes(scratch + i) = next;
        lanes(gain + i) = Lanes{};
        sum += next;
    }
    arrays.mass[infoset] = 0.0f;
    const float all = total(sum);
    if (!(all > kTiny)) return;
    const float factor = 1.0f / all;
    for (std::size_t i = 0; i < n; i += kPad) lanes(strategy + i) = lanes(scratch + i) * factor;
}

}  // namespace

#define MURK_QUOTED(name) #name
#define MURK_NAME(name) MURK_QUOTED(name)
const Passes passes = {MURK_NAME(MURK_ISA), forward, backward, match};

}  // namespace murk::growing::MURK_ISA
