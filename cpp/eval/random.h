// Random numbers that are the same on every machine (xoshiro256**, seeded by splitmix64).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace murk::eval {

constexpr std::uint64_t splitmix(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

class Random {
  public:
    using result_type = std::uint64_t;
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

    explicit Random(std::uint64_t seed) {
        for (auto& word : state_) word = splitmix(seed);
    }

    std::uint64_t operator()() {
        const std::uint64_t result = rotated(state_[1] * 5, 7) * 9;
        const std::uint64_t t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = rotated(state_[3], 45);
        return result;
    }

    // A whole number below `bound`, which is small.
    int below(int bound) { return static_cast<int>(((*this)() >> 32) * static_cast<std::uint64_t>(bound) >> 32); }
    // In [0, 1).
    double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
    bool chance(double probability) { return uniform() < probability; }
    // The noise that turns the greatest of some scores into a softmax choice.
    double gumbel() { return -std::log(-std::log(uniform() + 0x1p-60)); }

    template <class T, std::size_t N>
    const T& one_of(const std::array<T, N>& items) {
        return items[static_cast<std::size_t>(below(static_cast<int>(N)))];
    }

  private:
    static constexpr std::uint64_t rotated(std::uint64_t x, int k) { return x << k | x >> (64 - k); }
    std::array<std::uint64_t, 4> state_{};
};

}  // namespace murk::eval
