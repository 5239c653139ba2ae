#include "chess/collector.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace murk::chess {
namespace {

constexpr unsigned kMaxShardBits = 7;
constexpr std::size_t kBoardsPerShard = 8192;  // below that one lock is no more trouble than many
constexpr std::size_t kTail = 256;             // places behind the last one by proportion
constexpr std::size_t kSmallest = 256;
constexpr std::uint64_t kWhole = ~std::uint64_t{0};
constexpr const char* kOverflow = "a table of boards overflows";

// Where memory begins to count, a table should be full enough to be worth it and grow little at a time; else it should
// be empty enough to find a place at once.
constexpr std::size_t kLarge = std::size_t{1} << 23;
constexpr std::size_t most_boards(std::size_t capacity, bool large) { return capacity / 16 * (large ? 11 : 9); }
constexpr std::size_t grown(std::size_t capacity, bool large) { return capacity + capacity / 8 * (large ? 1 : 3); }
constexpr std::size_t capacity_for(std::size_t boards) { return boards / 5 * 8 + kSmallest; }

unsigned bits_for(std::size_t expected) {
    unsigned bits = 0;
    while (bits < kMaxShardBits && expected >> bits > kBoardsPerShard) ++bits;
    return bits;
}

bool before(std::uint64_t hash_a, const PackedBoard& a, std::uint64_t hash_b, const PackedBoard& b) {
    if (hash_a != hash_b) return hash_a < hash_b;
    return a.squares != b.squares ? a.squares < b.squares : a.codes < b.codes;
}

}  // namespace

bool comes_before(const PackedBoard& a, const PackedBoard& b) { return before(hash_of(a), a, hash_of(b), b); }

struct alignas(64) Collector::Shard {
    std::mutex mutex;
    PackedBoard* table = nullptr;
    std::size_t capacity = 0;  // without the tail
    std::size_t size = 0;
    std::uint64_t share = kWhole;
};

Collector::Collector(std::size_t expected, std::size_t limit, std::uint64_t seed)
    : bits_(bits_for(std::min(expected, limit))),
      limit_(limit),
      seed_(seed),
      shards_(new Shard[std::size_t{1} << bits_]),
      share_(kWhole) {
    capacity_ = capacity_for(std::min(expected, limit) >> bits_);
    tables_ = BoardBuffer(num_shards() * (capacity_ + kTail));
    for (std::size_t i = 0; i < num_shards(); ++i) {
        shards_[i].capacity = capacity_;
        shards_[i].table = tables_.data() + i * (capacity_ + kTail);
    }
}

Collector::~Collector() = default;

bool Collector::is_large(std::size_t capacity) const { return capacity << bits_ >= kLarge; }

std::size_t Collector::place_of(const Shard& shard, std::uint64_t hash) const {
    return static_cast<std::size_t>(static_cast<unsigned __int128>(hash << bits_) * shard.capacity >> 64);
}

bool Collector::chosen(const Shard& shard, std::uint64_t hash) const {
    if (shard.share == kWhole) return true;
    return lot_of(hash, seed_) < shard.share;
}

void Collector::insert(std::size_t index, const PackedBoard* boards, std::size_t count) {
    Shard& shard = shards_[index];
    for (std::size_t done = 0;;) {
        std::size_t capacity = 0;
        {
            const std::lock_guard lock(shard.mutex);
            capacity = shard.capacity;
            if (shard.size + count <= most_boards(capacity, is_large(capacity))) {
                const std::size_t size_before = shard.size;
                done += insert_some(shard, boards + done, count - done);
                size_.fetch_add(shard.size - size_before, std::memory_order_relaxed);
            }
        }
        if (done == count) return;
        grow(capacity);
    }
}

// Returns how many were inserted before one found no place. Most places are far away in memory, so they are asked for
// some boards ahead.
std::size_t Collector::insert_some(Shard& shard, const PackedBoard* boards, std::size_t count) {
    constexpr std::size_t kAhead = 32;
    std::array<std::size_t, kAhead> places;
    const auto look_ahead = [&](std::size_t i) {
        const std::uint64_t hash = hash_of(boards[i]);
        const std::size_t at = chosen(shard, hash) ? place_of(shard, hash) : kWhole;
        places[i % kAhead] = at;
        if (at != kWhole) __builtin_prefetch(shard.table + at, 1);
    };
    for (std::size_t i = 0; i < std::min(count, kAhead); ++i) look_ahead(i);
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at = places[i % kAhead];
        if (i + kAhead < count) look_ahead(i + kAhead);
        if (at != kWhole && !place(shard, boards[i], at)) return i;
    }
    return count;
}

MURK_INLINE bool Collector::place(Shard& shard, const PackedBoard& board, std::size_t at) {
    for (const PackedBoard* const end = shard.table + shard.capacity + kTail; shard.table + at < end; ++at) {
        PackedBoard& here = shard.table[at];
        if (here == board) return true;
        if (here.codes == 0) {
            here = board;
            ++shard.size;
            return true;
        }
    }
    return false;
}

// Fills an empty table with the boards of another one that are in the sample.
void Collector::take_over(Shard& shard, const PackedBoard* boards, std::size_t count) {
    shard.size = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (boards[i].codes == 0) continue;
        const std::uint64_t hash = hash_of(boards[i]);
        // A table that is half empty and has so long a run of full places is not one of random hashes.
        if (chosen(shard, hash) && !place(shard, boards[i], place_of(shard, hash))) throw std::length_error(kOverflow);
    }
}

// Gives all shards larger tables, unless that was done since `capacity` was found too small. Whoever comes while it is
// being done helps, for all shards are full at about the same time.
void Collector::grow(std::size_t capacity) {
    const std::size_t growth = begin_growth(capacity);
    if (growth == growths_.load()) return;
    try {
        for (std::size_t i = next_to_move_.fetch_add(1); i < num_shards(); i = next_to_move_.fetch_add(1)) {
            move_shard(i);
            end_growth_of(i);
        }
    } catch (...) {
        const std::lock_guard lock(rebuilding_);
        overflowed_ = true;
        all_moved_.notify_all();
        throw;
    }
    std::unique_lock lock(rebuilding_);
    all_moved_.wait(lock, [&] { return growths_ >= growth || overflowed_; });
}

// Returns which growth to help with and wait for: the last one, over already, if there is no need.
std::size_t Collector::begin_growth(std::size_t capacity) {
    const std::lock_guard lock(rebuilding_);
    if (overflowed_) throw std::length_error(kOverflow);
    if (capacity_ > capacity) return growths_;
    if (larger_ == 0) {
        const std::size_t larger = grown(capacity, is_large(capacity));
        larger_tables_ = BoardBuffer(num_shards() * (larger + kTail));
        moved_.assign(num_shards(), 0);
        num_moved_ = first_unmoved_ = 0;
        larger_ = larger;
        next_to_move_.store(0);  // the last thing: others may be waiting to begin
    }
    return growths_ + 1;
}

void Collector::move_shard(std::size_t index) {
    Shard& shard = shards_[index];
    const std::lock_guard lock(shard.mutex);
    const PackedBoard* const old = shard.table;
    shard.table = larger_tables_.data() + index * (larger_ + kTail);
    shard.capacity = larger_;
    take_over(shard, old, capacity_ + kTail);
}

void Collector::end_growth_of(std::size_t index) {
    const std::lock_guard lock(rebuilding_);
    moved_[index] = 1;
    while (first_unmoved_ < num_shards() && moved_[first_unmoved_] != 0) ++first_unmoved_;
    tables_.drop_front(first_unmoved_ * (capacity_ + kTail));
    if (++num_moved_ < num_shards()) return;
    tables_ = std::move(larger_tables_);
    larger_tables_ = BoardBuffer();
    capacity_ = std::exchange(larger_, 0);
    ++growths_;
    all_moved_.notify_all();
}

// Whoever finds too many boards makes the sample smaller, as often as it takes. Whether a share is too large depends
// on the boards alone, not on when they came.
void Collector::thin_out() {
    const std::lock_guard lock(rebuilding_);
    while (size() > limit_) {
        complete_.store(false, std::memory_order_relaxed);
        share_ = share_ / 5 * 4;
        for (std::size_t i = 0; i < num_shards(); ++i) {
            Shard& shard = shards_[i];
            const std::lock_guard shard_lock(shard.mutex);
            const std::size_t size_before = shard.size;
            shard.share = share_;
            const std::vector<PackedBoard> old(shard.table, shard.table + shard.capacity + kTail);
            std::fill_n(shard.table, old.size(), PackedBoard{});
            take_over(shard, old.data(), old.size());
            size_.fetch_sub(size_before - shard.size, std::memory_order_relaxed);
        }
    }
}

void Collector::sort(std::size_t index) {
    Shard& shard = shards_[index];
    PackedBoard* const table = shard.table;
    const std::size_t end = shard.capacity + kTail;
    std::vector<std::uint64_t> hashes;
    std::size_t out = 0;
    for (std::size_t at = 0; at < end; ++at) {
        if (table[at].codes == 0) continue;
        // No board has been displaced past a gap, so runs between gaps are in order among themselves, and a run is
        // short: each board is let sink to its place.
        const std::size_t first = out;
        hashes.clear();
        for (; at < end && table[at].codes != 0; ++at) {
            const PackedBoard board = table[at];
            const std::uint64_t hash = hash_of(board);
            std::size_t to = out++;
            hashes.push_back(hash);
            for (; to > first && before(hash, board, hashes[to - 1 - first], table[to - 1]); --to) {
                table[to] = table[to - 1];
                hashes[to - first] = hashes[to - 1 - first];
            }
            table[to] = board;
            hashes[to - first] = hash;
        }
    }
}

BoardBuffer Collector::result() {
    PackedBoard* to = tables_.data();
    for (std::size_t i = 0; i < num_shards(); ++i)
        to = std::copy(shards_[i].table, shards_[i].table + shards_[i].size, to);
    tables_.shrink(static_cast<std::size_t>(to - tables_.data()));
    return std::move(tables_);
}

Collector::Writer::Writer(Collector& to)
    : to_(to), pending_(new PackedBoard[to.num_shards() * kBatch]), counts_(to.num_shards(), 0) {}

void Collector::Writer::finish() {
    for (std::size_t shard = 0; shard < counts_.size(); ++shard)
        if (counts_[shard] > 0) flush(shard);
}

void Collector::Writer::flush(std::size_t shard) {
    to_.insert(shard, &pending_[shard * kBatch], counts_[shard]);
    counts_[shard] = 0;
    if (to_.size() > to_.limit_) to_.thin_out();
}

}  // namespace murk::chess
