// A hash table from whole numbers to numbers that are not negative: one array, linear probing, nothing is ever erased.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace murk {

class FlatMap {
  public:
    // Where the key's value stands; -1 until somebody writes it, which must be before the next call.
    std::int32_t& operator[](std::uint64_t key) {
        if (2 * used_ >= slots_.size()) grow();
        Slot& slot = slots_[place(key)];
        if (slot.value < 0) {
            slot.key = key;
            ++used_;
        }
        return slot.value;
    }

  private:
    struct Slot {
        std::uint64_t key = 0;
        std::int32_t value = -1;
    };

    std::size_t place(std::uint64_t key) const {
        const std::size_t mask = slots_.size() - 1;
        std::uint64_t mixed = key * 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
        mixed ^= mixed >> 32;
        std::size_t at = mixed & mask;
        while (slots_[at].value >= 0 && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        const std::vector<Slot> before =
            std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(64, 2 * slots_.size())));
        for (const Slot& slot : before)
            if (slot.value >= 0) slots_[place(slot.key)] = slot;
    }

    std::vector<Slot> slots_;  // a power of two of them
    std::size_t used_ = 0;
};

}  // namespace murk
