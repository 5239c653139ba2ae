#include "eval/fuzz.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "chess/movegen.h"
#include "eval/random.h"
#include "eval/setups.h"
#include "eval/simple.h"

namespace murk::eval {

using chess::Move;
using chess::Position;

namespace {

// A lead of so many pawns decides, whatever else stands on the board.
constexpr int kHugeLead = 20;
constexpr int kMovesEach = 4;
constexpr int kPliesEach = 8;

bool same(const Accumulator& a, const Accumulator& b) { return a.sides == b.sides && a.material == b.material; }

class Fuzzer {
  public:
    Fuzzer(const Embedded& evaluator, std::uint64_t seed)
        : evaluator_(evaluator),
          portable_(std::make_shared<Weights>(evaluator.network().weights()), *find_net_kernels("portable")),
          search_(std::make_unique<Quiescence>(evaluator.network(), evaluator.limits())),
          random_(seed) {}

    FuzzReport run(std::uint64_t positions, Poll poll) {
        while (report_.positions < positions) {
            Position position = random_.below(4) == 0 ? random_endgame(random_) : random_material(random_);
            if (poll != nullptr) poll();
            for (int ply = 0; ply < kPliesEach && !position.king_captured(); ++ply)
                if (!look_at(position)) break;
        }
        return report_;
    }

  private:
    void expect(bool kept, std::uint64_t& broken, const Position& position) {
        if (kept) return;
        ++broken;
        if (report_.first.empty()) report_.first = to_fen(position);
    }

    // Checks a position and some of its moves, and plays one of them. False if there is none.
    bool look_at(Position& position) {
        ++report_.positions;
        evaluator_.network().refresh(position, accumulator_);
        expect(evaluator_.network().value(position, accumulator_) == portable_.value(position), report_.not_portable,
               position);
        look_at_value(position);
        chess::MoveList moves;
        generate(position, moves);
        if (moves.empty()) return false;
        Move last;
        for (int i = 0; i < kMovesEach; ++i) {
            last = moves[random_.below(moves.size())];
            look_at_move(position, last);
        }
        position.play(last);
        return true;
    }

    void look_at_value(const Position& position) {
        const float value = evaluator_.value(position);
        expect(std::fabs(value) <= 1, report_.out_of_range, position);
        expect(value == evaluator_.value(position.mirror()), report_.asymmetric, position);
        search_->set_parent(position);
        const int searched = search_->value_here();
        report_.most_nodes = std::max(report_.most_nodes, static_cast<std::uint64_t>(search_->visited()));
        if (std::abs(searched) >= kWonAtLeast) return;
        const Position& leaf = search_->leaf();
        const int lead = leaf.turn == chess::kWhite ? material_balance(leaf) : -material_balance(leaf);
        const int at_leaf = search_->leaf_is_opponents() ? -searched : searched;
        if (std::abs(lead) >= kHugeLead) expect((lead > 0) == (at_leaf > 0), report_.wrong_sign, position);
    }

    void look_at_move(const Position& position, Move move) {
        ++report_.moves;
        float value = 2, mirrored = 2;
        evaluator_.values(position, {&move, 1}, {&value, 1});
        const Move turned(move.from() ^ 56, move.to() ^ 56, move.promotion());
        evaluator_.values(position.mirror(), {&turned, 1}, {&mirrored, 1});
        expect(std::fabs(value) <= 1, report_.out_of_range, position);
        expect(value == mirrored, report_.asymmetric, position);
        Position after;
        if (const auto decided = decided_value(position, move, &after))
            expect(value == *decided, report_.against_rules, position);
        if (after.king_captured()) return;
        evaluator_.network().update(position, move, after, accumulator_, updated_);
        evaluator_.network().refresh(after, scratch_);
        expect(same(updated_, scratch_), report_.not_incremental, position);
    }

    const Embedded& evaluator_;
    const Network portable_;
    std::unique_ptr<Quiescence> search_;
    Random random_;
    FuzzReport report_;
    Accumulator accumulator_, updated_, scratch_;
};

}  // namespace

FuzzReport fuzz(const Embedded& evaluator, std::uint64_t positions, std::uint64_t seed, Poll poll) {
    return std::make_unique<Fuzzer>(evaluator, seed)->run(positions, poll);
}

}  // namespace murk::eval
