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
// What part of the games is of which kind. Those in the fog ask about several positions at a time, the others about
// one.
constexpr std::array<std::pair<Source, double>, 7> kShares = {{{kSourceSelfPlay, 0.36},
                                                               {kSourceFogPlay, 0.20},
                                                               {kSourceSemiRandomPlay, 0.14},
                                                               {kSourceRandomPlay, 0.04},
                                                               {kSourceEndgame, 0.14},
                                                               {kSourceInCheck, 0.07},
                                                               {kSourceAbsurd, 0.05}}};
constexpr std::size_t kImagined = 3;  // boards of a belief over which a move is chosen
// Of the games in the fog: how often a position is kept, and how many of its children beside the one that was played.
constexpr double kHeldOutRate = 0.7;
constexpr std::size_t kHeldOutChildren = 1;
// A game whose outcome is clear to anyone who sees the board is soon given up: won positions would be most of all.
constexpr int kClear = 800;  // centipawns
constexpr double kGivenUp = 0.3;

// Those that the rules do not decide.
std::vector<Move> open_moves(const Position& position) {
    std::vector<Move> moves = legal_moves(position);
    std::erase_if(moves, [&](Move move) { return decided_value(position, move).has_value(); });
    return moves;
}

// Has the side that plays `move` won or lost by it, to one who sees the board?
bool is_clear(Move move, const Question& asked, const std::vector<UciScore>& scores) {
    const auto at =
        static_cast<std::size_t>(std::find(asked.moves.begin(), asked.moves.end(), move) - asked.moves.begin());
    return at < scores.size() && (scores[at].mate || std::abs(scores[at].value) > kClear);
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
        case kSourceFogPlay: {
            constexpr std::array<double, 3> kTemperatures = {0.01, 0.03, 0.1};
            constexpr std::array<double, 3> kBlunders = {0, 0, 0.1};
            Game game = started(source, chess::start_position(), 200, random);
            game.temperature = random.one_of(kTemperatures);
            game.blunders = random.one_of(kBlunders);
            game.beliefs = std::make_shared<FogBeliefs>(game.position);
            for (int left = 2 + random.below(8); left > 0; --left) {
                const Position before = game.position;
                const Move move = weak_move(before, game.styles[before.turn], random);
                game.position.play(move);
                if (is_over(game.position)) break;
                game.beliefs->follow(before, move, random);
            }
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
        if (mixture_ == Mixture::kTraining && !game.beliefs && !advance(game, random_.below(60), random_)) renew(game);
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
    std::vector<std::size_t> first;  // question of each game
    for (Game& game : games_) {
        // Stockfish cannot be asked where a king can be captured; the game goes on without.
        while (is_over(game.position) || can_capture_king(game.position))
            if (game.beliefs || !advance(game, 1, random_)) renew(game);
        first.push_back(questions.size());
        std::vector<Position> positions = {game.position};
        if (game.beliefs)
            for (const Position& imagined : game.beliefs->imagine(game.position.turn, kImagined, random_))
                if (!can_capture_king(imagined)) positions.push_back(imagined);
        for (const Position& position : positions) {
            std::vector<Move> moves = open_moves(position);
            if (game.source != kSourceSelfPlay && game.source != kSourceFogPlay) {
                draw_some(moves, kMostKept, random_);
                moves.resize(std::min(moves.size(), kMostKept));
            }
            questions.push_back({position, std::move(moves)});
        }
    }
    first.push_back(questions.size());
    const std::vector<Question> asked = questions;
    const auto answers = pool_.wait(pool_.submit(std::move(questions)));
    asked_ += asked.size();
    for (std::size_t i = 0; i < games_.size(); ++i) {
        for (std::size_t q = first[i]; q < first[i + 1]; ++q) {
            const auto& [position, moves] = asked[q];
            std::vector<std::size_t> order(moves.size());
            std::iota(order.begin(), order.end(), std::size_t{0});
            draw_some(order, kMostKept, random_);
            for (std::size_t k = 0; k < std::min(order.size(), kMostKept); ++k)
                keep(games_[i], games_[i].source, position, moves[order[k]], answers[q][order[k]]);
        }
        const std::size_t count = first[i + 1] - first[i];
        go_on(games_[i], std::span(asked).subspan(first[i], count), std::span(answers).subspan(first[i], count));
    }
}

// Plays the next move of a game, of whose position (first) and what else was asked Stockfish has given scores.
void Labeller::go_on(Game& game, std::span<const Question> asked, std::span<const std::vector<UciScore>> answers) {
    if (game.source == kSourceFogPlay) {
        const Move move = random_.chance(game.blunders)
                              ? weak_move(game.position, game.styles[game.position.turn], random_)
                              : choose_in_fog(game, asked, answers);
        if (is_clear(move, asked[0], answers[0]) && random_.chance(kGivenUp)) return renew(game);
        const Position before = game.position;
        game.position.play(move);
        if (game.plies_left-- <= 0 || is_over(game.position)) return renew(game);
        game.beliefs->follow(before, move, random_);
    } else if (game.source == kSourceSelfPlay && !asked[0].moves.empty() && game.plies_left-- > 0 &&
               !random_.chance(game.blunders)) {
        std::vector<float> values;
        for (const UciScore score : answers[0]) values.push_back(squashed(score, pool_.tau()));
        game.position.play(choose(game, asked[0].moves, values));
    } else if (!advance(game, game.source == kSourceSelfPlay ? 1 : 1 + random_.below(4), random_)) {
        renew(game);
    }
}

// By the mean value over the boards that were imagined; if none could be asked about, by the true one.
Move Labeller::choose_in_fog(const Game& game, std::span<const Question> asked,
                             std::span<const std::vector<UciScore>> answers) {
    const std::vector<Move> moves = legal_moves(game.position);
    std::vector<float> values(moves.size(), 0.0f);
    for (std::size_t q = asked.size() > 1 ? 1 : 0; q < asked.size(); ++q)
        for (std::size_t m = 0; m < moves.size(); ++m) {
            const auto& [position, open] = asked[q];
            const auto at = static_cast<std::size_t>(std::find(open.begin(), open.end(), moves[m]) - open.begin());
            values[m] += at < open.size() ? squashed(answers[q][at], pool_.tau())
                                          : decided_value(position, moves[m]).value_or(0.0f);
        }
    const auto boards = static_cast<float>(std::max<std::size_t>(1, asked.size() - 1));
    for (float& value : values) value /= boards;
    return choose(game, moves, values);
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
            if (move == played && is_clear(move, asked[i], answers[i]) && random_.chance(kGivenUp))
                game->plies_left = 0;
            keep(*game, move == played ? kSourceHeldOut : kSourceHeldOutChild, asked[i].position, move, answers[i][k]);
        }
    }
}

}  // namespace murk::eval
