// Finds the different boards among many, brought by several threads at once, and puts them in a canonical order.
//
// Boards are ordered by their hash. A collector has shards, each for a range of hashes and each a table that maps a
// hash to its place in proportion, so a table is always nearly in order: to let it grow and to sort it in the end are
// walks from front to back. The result does not depend on the order in which boards arrive, nor on how many threads
// bring them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "chess/board_buffer.h"

namespace murk::chess {

// What decides whether a board is in a sample: the lower the likelier.
inline std::uint64_t lot_of(std::uint64_t hash, std::uint64_t seed) {
    const std::uint64_t lot = (hash ^ seed) * 0xd6e8feb86659fd93;
    const std::uint64_t mixed = (lot ^ lot >> 32) * 0xd6e8feb86659fd93;
    return mixed ^ mixed >> 32;
}

// The canonical order.
bool comes_before(const PackedBoard& a, const PackedBoard& b);

class Collector {
  public:
    // `expected` is a guess of how many boards will come. Over `limit` different boards it keeps a sample of them, in
    // which each board has the same chance, given by its hash and the seed.
    Collector(std::size_t expected, std::size_t limit, std::uint64_t seed);
    ~Collector();

    // Brings boards on behalf of one thread, which collects a few for each shard before it locks it.
    class Writer {
      public:
        explicit Writer(Collector& to);
        MURK_INLINE void add(const PackedBoard& board) {
            const std::size_t shard = to_.shard_of(hash_of(board));
            pending_[shard * kBatch + counts_[shard]] = board;
            if (++counts_[shard] == kBatch) flush(shard);
        }
        void finish();

      private:
        void flush(std::size_t shard);

        Collector& to_;
        std::unique_ptr<PackedBoard[]> pending_;
        std::vector<std::uint8_t> counts_;
    };

    std::size_t num_shards() const { return std::size_t{1} << bits_; }
    // Puts one shard in order. All must be, before result() joins them; different threads may do different shards.
    void sort(std::size_t shard);
    BoardBuffer result();

    std::size_t size() const { return size_.load(std::memory_order_relaxed); }
    // Whether it holds all the boards that came.
    bool complete() const { return complete_.load(std::memory_order_relaxed); }

  private:
    struct Shard;
    static constexpr std::size_t kBatch = 128;

    bool is_large(std::size_t capacity) const;
    std::size_t shard_of(std::uint64_t hash) const { return hash >> 1 >> (63 - bits_); }
    std::size_t place_of(const Shard& shard, std::uint64_t hash) const;
    bool chosen(const Shard& shard, std::uint64_t hash) const;
    void insert(std::size_t shard, const PackedBoard* boards, std::size_t count);
    std::size_t insert_some(Shard& shard, const PackedBoard* boards, std::size_t count);
    bool place(Shard& shard, const PackedBoard& board, std::size_t at);
    void take_over(Shard& shard, const PackedBoard* boards, std::size_t count);
    void grow(std::size_t capacity);
    std::size_t begin_growth(std::size_t capacity);
    void move_shard(std::size_t shard);
    void end_growth_of(std::size_t shard);
    void thin_out();

    const unsigned bits_;
    const std::size_t limit_;
    const std::uint64_t seed_;
    BoardBuffer tables_;
    std::unique_ptr<Shard[]> shards_;
    std::atomic<std::size_t> size_{0};
    std::atomic<bool> complete_{true};
    std::uint64_t share_;  // of all hashes, mixed with the seed, those below it are in the sample
    std::mutex rebuilding_;

    // Larger tables, and how far the shards have moved into them.
    BoardBuffer larger_tables_;
    std::size_t capacity_;
    std::size_t larger_ = 0;  // the capacity they get; 0 when they do not move
    std::atomic<std::size_t> next_to_move_{0};
    std::vector<std::uint8_t> moved_;
    std::size_t num_moved_ = 0;
    std::size_t first_unmoved_ = 0;
    std::atomic<std::size_t> growths_{0};
    bool overflowed_ = false;
    std::condition_variable all_moved_;
};

}  // namespace murk::chess
