#include "eval/fog_outcomes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "chess/movegen.h"
#include "eval/trainer.h"

namespace murk::eval {

using chess::Move;
using chess::Position;

namespace {

constexpr double kWorstExpected = -0.2;  // boards that are worse for us than this are not likelier still
constexpr double kLargest = 0.999;       // of a label, before it is turned into centipawns

int label_of(double value) {
    return static_cast<int>(std::lround(kTau * std::atanh(std::clamp(value, -kLargest, kLargest))));
}

}  // namespace

OutcomePlayer::OutcomePlayer(std::shared_ptr<const Embedded> evaluator, std::uint64_t seed,
                             const OutcomeOptions& options)
    : evaluator_(std::move(evaluator)), options_(options), random_(seed) {
    if (options.boards < 1 || options.opening < 0 || options.longest <= options.opening)
        throw std::invalid_argument("games in the fog need a board to look at and more plies than the opening has");
    // A game of nothing but strays would have nothing to label.
    if (!(options.persistence >= 0 && options.persistence <= 1 && options.strays >= 0 && options.strays < 1))
        throw std::invalid_argument("the persistence of outcomes is from 0 to 1, and strays are fewer than all moves");
}

std::vector<TrainingRecord> OutcomePlayer::run(std::size_t records, Poll poll) {
    std::vector<TrainingRecord> out;
    while (out.size() < records) {
        play_game(out);
        if (poll != nullptr) poll();
    }
    return out;
}

// By the mean value over a few boards of the belief, in which what is too good to be true counts for less.
Move OutcomePlayer::choose(const Position& position, const FogBeliefs& beliefs) {
    const std::vector<Move> moves = legal_moves(position);
    std::vector<float> values(moves.size());
    std::vector<double> mean(moves.size(), 0.0);
    double weights = 0.0;
    for (const Position& board : beliefs.imagine(position.turn, static_cast<std::size_t>(options_.boards), random_)) {
        evaluator_->values(board, moves, values);
        const double best = *std::max_element(values.begin(), values.end());
        const double weight = std::exp(-options_.plausibility * std::max(best, kWorstExpected));
        for (std::size_t i = 0; i < moves.size(); ++i) mean[i] += weight * values[i];
        weights += weight;
    }
    std::size_t chosen = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const double score = mean[i] / weights + options_.temperature * random_.gumbel();
        if (score > highest) {
            highest = score;
            chosen = i;
        }
    }
    return moves[chosen];
}

void OutcomePlayer::play_game(std::vector<TrainingRecord>& records) {
    const std::array<Style, 2> styles = {random_style(random_), random_style(random_)};
    std::vector<Ply> plies;
    Position position = chess::start_position();
    FogBeliefs beliefs(position);
    int opening = random_.below(options_.opening + 1);
    while (!is_over(position) && static_cast<int>(plies.size()) < options_.longest) {
        const bool stray = opening-- > 0 || random_.chance(options_.strays);
        plies.push_back({position, evaluator_->value(position), stray});
        const Move move = stray ? weak_move(position, styles[position.turn], random_) : choose(position, beliefs);
        const Position before = position;
        position.play(move);
        if (!is_over(position)) beliefs.follow(before, move, random_);
    }
    // Backwards: `next` is what the position after a ply came to, for the side to move there. Who has no move has lost,
    // and so has who has no king.
    double next = is_over(position) ? -1.0 : evaluator_->value(position), next_value = next;
    for (auto ply = plies.rbegin(); ply != plies.rend(); ++ply) {
        const double came_to = -((1.0 - options_.persistence) * next_value + options_.persistence * next);
        if (!ply->stray) records.push_back(pack_record(ply->position, label_of(came_to), kSourceFogOutcome, game_));
        next_value = ply->value;
        next = ply->stray ? ply->value : came_to;
    }
    ++game_;
}

}  // namespace murk::eval
