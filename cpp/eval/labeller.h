// Makes training data: plays many games at once, asks Stockfish about positions in them, and keeps what it says.
//
// What is labelled are children: one search of a position scores all its moves, and a search of the game tree
// evaluates all children of a node, sensible or not. The children of one position are much alike, so only some of
// them are kept. Two mixtures of games exist, which share neither players nor code to choose moves, so that one can be
// held out as a test of what was learnt from the other.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "eval/fog_play.h"
#include "eval/random.h"
#include "eval/stockfish_pool.h"
#include "eval/training_data.h"
#include "eval/weak_player.h"

namespace murk::eval {

// Of the held-out positions: those that were played, and other children of a position in the game.
constexpr Source kSourceHeldOutChild = static_cast<Source>(kSourceHeldOut + 1);

enum class Mixture {
    // Games of weak players, random games, set-up positions, and games whose moves Stockfish's own scores choose, with
    // open eyes or over a few boards of a player's belief.
    kTraining,
    // Games in the fog: each player imagines one board that agrees with what it sees and plays what Stockfish likes
    // there. Kept are the positions of the games and a few children.
    kHeldOut,
};

// One game of the kind that `Labeller` plays many of.
struct Game {
    chess::Position position;
    Source source = kSourceUnknown;
    std::uint16_t number = 0;
    int plies_left = 0;
    std::array<Style, 2> styles;
    // Of the choice by scores, in units of value; used if `source` is kSourceSelfPlay, kSourceFogPlay or
    // kSourceHeldOut.
    double temperature = 0;
    double blunders = 0;                  // how often a weak move is played instead
    std::shared_ptr<FogBeliefs> beliefs;  // if `source` is kSourceFogPlay
};

Game new_training_game(Source source, Random& random);
// Plays some moves of the game's weak players. False if the game is over.
bool advance(Game& game, int plies, Random& random);

// Positions of training games (but of none that scores are needed for), without labels.
std::vector<chess::Position> sample_positions(std::uint64_t seed, std::size_t number);

class Labeller {
  public:
    // Records of positions whose keys are in `excluded` are left out.
    Labeller(const StockfishPool& pool, Mixture mixture, std::uint64_t seed, std::span<const std::uint64_t> excluded);

    // Plays on until there are at least `records` more, and returns them.
    std::vector<TrainingRecord> run(std::size_t records);

    std::uint64_t positions() const { return asked_; }  // that Stockfish was asked about

  private:
    void training_round();
    void go_on(Game& game, std::span<const Question> asked, std::span<const std::vector<UciScore>> answers);
    chess::Move choose_in_fog(const Game& game, std::span<const Question> asked,
                              std::span<const std::vector<UciScore>> answers);
    void held_out_round();
    void renew(Game& game);
    bool is_new(const chess::Position& position);
    void keep(const Game& game, Source source, const chess::Position& parent, chess::Move move, UciScore score);
    chess::Move choose(const Game& game, std::span<const chess::Move> moves, std::span<const float> values);

    const StockfishPool& pool_;
    Mixture mixture_;
    Random random_;
    std::unordered_set<std::uint64_t> excluded_;
    std::vector<std::uint64_t> recent_;  // keys of records, each at its place: a cheap memory of what was there before
    std::vector<Game> games_;
    std::vector<TrainingRecord> records_;
    std::uint64_t asked_ = 0;
    std::uint16_t next_number_;
};

}  // namespace murk::eval
