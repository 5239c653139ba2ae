#include "eval/labeller.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "chess/movegen.h"
#include "eval/setups.h"

namespace murk::eval {

using chess::Move;
using chess::MoveList;
using chess::Position;

namespace {

constexpr std::size_t kGames = 128;       // at a time
constexpr std::size_t kMostKept = 12;     // children of one position
constexpr std::size_t kRecent = 1 << 22;  // keys remembered
constexpr int kLongestGame = 300;         // plies
// Of the games in the fog: how often a position is kept, and how many of its children beside the one that was played.
constexpr double kHeldOutRate = 0.4;
constexpr std::size_t kHeldOutChildren = 1;

bool is_over(const Position& position) { return position.king_captured() || chess::count_moves(position) == 0; }

std::vector<Move> open_moves(const Position& position) {
    MoveList moves;
    generate(position, moves);
    std::vector<Move> open;
    std::copy_if(moves.begin(), moves.end(), std::back_inserter(open),
                 [&](Move move) { return !decided_value(position, move); });
    return open;
}

// Moves `number` random ones to the front.
template <class T>
void draw_some(std::vector<T>& items, std::size_t number, Random& random) {
    for (std::size_t i = 0; i < std::min(number, items.size()); ++i)
        std::swap(items[i], items[i + static_cast<std::size_t>(random.below(static_cast<int>(items.size() - i)))]);
}

Game started(Source source, Position position, int plies, Random& random) {
    Game game;
    game.position = position;
    game.source = source;
    game.plies_left = plies;
    game.styles = {random_style(random), random_style(random)};
    return game;
}

// A king of the side to move under attack, some way into a game.
Game game_with_check(Random& random) {
    for (;;) {
        Game game = started(kSourceInCheck, chess::start_position(), kLongestGame, random);
        for (Style& style : game.styles) style.checks = 300;
        if (!advance(game, 4 + random.below(20), random)) continue;
        for (int ply = 0; ply < 40 && advance(game, 1, random); ++ply)
            if (king_attacked(game.position) && !can_capture_king(game.position)) {
                game.plies_left = 1 + random.below(8);
                return game;
            }
    }
}

}  // namespace

Game new_training_game(Random& random) {
    const double kind = random.uniform();
    if (kind < 0.04) return started(kSourceAbsurd, random_material(random), 1 + random.below(8), random);
    if (kind < 0.14) return started(kSourceEndgame, random_endgame(random), 1 + random.below(30), random);
    if (kind < 0.18) return game_with_check(random);
    if (kind < 0.26) {
        Game game = started(kSourceRandomPlay, chess::start_position(), 20 + random.below(100), random);
        for (Style& style : game.styles) style.noise = std::numeric_limits<double>::infinity();
        return game;
    }
    if (kind < 0.58) return started(kSourceSemiRandomPlay, chess::start_position(), kLongestGame, random);
    constexpr std::array<double, 4> kTemperatures = {0.01, 0.03, 0.08, 0.2};
    constexpr std::array<double, 3> kBlunders = {0, 0.05, 0.2};
    const bool endgame = random.chance(0.1);
    Game game = started(kSourceSelfPlay, endgame ? random_endgame(random) : chess::start_position(), 160, random);
    game.temperature = random.one_of(kTemperatures);
    game.blunders = random.one_of(kBlunders);
    if (!endgame && !advance(game, random.below(12), random)) return new_training_game(random);
    return game;
}

bool advance(Game& game, int plies, Random& random) {
    for (int ply = 0; ply < plies; ++ply) {
        if (game.plies_left-- <= 0 || is_over(game.position)) return false;
        game.position.play(weak_move(game.position, game.styles[game.position.turn], random));
    }
    return !is_over(game.position);
}

std::vector<Position> sample_positions(std::uint64_t seed, std::size_t number) {
    Random random(seed);
    std::vector<Position> positions;
    while (positions.size() < number) {
        Game game = new_training_game(random);
        if (!is_over(game.position)) positions.push_back(game.position);
        while (positions.size() < number && advance(game, 1 + random.below(8), random))
            positions.push_back(game.position);
    }
    return positions;
}

Labeller::Labeller(const StockfishPool& pool, Mixture mixture, std::uint64_t seed,
                   std::span<const std::uint64_t> excluded)
    : pool_(pool),
      mixture_(mixture),
      random_(seed),
      excluded_(excluded.begin(), excluded.end()),
      recent_(kRecent),
      games_(kGames),
      next_number_(static_cast<std::uint16_t>(random_())) {
    for (Game& game : games_) {
        renew(game);
        // So that not all games begin together.
        if (mixture_ == Mixture::kTraining && !advance(game, random_.below(60), random_)) renew(game);
    }
}

std::vector<TrainingRecord> Labeller::run(std::size_t records) {
    while (records_.size() < records) {
        if (mixture_ == Mixture::kTraining) {
            training_round();
        } else {
            held_out_round();
        }
    }
    return std::exchange(records_, {});
}

void Labeller::renew(Game& game) {
    if (mixture_ == Mixture::kTraining) {
        do game = new_training_game(random_);
        while (is_over(game.position));
    } else {
        constexpr std::array<double, 3> kTemperatures = {0.02, 0.05, 0.1};
        game = {};
        game.position = chess::start_position();
        game.source = kSourceHeldOut;
        game.plies_left = kLongestGame;
        game.temperature = random_.one_of(kTemperatures);
    }
    game.number = next_number_++;
}

bool Labeller::is_new(const Position& position) {
    const std::uint64_t key = position.key();
    std::uint64_t& place = recent_[key % kRecent];
    return std::exchange(place, key) != key && !excluded_.contains(key);
}

void Labeller::keep(const Game& game, Source source, const Position& parent, Move move, UciScore score) {
    Position child = parent;
    child.play(move);
    if (!is_new(child)) return;
    const UciScore label = negated(score);
    const int size = label.mate ? kLabelLimit : std::abs(label.value);
    const auto flags = static_cast<std::uint16_t>(
        source | (label.mate ? kFlagMate : 0) |
        (pool_.options().depth > 1 || pool_.options().nodes > 0 ? kFlagDeeper : 0));
    records_.push_back(pack_record(child, label.value < 0 ? -size : size, flags, game.number));
}

Move Labeller::choose(const Game& game, std::span<const Move> moves, std::span<const float> values) {
    std::size_t best = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const double score = values[i] + game.temperature * random_.gumbel();
        if (score > highest) {
            highest = score;
            best = i;
        }
    }
    return moves[best];
}

void Labeller::training_round() {
    std::vector<Question> questions;
    std::vector<Game*> askers;
    for (Game& game : games_) {
        // Stockfish cannot be asked where a king can be captured; the game goes on without.
        while (is_over(game.position) || can_capture_king(game.position))
            if (!advance(game, 1, random_)) renew(game);
        std::vector<Move> moves = open_moves(game.position);
        if (game.source != kSourceSelfPlay) {
            draw_some(moves, kMostKept, random_);
            moves.resize(std::min(moves.size(), kMostKept));
        }
        questions.push_back({game.position, std::move(moves)});
        askers.push_back(&game);
    }
    const std::vector<Question> asked = questions;
    const auto answers = pool_.wait(pool_.submit(std::move(questions)));
    asked_ += asked.size();
    for (std::size_t i = 0; i < asked.size(); ++i) {
        Game& game = *askers[i];
        const auto& [position, moves] = asked[i];
        std::vector<std::size_t> order(moves.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        draw_some(order, kMostKept, random_);
        for (std::size_t k = 0; k < std::min(order.size(), kMostKept); ++k)
            keep(game, game.source, position, moves[order[k]], answers[i][order[k]]);
        if (game.source == kSourceSelfPlay && !moves.empty() && game.plies_left-- > 0 &&
            !random_.chance(game.blunders)) {
            std::vector<float> values;
            for (const UciScore score : answers[i]) values.push_back(squashed(score, pool_.tau()));
            game.position.play(choose(game, moves, values));
        } else if (!advance(game, game.source == kSourceSelfPlay ? 1 : 1 + random_.below(4), random_)) {
            renew(game);
        }
    }
}

void Labeller::held_out_round() {
    std::vector<MoveList> moves(games_.size());
    std::vector<std::vector<float>> values(games_.size());
    std::vector<Request> requests;
    for (std::size_t i = 0; i < games_.size(); ++i) {
        Game& game = games_[i];
        if (game.plies_left-- <= 0 || is_over(game.position)) renew(game);
        generate(game.position, moves[i]);
        values[i].resize(static_cast<std::size_t>(moves[i].size()));
        const auto size = static_cast<std::size_t>(moves[i].size());
        requests.push_back({shuffled_fog(game.position, random_), {moves[i].begin(), size}, values[i]});
    }
    pool_.values(requests);

    std::vector<Question> questions;
    std::vector<std::pair<Game*, Move>> askers;
    for (std::size_t i = 0; i < games_.size(); ++i) {
        Game& game = games_[i];
        const Move played = choose(game, {moves[i].begin(), values[i].size()}, values[i]);
        if (random_.chance(kHeldOutRate) && !can_capture_king(game.position)) {
            std::vector<Move> open = open_moves(game.position);
            draw_some(open, kHeldOutChildren, random_);
            open.resize(std::min(open.size(), kHeldOutChildren));
            if (!decided_value(game.position, played) && std::find(open.begin(), open.end(), played) == open.end())
                open.push_back(played);
            questions.push_back({game.position, std::move(open)});
            askers.emplace_back(&game, played);
        }
        game.position.play(played);
    }
    const std::vector<Question> asked = questions;
    const auto answers = pool_.wait(pool_.submit(std::move(questions)));
    asked_ += asked.size() + games_.size();
    for (std::size_t i = 0; i < asked.size(); ++i) {
        const auto& [game, played] = askers[i];
        for (std::size_t k = 0; k < asked[i].moves.size(); ++k) {
            const Move move = asked[i].moves[k];
            keep(*game, move == played ? kSourceHeldOut : kSourceHeldOutChild, asked[i].position, move, answers[i][k]);
        }
    }
}

}  // namespace murk::eval
