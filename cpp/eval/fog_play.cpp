#include "eval/fog_play.h"

namespace murk::eval {

using chess::Colour;
using chess::Position;

namespace {

constexpr std::size_t kLargest = 2'000;  // positions of a belief

}  // namespace

FogBeliefs::FogBeliefs(const Position& position)
    : sets_{chess::single(position, chess::kWhite), chess::single(position, chess::kBlack)} {}

std::vector<Position> FogBeliefs::imagine(Colour who, std::size_t count, Random& random) const {
    const chess::PositionSet& set = sets_[who];
    std::vector<Position> boards;
    for (const std::size_t i : chess::sample(set.size(), count, random()))
        boards.push_back(chess::unpack(set.known, set.boards[i]));
    return boards;
}

void FogBeliefs::follow(const Position& before, chess::Move move, Random& random) {
    Position after = before;
    after.play(move);
    for (const Colour who : {chess::kWhite, chess::kBlack}) {
        chess::PositionSet& set = sets_[who];
        chess::Observation seen = chess::observe(after, who);
        chess::AdvanceOptions options;
        options.limit = kLargest;
        options.seed = random();
        if (who == before.turn) {
            set = chess::after_own_move(set, move, seen, options);
        } else {
            seen.captured = static_cast<std::uint8_t>(chess::captured_square(before, move));
            set = chess::after_opponent_move(set, seen, options);
        }
        if (set.size() == 0) set = chess::single(after, who);
    }
}

}  // namespace murk::eval
