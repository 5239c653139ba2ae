// What an evaluator has said of positions, so that it is asked once for each: a search comes to the same position by
// many orders of moves.
//
// A table of fixed size in which a later position takes the place of an earlier one. Threads share it without locks: an
// entry whose halves were written by two of them does not fit its check, and is taken for none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace murk::eval {

class ValueCache {
  public:
    // Holds 2^bits values, of 16 bytes each.
    explicit ValueCache(int bits) : entries_(new Entry[std::size_t{1} << bits]), mask_((std::size_t{1} << bits) - 1) {}

    // Writes the value of the position with that key, if it is there.
    bool find(std::uint64_t key, float& value) const {
        const Entry& entry = entries_[key & mask_];
        const std::uint64_t bits = entry.bits.load(std::memory_order_relaxed);
        if ((entry.check.load(std::memory_order_relaxed) ^ bits) != key) return false;
        const auto low = static_cast<std::uint32_t>(bits);
        std::memcpy(&value, &low, sizeof value);
        return true;
    }

    void store(std::uint64_t key, float value) {
        std::uint32_t low;
        std::memcpy(&low, &value, sizeof low);
        const std::uint64_t bits = kThere | low;
        Entry& entry = entries_[key & mask_];
        entry.bits.store(bits, std::memory_order_relaxed);
        entry.check.store(key ^ bits, std::memory_order_relaxed);
    }

  private:
    static constexpr std::uint64_t kThere = std::uint64_t{1} << 32;  // an empty entry fits no key but one of zero bits

    struct Entry {
        std::atomic<std::uint64_t> check{0}, bits{0};
    };

    std::unique_ptr<Entry[]> entries_;
    const std::size_t mask_;
};

}  // namespace murk::eval
