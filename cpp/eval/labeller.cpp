#include "eval/labeller.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
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
// What part of the positions that are asked about comes from where.
constexpr std::array<std::pair<Source, double>, 6> kShares = {{{kSourceSelfPlay, 0.58},
                                                               {kSourceSemiRandomPlay, 0.18},
                                                               {kSourceRandomPlay, 0.04},
                                                               {kSourceEndgame, 0.12},
                                                               {kSourceInCheck, 0.05},
                                                               {kSourceAbsurd, 0.03}}};
// Of the games in the fog: how often a position is kept, and how many of its children beside the one that was played.
constexpr double kHeldOutRate = 0.7;
constexpr std::size_t kHeldOutChildren = 1;
// A game whose outcome is clear to anyone who sees the board is soon given up: won positions would be most of all.
constexpr int kClear = 800;  // centipawns
constexpr double kGivenUp = 0.3;

bool is_over(const Position& position) { return position.king_captured() || chess::count_moves(position) == 0; }

std::vector<Move> legal_moves(const Position& position) {
    MoveList moves;
    generate(position, moves);
    std::vector<Move> listed;
    for (const Move move : moves) listed.push_back(move);
    return listed;
}

// Those that the rules do not decide.
std::vector<Move> open_moves(const Position& position) {
    std::vector<Move> moves = legal_moves(position);
    std::erase_if(moves, [&](Move move) { return decided_value(position, move).has_value(); });
    return moves;
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

Game new_training_game(Source source, Random& random) {
    switch (source) {
        case kSourceAbsurd:
            return started(source, random_material(random), random.below(8), random);
        case kSourceEndgame:
            return started(source, random_endgame(random), random.below(30), random);
        case kSourceInCheck:
            return game_with_check(random);
        case kSourceRandomPlay: {
            Game game = started(source, chess::start_position(), 20 + random.below(100), random);
            for (Style& style : game.styles) style.noise = std::numeric_limits<double>::infinity();
            return game;
        }
        case kSourceSelfPlay: {
            constexpr std::array<double, 4> kTemperatures = {0.01, 0.03, 0.08, 0.2};
            constexpr std::array<double, 3> kBlunders = {0, 0.05, 0.2};
            const bool endgame = random.chance(0.1);
            Game game = started(source, endgame ? random_endgame(random) : chess::start_position(), 160, random);
            game.temperature = random.one_of(kTemperatures);
            game.blunders = random.one_of(kBlunders);
            if (!endgame) advance(game, random.below(12), random);
            return game;
        }
        default:
            return started(kSourceSemiRandomPlay, chess::start_position(), kLongestGame, random);
    }
}

Source random_source(Random& random) {
    double left = random.uniform();
    for (const auto& [source, share] : kShares)
        if ((left -= share) < 0) return source;
    return kSourceSemiRandomPlay;
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
        Game game = new_training_game(random_source(random), random);
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
    // Each source has its games: a share of what is begun would be another share of what is asked about, since games
    // differ in length. They are interleaved, so that the beginning of a round is a fair sample too.
    double share = 0;
    std::size_t i = 0;
    for (const auto& [source, part] : kShares)
        for (share += part; i < kGames && static_cast<double>(i) < share * kGames; ++i)
            games_[i * 37 % kGames].source = source;
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
        const Source source = game.source;
        do game = new_training_game(source, random_);
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
    const auto flags =
        static_cast<std::uint16_t>(source | (label.mate ? kFlagMate : 0) |
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
    std::vector<std::vector<Move>> moves(games_.size());
    std::vector<std::vector<float>> values(games_.size());
    std::vector<Request> requests;
    for (std::size_t i = 0; i < games_.size(); ++i) {
        Game& game = games_[i];
        if (game.plies_left-- <= 0 || is_over(game.position)) renew(game);
        moves[i] = legal_moves(game.position);
        values[i].resize(moves[i].size());
        requests.push_back({shuffled_fog(game.position, random_), moves[i], values[i]});
    }
    pool_.values(requests);

    std::vector<Question> questions;
    std::vector<std::pair<Game*, Move>> askers;
    for (std::size_t i = 0; i < games_.size(); ++i) {
        Game& game = games_[i];
        const Move played = choose(game, moves[i], values[i]);
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
            if (move == played && (answers[i][k].mate || std::abs(answers[i][k].value) > kClear) &&
                random_.chance(kGivenUp))
                game->plies_left = 0;
            keep(*game, move == played ? kSourceHeldOut : kSourceHeldOutChild, asked[i].position, move, answers[i][k]);
        }
    }
}

}  // namespace murk::eval
