// A set of positions that look the same to one player: what she holds possible.
//
// All that she knows for certain is stored once, the opponent's pieces in sixteen bytes a position (packed_board.h).
// A set is never changed: a move and what is seen after it lead to another set, so whatever fails or is interrupted
// leaves the one there is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "chess/belief_kernels.h"
#include "chess/collector.h"
#include "chess/observation.h"

namespace murk::chess {

// What a player knows in every position of a set.
struct Known {
    std::array<Bitboard, kNumKinds> own{};
    Colour colour = kWhite;
    Colour turn = kWhite;
    std::uint8_t castling = 0;            // her own rights
    std::uint8_t en_passant = kNoSquare;  // for the side to move; for the opponent only where a pawn can take there
    std::uint8_t winner = kNobody;

    friend bool operator==(const Known&, const Known&) = default;
};

struct PositionSet {
    Known known;
    BoardBuffer boards;    // in canonical order
    bool complete = true;  // false if the step that led here kept only a sample

    std::size_t size() const { return boards.size(); }
};

PositionSet single(const Position& position, Colour colour);
Position unpack(const Known& known, const PackedBoard& board);
PackedBoard pack_opponent(const Position& position, Colour opponent);

struct AdvanceOptions {
    std::size_t threads = 1;
    std::size_t limit = ~std::size_t{0};  // boards to keep at most
    std::uint64_t seed = 0;               // of the sample beyond that
    Isa isa = instruction_sets().back();
    std::function<void()> poll;  // called now and then on the calling thread; throws to stop
};

// The move of hers after which her pieces stand as observed; nothing if there is none.
std::optional<Move> own_move(const PositionSet& set, const Observation& observation);
// The positions after her move, or after some move of the opponent's, that look like `observation`; there may be none.
// Throws Error if her own pieces and rights alone rule it out.
PositionSet after_own_move(const PositionSet& set, Move move, const Observation& observation,
                           const AdvanceOptions& options);
PositionSet after_opponent_move(const PositionSet& set, const Observation& observation, const AdvanceOptions& options);

// One step in parts, for a player on a clock: positions are given a few at a time, and what follows from them so far
// can be taken whenever the time is over. To begin with there must be one position to tell what is known.
class Advance {
  public:
    // `move` is hers, if it was. `expected` is a guess of how many positions will follow.
    Advance(const PositionSet& from, const std::optional<Move>& move, const Observation& observation,
            std::size_t expected, const AdvanceOptions& options);

    // Goes on from positions number first .. last - 1 of a set in which the same is known.
    void add(const PositionSet& set, std::size_t first, std::size_t last);
    // How many different positions follow so far.
    std::size_t size() const { return collector_ ? collector_->size() : 0; }
    // Those positions; it begins anew after that.
    PositionSet take();

  private:
    BeliefStep step_;
    Known before_, after_;
    std::size_t (*kernel_)(const BeliefStep&, const PackedBoard*, std::size_t, PackedBoard*);
    std::size_t expected_;
    std::unique_ptr<Collector> collector_;
};

// The same by making every move, computing every view and comparing: slow, obvious, for tests and benchmarks.
PositionSet after_own_move_naive(const PositionSet& set, Move move, const Observation& observation);
PositionSet after_opponent_move_naive(const PositionSet& set, const Observation& observation);

bool contains(const PositionSet& set, const Position& position);
bool same(const PositionSet& a, const PositionSet& b);
// Positions number first .. last - 1 of the order.
PositionSet slice(const PositionSet& set, std::size_t first, std::size_t last);
// The positions of one set that are not in the other, in which the same is known.
PositionSet without(const PositionSet& set, const PositionSet& other);
// All positions of sets in which the same is known, or a sample if those are more than the limit.
PositionSet unite(const std::vector<const PositionSet*>& sets, const AdvanceOptions& options);
// Numbers of `count` different positions, in random order; all of them if there are fewer.
std::vector<std::size_t> sample(std::size_t size, std::size_t count, std::uint64_t seed);

// How often each square (64 rows) is empty or holds a pawn .. king of White, of Black (13 columns).
using PieceCounts = std::array<std::array<std::uint64_t, 13>, 64>;
PieceCounts count_pieces(const PositionSet& set);
// Legal moves of the side to move, all positions together.
std::uint64_t count_moves(const PositionSet& set);
// Throws Error unless the set is in order, without repetition, and all positions are possible and look the same.
void check(const PositionSet& set);

}  // namespace murk::chess
