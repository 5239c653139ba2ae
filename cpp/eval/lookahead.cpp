#include "eval/lookahead.h"

#include <algorithm>
#include <numeric>

#include "chess/movegen.h"

namespace murk::eval {
namespace {

using chess::Move;
using chess::Position;

constexpr float kInfinite = 2.0f;
constexpr int kPollEvery = 32;  // internal nodes

class Search {
  public:
    Search(const Evaluator& evaluator, const LookaheadLimits& limits) : evaluator_(evaluator), limits_(limits) {}

    Lookahead run(const Position& position) {
        Lookahead out;
        std::vector<Move> moves;
        out.values = ordered(position, moves);
        if (stopped_) {
            out.values.clear();
        } else if (limits_.depth > 1) {
            float alpha = -kInfinite;
            for (const std::size_t i : order(out.values)) {
                out.values[i] = after(position, moves[i], limits_.depth, alpha, kInfinite);
                if (limits_.best_only) alpha = std::max(alpha, out.values[i]);
                if (stopped_) break;
            }
            if (stopped_) out.values.clear();
        }
        out.taken = taken_;
        out.complete = !stopped_;
        return out;
    }

  private:
    // The value of a move at a node that is searched `depth` plies deep, for the side that plays it.
    float after(const Position& position, Move move, int depth, float alpha, float beta) {
        Position child;
        if (const auto decided = decided_value(position, move, &child)) return *decided;
        return -kDecay * search(child, depth - 1, -beta / kDecay, -alpha / kDecay);
    }

    float search(const Position& position, int depth, float alpha, float beta) {
        std::vector<Move> moves;
        const std::vector<float> values = ordered(position, moves);
        if (stopped_) return 0;
        if (depth == 1) return *std::max_element(values.begin(), values.end());
        float best = -kInfinite;
        for (const std::size_t i : order(values)) {
            best = std::max(best, after(position, moves[i], depth, std::max(alpha, best), beta));
            if (stopped_ || best >= beta) break;
        }
        return best;
    }

    // The legal moves and what the evaluator says of them.
    std::vector<float> ordered(const Position& position, std::vector<Move>& moves) {
        chess::MoveList legal;
        generate(position, legal);
        for (const Move move : legal) moves.push_back(move);
        std::vector<float> values(moves.size());
        if (out_of_budget(moves.size())) return values;
        evaluator_.values(position, moves, values);
        taken_ += static_cast<std::int64_t>(moves.size());
        return values;
    }

    bool out_of_budget(std::size_t wanted) {
        stopped_ = stopped_ || (limits_.stop && ++nodes_ % kPollEvery == 0 && limits_.stop()) ||
                   taken_ + static_cast<std::int64_t>(wanted) > limits_.values ||
                   (limits_.deadline && std::chrono::steady_clock::now() >= *limits_.deadline);
        return stopped_;
    }

    static std::vector<std::size_t> order(const std::vector<float>& values) {
        std::vector<std::size_t> places(values.size());
        std::iota(places.begin(), places.end(), std::size_t{0});
        std::stable_sort(places.begin(), places.end(),
                         [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
        return places;
    }

    const Evaluator& evaluator_;
    const LookaheadLimits& limits_;
    std::int64_t taken_ = 0;
    int nodes_ = 0;
    bool stopped_ = false;
};

}  // namespace

Lookahead look_ahead(const Evaluator& evaluator, const Position& position, const LookaheadLimits& limits) {
    return Search(evaluator, limits).run(position);
}

}  // namespace murk::eval
