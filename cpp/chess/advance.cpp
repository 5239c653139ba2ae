// From one set of positions to the next.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>

#include "chess/notation.h"
#include "chess/position_set.h"
#include "chess/side.h"
#include "solve/workers.h"

namespace murk::chess {
namespace {

constexpr std::size_t kBlock = 1024;  // boards a thread takes at a time
constexpr std::size_t kStrip = 32;    // boards expanded before their children are collected
constexpr std::size_t kSmall = std::size_t{1} << 21;
constexpr std::size_t kPilot = 4096;  // boards expanded for an estimate, at most
constexpr auto kPollEvery = std::chrono::milliseconds(20);

using Kernel = std::size_t (*)(const BeliefStep&, const PackedBoard*, std::size_t, PackedBoard*);

// Calls the caller's poll at intervals, and lets the other threads know that it has thrown.
class Watch {
  public:
    explicit Watch(const std::function<void()>& poll)
        : poll_(poll), next_(std::chrono::steady_clock::now() + kPollEvery) {}

    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    void look(std::size_t part) {
        if (part != 0 || !poll_ || std::chrono::steady_clock::now() < next_) return;
        poll_();
        next_ = std::chrono::steady_clock::now() + kPollEvery;
    }
    void keep(std::exception_ptr error) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
        stopped_.store(true, std::memory_order_relaxed);
    }
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }

  private:
    const std::function<void()>& poll_;
    std::chrono::steady_clock::time_point next_;
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
};

// Runs work(i) for i below `count` on several threads; what it throws comes out here.
template <class MakeWork>
void in_parallel(std::size_t threads, std::size_t count, Watch& watch, MakeWork&& make_work) {
    Workers workers(threads);
    std::atomic<std::size_t> next{0};
    workers.run([&](std::size_t part) {
        try {
            auto work = make_work();
            for (std::size_t i = next.fetch_add(1); i < count && !watch.stopped(); i = next.fetch_add(1)) {
                watch.look(part);
                work(i);
            }
            if (!watch.stopped()) work.finish();
        } catch (...) {
            watch.keep(std::current_exception());
        }
    });
    watch.rethrow();
}

std::size_t blocks_of(const BoardBuffer& boards) { return (boards.size() + kBlock - 1) / kBlock; }

// Expands blocks of boards and gives the children to a collector.
class Expansion {
  public:
    Expansion(Kernel kernel, const BeliefStep& step, const BoardBuffer& boards, Collector& collector)
        : kernel_(kernel),
          step_(step),
          boards_(boards),
          writer_(collector),
          children_(new PackedBoard[kStrip * kMaxMoves]) {}

    void operator()(std::size_t block) { expand(block * kBlock, std::min((block + 1) * kBlock, boards_.size())); }
    void expand(std::size_t first, std::size_t last) {
        for (std::size_t at = first; at < last; at += kStrip) {
            const std::size_t found = kernel_(step_, boards_.data() + at, std::min(kStrip, last - at), children_.get());
            for (std::size_t i = 0; i < found; ++i) writer_.add(children_[i]);
        }
    }
    void finish() { writer_.finish(); }

  private:
    Kernel kernel_;
    const BeliefStep& step_;
    const BoardBuffer& boards_;
    Collector::Writer writer_;
    std::unique_ptr<PackedBoard[]> children_;
};

template <class Work>
struct Simple {
    Work work;
    void operator()(std::size_t i) { work(i); }
    void finish() {}
};
template <class Work>
Simple(Work) -> Simple<Work>;

// Small sets are done before another thread has begun.
std::size_t threads_for(const BoardBuffer& boards, const AdvanceOptions& options) {
    return std::clamp<std::size_t>(boards.size() / (4 * kBlock), 1, std::max<std::size_t>(1, options.threads));
}

// All children of all boards, each once.
void collect(Kernel kernel, const BeliefStep& step, const AdvanceOptions& options, std::size_t expected,
             const BoardBuffer& from, PositionSet& to) {
    const std::size_t threads = threads_for(from, options);
    Collector collector(expected, options.limit, options.seed);
    Watch watch(options.poll);
    in_parallel(threads, blocks_of(from), watch, [&] { return Expansion(kernel, step, from, collector); });
    in_parallel(threads, collector.num_shards(), watch,
                [&] { return Simple{[&](std::size_t shard) { collector.sort(shard); }}; });
    to.boards = collector.result();
    to.complete = collector.complete();
}

BoardBuffer sorted(Collector& collector) {
    for (std::size_t shard = 0; shard < collector.num_shards(); ++shard) collector.sort(shard);
    return collector.result();
}

// How many different children there will be at least, roughly: the more each board has, the more are others' children
// too.
std::size_t estimate(Kernel kernel, const BeliefStep& step, const BoardBuffer& boards) {
    const std::size_t pilot = std::min(kPilot, boards.size() / 16 + 1);
    const std::unique_ptr<PackedBoard[]> children(new PackedBoard[kStrip * kMaxMoves]);
    std::size_t found = 0;
    for (std::size_t at = 0; at < pilot; at += kStrip)
        found += kernel(step, boards.data() + at, std::min(kStrip, pilot - at), children.get());
    const double each = static_cast<double>(found) / static_cast<double>(pilot);
    // Room that is not needed does not matter in small sets, and a table that need not grow is done sooner.
    const double share = boards.size() < kSmall ? 0.8 : 0.5;
    return static_cast<std::size_t>(share * std::pow(each, 0.6) * static_cast<double>(boards.size()));
}

// Over the limit keeps a sample, in which each board has the same chance, given by its hash and the seed; in order.
void thin_out(BoardBuffer& boards, const AdvanceOptions& options, PositionSet& to) {
    if (boards.size() <= options.limit) return;
    std::vector<std::uint64_t> lots(boards.size());
    for (std::size_t i = 0; i < lots.size(); ++i) lots[i] = lot_of(hash_of(boards[i]), options.seed);
    std::vector<std::uint64_t> lowest = lots;
    const auto last = lowest.begin() + static_cast<std::ptrdiff_t>(options.limit);
    std::nth_element(lowest.begin(), last, lowest.end());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < lots.size(); ++i)
        if (lots[i] < *last) boards.data()[kept++] = boards[i];
    boards.shrink(kept);
    to.complete = false;
}

// The boards that match, unchanged and so still in order.
void filter(Kernel kernel, const BeliefStep& step, const AdvanceOptions& options, const BoardBuffer& from,
            PositionSet& to) {
    BoardBuffer kept(from.size());
    std::vector<std::size_t> counts(blocks_of(from));
    Watch watch(options.poll);
    in_parallel(threads_for(from, options), counts.size(), watch, [&] {
        return Simple{[&](std::size_t block) {
            const std::size_t first = block * kBlock, count = std::min(kBlock, from.size() - first);
            counts[block] = kernel(step, from.data() + first, count, kept.data() + first);
        }};
    });
    PackedBoard* end = kept.data();
    for (std::size_t block = 0; block < counts.size(); ++block)
        end = std::copy_n(kept.data() + block * kBlock, counts[block], end);
    kept.shrink(static_cast<std::size_t>(end - kept.data()));
    thin_out(kept, options, to);
    to.boards = std::move(kept);
}

Position any_position(const PositionSet& set) { return unpack(set.known, set.boards[0]); }

// What the observation says about the opponent's pieces.
BeliefStep matching(const Observation& observation) {
    const Deductions deduced = deduce(observation);
    BeliefStep step;
    step.opponent = ~observation.colour;
    step.own = all_of(observation.own);
    step.empty = deduced.no_enemy;
    step.enemy = deduced.enemy;
    step.seen = all_of(observation.seen);
    step.not_rooks = step.seen & ~observation.seen[kRook];
    for (std::size_t kind = 0; kind < kNumKinds; ++kind)
        for (std::size_t plane = 0; plane < 3; ++plane)
            if ((kind >> plane & 1) != 0) step.planes[plane] |= observation.seen[kind];
    return step;
}

[[noreturn]] void refuse(const Observation& observation, const std::string& why) {
    throw Error("observation " + quoted(to_text(observation)) + " cannot follow: " + why);
}

void check_turn(const PositionSet& set, const Observation& observation, bool own_move) {
    const char* names[] = {"White", "Black"};
    if (set.known.winner != kNobody) refuse(observation, "the game is over");
    if (observation.colour != set.known.colour)
        refuse(observation, std::string("it is ") + names[observation.colour] + "'s, the belief is " +
                                names[set.known.colour] + "'s");
    if (set.size() == 0) refuse(observation, "the set is empty");
    if ((set.known.turn == set.known.colour) != own_move || observation.turn == set.known.turn)
        refuse(observation, std::string("it is ") + names[observation.turn] + " to move in it, as before");
}

struct Prepared {
    BeliefStep step;
    Known known;
};

Prepared prepare(const PositionSet& set, Move move, const Observation& observation) {
    check_turn(set, observation, true);
    const Position before = any_position(set);
    if (!is_legal(before, move))
        throw IllegalMove("move " + quoted(to_uci(move)) + " is not legal for the player of this belief");
    Position after = before;
    after.play(move);
    const Observation reached = observe(after, set.known.colour);
    if (reached.own != observation.own || reached.castling != observation.castling)
        refuse(observation, "her own pieces or rights are not those after " + to_uci(move));

    Prepared result;
    result.step = matching(observation);
    result.step.captured = captured_square(before, move);
    result.step.takes_king = after.king_captured();
    result.step.leaves_move = observation.winner == kNobody;
    const bool pawn = before.kind_at(move.from()) == kPawn;
    const int step = move.to() - move.from();
    if (pawn && (step == 16 || step == -16)) result.step.en_passant = move.from() + step / 2;
    result.known = {observation.own,
                    set.known.colour,
                    static_cast<Colour>(~set.known.colour),
                    observation.castling,
                    static_cast<std::uint8_t>(result.step.en_passant),
                    observation.winner};
    if (result.step.takes_king && observation.winner != set.known.colour)
        refuse(observation, to_uci(move) + " takes the king, and it does not say that the game is over");
    return result;
}

// Where the opponent's move has taken a piece, from what is left.
Square taken_between(const Known& known, const Observation& observation) {
    Bitboard gone = 0, come = 0;
    for (std::size_t kind = 0; kind < kNumKinds; ++kind) {
        gone |= known.own[kind] & ~observation.own[kind];
        come |= observation.own[kind] & ~known.own[kind];
    }
    if (come != 0 || count(gone) > 1) refuse(observation, "her own pieces have changed by more than a capture");
    const Square taken = gone != 0 ? lowest(gone) : kNoSquare;
    if (observation.captured != kNoSquare && observation.captured != taken)
        refuse(observation, "no piece of hers has gone from " + square_name(observation.captured));
    const int kept = taken == kNoSquare ? 15 : detail::kRightsKept[static_cast<std::size_t>(taken)];
    if (observation.castling != (known.castling & kept)) refuse(observation, "her castling rights have changed");
    return taken;
}

Prepared prepare(const PositionSet& set, const Observation& observation) {
    check_turn(set, observation, false);
    Prepared result;
    BeliefStep& step = result.step;
    step = matching(observation);
    step.captured = taken_between(set.known, observation);
    step.own = all_of(set.known.own);
    step.en_passant = set.known.en_passant;
    const int up = set.known.colour == kWhite ? 8 : -8;
    if (observation.en_passant != kNoSquare) {
        if (step.captured != kNoSquare) refuse(observation, "a pawn's double step takes nothing");
        step.passed_pawn = observation.en_passant - up;
    }
    const Bitboard pawns = observation.own[kPawn];
    step.double_steps =
        (step.opponent == kWhite ? kRank1 << 24 : kRank1 << 32) & ~((pawns & ~kFileA) >> 1 | (pawns & ~kFileH) << 1);
    result.known = {observation.own,      set.known.colour,       set.known.colour,
                    observation.castling, observation.en_passant, observation.winner};
    return result;
}

}  // namespace

std::optional<Move> own_move(const PositionSet& set, const Observation& observation) {
    check_turn(set, observation, true);
    const Position before = any_position(set);
    MoveList moves;
    generate(before, moves);
    for (const Move move : moves) {
        Position after = before;
        after.play(move);
        bool same = true;
        for (std::size_t kind = 0; kind < kNumKinds; ++kind)
            same &= (after.kinds[kind] & after.colours[set.known.colour]) == observation.own[kind];
        if (same) return move;
    }
    return std::nullopt;
}

PositionSet after_own_move(const PositionSet& set, Move move, const Observation& observation,
                           const AdvanceOptions& options) {
    const Prepared own = prepare(set, move, observation);
    PositionSet next;
    next.known = own.known;
    const Kernel kernel = belief_kernels_of(options.isa).after_own_move;
    // Without a capture no board changes and none can become equal to another.
    if (own.step.captured == kNoSquare) {
        filter(kernel, own.step, options, set.boards, next);
    } else {
        collect(kernel, own.step, options, set.size(), set.boards, next);
    }
    return next;
}

PositionSet after_opponent_move(const PositionSet& set, const Observation& observation, const AdvanceOptions& options) {
    const Prepared opponent = prepare(set, observation);
    PositionSet next;
    next.known = opponent.known;
    const Kernel kernel = belief_kernels_of(options.isa).after_opponent_move;
    collect(kernel, opponent.step, options, estimate(kernel, opponent.step, set.boards), set.boards, next);
    return next;
}

Advance::Advance(const PositionSet& from, const std::optional<Move>& move, const Observation& observation,
                 std::size_t expected, const AdvanceOptions& options)
    : before_(from.known), expected_(expected) {
    const Prepared prepared = move ? prepare(from, *move, observation) : prepare(from, observation);
    const BeliefKernels& kernels = belief_kernels_of(options.isa);
    step_ = prepared.step;
    after_ = prepared.known;
    kernel_ = move ? kernels.after_own_move : kernels.after_opponent_move;
}

void Advance::add(const PositionSet& set, std::size_t first, std::size_t last) {
    if (set.known != before_) throw Error("positions to go on from must know the same as those before them");
    if (!collector_) collector_ = std::make_unique<Collector>(expected_, ~std::size_t{0}, 0);
    Expansion expansion(kernel_, step_, set.boards, *collector_);
    expansion.expand(first, std::min(last, set.size()));
    expansion.finish();
}

PositionSet Advance::take() {
    PositionSet result;
    result.known = after_;
    if (const std::unique_ptr<Collector> collector = std::move(collector_)) result.boards = sorted(*collector);
    return result;
}

PositionSet unite(const std::vector<const PositionSet*>& sets, const AdvanceOptions& options) {
    if (sets.empty()) throw Error("no sets to unite");
    std::size_t total = 0;
    for (const PositionSet* set : sets) {
        if (set->known != sets.front()->known) throw Error("sets to unite must know the same");
        total += set->size();
    }
    Collector collector(total, options.limit, options.seed);
    Collector::Writer writer(collector);
    for (const PositionSet* set : sets)
        for (const PackedBoard& board : set->boards) writer.add(board);
    writer.finish();
    PositionSet result;
    result.known = sets.front()->known;
    result.boards = sorted(collector);
    result.complete = collector.complete();
    return result;
}

}  // namespace murk::chess
