#include "chess/board_set.h"

#include <algorithm>
#include <array>

namespace murk::chess {
namespace {

constexpr unsigned kMaxShardBits = 9;
constexpr std::size_t kBoardsPerShard = 4096;  // below that one lock is no more trouble than many
constexpr std::size_t kTail = 64;              // places behind the last one by proportion
constexpr std::size_t kSmallest = 256;
constexpr std::uint64_t kWhole = ~std::uint64_t{0};

// Full enough to be worth its memory, empty enough to find a place soon.
constexpr std::size_t most_boards(std::size_t capacity) { return capacity / 16 * 11; }
constexpr std::size_t grown(std::size_t capacity) { return capacity + capacity / 8 * 3; }

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

std::size_t BoardSet::size() const {
    std::size_t total = 0;
    for (const BoardBuffer& chunk : chunks) total += chunk.size();
    return total;
}

bool comes_before(const PackedBoard& a, const PackedBoard& b) { return before(hash_of(a), a, hash_of(b), b); }

struct alignas(64) Collector::Shard {
    std::mutex mutex;
    BoardBuffer table;
    std::size_t capacity = 0;
    std::size_t size = 0;
    std::uint64_t share = kWhole;
};

Collector::Collector(std::size_t expected, std::size_t limit, std::uint64_t seed)
    : bits_(bits_for(expected)),
      limit_(limit),
      seed_(seed),
      shards_(new Shard[std::size_t{1} << bits_]),
      share_(kWhole) {
    const std::size_t first = std::max(kSmallest, expected >> bits_);
    for (std::size_t i = 0; i < num_shards(); ++i) {
        // Not all at once should come to the point of growing: the tables together are then never at their emptiest.
        shards_[i].capacity = first + first * (i % 16) / 40;
        shards_[i].table = BoardBuffer(shards_[i].capacity + kTail);
    }
}

Collector::~Collector() = default;

std::size_t Collector::place_of(const Shard& shard, std::uint64_t hash) const {
    return static_cast<std::size_t>(static_cast<unsigned __int128>(hash << bits_) * shard.capacity >> 64);
}

bool Collector::chosen(const Shard& shard, std::uint64_t hash) const {
    if (shard.share == kWhole) return true;
    std::uint64_t lot = (hash ^ seed_) * 0xd6e8feb86659fd93;
    lot = (lot ^ lot >> 32) * 0xd6e8feb86659fd93;
    return (lot ^ lot >> 32) < shard.share;
}

void Collector::insert(std::size_t index, const PackedBoard* boards, std::size_t count) {
    Shard& shard = shards_[index];
    const std::lock_guard lock(shard.mutex);
    const std::size_t before = shard.size;
    if (shard.size + count > most_boards(shard.capacity)) rebuild(shard, grown(shard.capacity));
    constexpr std::size_t kAhead = 64;
    std::array<std::size_t, kAhead> places;
    std::size_t kept = 0;
    std::array<const PackedBoard*, kAhead> chosen_boards;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t hash = hash_of(boards[i]);
        if (!chosen(shard, hash)) continue;
        chosen_boards[kept] = &boards[i];
        places[kept] = place_of(shard, hash);
        __builtin_prefetch(&shard.table[places[kept]], 1);
        ++kept;
    }
    const std::size_t capacity = shard.capacity;
    for (std::size_t i = 0; i < kept; ++i)
        place(shard, *chosen_boards[i],
              shard.capacity == capacity ? places[i] : place_of(shard, hash_of(*chosen_boards[i])));
    size_.fetch_add(shard.size - before, std::memory_order_relaxed);
}

void Collector::place(Shard& shard, const PackedBoard& board, std::size_t at) {
    PackedBoard* const table = shard.table.data();
    const std::size_t end = shard.table.size();
    for (; at < end; ++at) {
        if (table[at] == board) return;
        if (table[at].codes == 0) {
            table[at] = board;
            ++shard.size;
            return;
        }
    }
    rebuild(shard, grown(shard.capacity));
    place(shard, board, place_of(shard, hash_of(board)));
}

// Moves the boards that are in the sample to a table of another capacity.
void Collector::rebuild(Shard& shard, std::size_t capacity) {
    BoardBuffer old = std::move(shard.table);
    shard.table = BoardBuffer(capacity + kTail);
    shard.capacity = capacity;
    shard.size = 0;
    for (const PackedBoard& board : old) {
        if (board.codes == 0) continue;
        const std::uint64_t hash = hash_of(board);
        if (chosen(shard, hash)) place(shard, board, place_of(shard, hash));
    }
}

// Whoever finds too many boards makes the sample smaller, as often as it takes. Whether a share is too large depends
// on the boards alone, not on when they came.
void Collector::thin_out() {
    const std::lock_guard lock(thinning_);
    while (size() > limit_) {
        complete_.store(false, std::memory_order_relaxed);
        share_ = share_ / 5 * 4;
        for (std::size_t i = 0; i < num_shards(); ++i) {
            Shard& shard = shards_[i];
            const std::lock_guard shard_lock(shard.mutex);
            const std::size_t before = shard.size;
            shard.share = share_;
            rebuild(shard, shard.capacity);
            size_.fetch_sub(before - shard.size, std::memory_order_relaxed);
        }
    }
}

void Collector::sort(std::size_t index) {
    Shard& shard = shards_[index];
    PackedBoard* const table = shard.table.data();
    const std::size_t end = shard.table.size();
    std::vector<std::pair<std::uint64_t, PackedBoard>> run;
    std::size_t out = 0;
    for (std::size_t at = 0; at < end;) {
        if (table[at].codes == 0) {
            ++at;
            continue;
        }
        // No board has been displaced past a gap, so runs between gaps are in order among themselves.
        run.clear();
        for (; at < end && table[at].codes != 0; ++at) run.emplace_back(hash_of(table[at]), table[at]);
        std::sort(run.begin(), run.end(),
                  [](const auto& a, const auto& b) { return before(a.first, a.second, b.first, b.second); });
        for (const auto& [hash, board] : run) table[out++] = board;
    }
    shard.table.shrink(out);
}

BoardSet Collector::result() {
    BoardSet set;
    for (std::size_t i = 0; i < num_shards(); ++i)
        if (shards_[i].size > 0) set.chunks.push_back(std::move(shards_[i].table));
    return set;
}

Collector::Writer::Writer(Collector& to)
    : to_(to), pending_(new PackedBoard[to.num_shards() * kBatch]), counts_(to.num_shards(), 0) {}

void Collector::Writer::add(const PackedBoard& board) {
    const std::size_t shard = to_.shard_of(hash_of(board));
    pending_[shard * kBatch + counts_[shard]] = board;
    if (++counts_[shard] == kBatch) flush(shard);
}

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
