// One side of a game of dark chess, played by the growing search from observations alone.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "search/growing/carry.h"
#include "search/growing/dark_chess.h"

namespace murk::growing {

struct PlayerOptions {
    SearchOptions search;
    bool carry = true;           // keep the tree from move to move
    bool carry_regrets = false;  // with its regrets, not only its strategies
    bool neighbours = true;      // 2-KLUSS; else only the states of our own infoset
    bool uniform_prior = false;  // of Resolve; else half by how likely the opponent was to go there
    bool gifts = true;
    bool draw_cap = true;          // what could be drawn is worth a draw at most
    std::size_t positions = 128;   // of our infoset, wanted in the tree
    std::size_t most_roots = 192;  // groups carried over, one for a state of our infoset; 0 carries all
    // To an opponent of middling strictness a position that is better for her by 1 / plausibility is e times as likely:
    // she has been trying to get there. 0 takes all alike.
    double plausibility = 5.0;
    bool remember = true;  // the value of each position, so that the evaluator is asked for it once
    bool average = true;   // choose by the average strategy since half time, else by the last
    // How much worse than others of the mixture a move may be if the opponent saw all; moves that are worse only bluff.
    double prudence = 0.3;
    bool purify = true;
    int mix = 3;  // most actions to mix over
};

struct Choice {
    chess::Move move;
    float probability;  // after purification
    float strategy;     // before
    float value;        // ours
    float seen;         // ours if the opponent saw all just after it
    bool stable;
};

struct Report {
    std::vector<Choice> choices;
    double value = 0.0;  // ours
    double resolve_weight = 0.0;
    std::vector<double> margins;
    std::int64_t iterations = 0;
    std::int32_t nodes = 0;           // expanded
    std::int64_t leaves = 0;          // positions valued
    std::int64_t carried_leaves = 0;  // of these, by earlier searches
    std::int32_t infosets = 0;
    std::int32_t carried = 0;
    std::int32_t roots = 0;
    std::int32_t depth = 0;
    GrowingSearch<DarkChess>::Seconds seconds;
};

class ChessPlayer {
  public:
    // `quick` values the many positions of our infoset of which some are chosen.
    ChessPlayer(std::shared_ptr<const eval::Evaluator> evaluator, std::shared_ptr<const eval::Evaluator> quick,
                chess::Colour colour, const PlayerOptions& options)
        : game_(std::move(evaluator), options.remember ? std::make_shared<eval::ValueCache>(kRemembered) : nullptr),
          quick_(std::move(quick)),
          us_(colour == chess::kWhite ? kMax : kMin),
          colour_(colour),
          options_(options),
          draws_(colour) {}

    // What we see, at the start and after every move; `own` is our move if it was ours.
    void observe(const chess::Observation& seen, chess::Move own);

    // States of our infoset that the tree already holds after the last observation.
    std::vector<chess::Position> begin();
    // Chooses a move. `samples` are further positions of our infoset, in random order; each stands for `stands_for`.
    Report search(const std::vector<chess::Position>& samples, double stands_for, const SearchLimits& limits,
                  const std::function<bool()>& stop);
    // What the last search found, or the running one has so far if it is asked from its `stop`.
    Report report() const;

  private:
    static constexpr int kRemembered = 19;  // 2^19 values, 8 MB

    // A position to be put into the tree: our value of it, and how likely it is, up to a factor that all have.
    struct Candidate {
        chess::Position position;
        double value;
        double weight;
    };

    std::vector<double> estimates(const std::vector<chess::Position>& positions) const;
    float best_value(const chess::Position& position) const;
    std::vector<double> likelihoods(const std::vector<double>& values, const std::vector<double>& stand_for) const;
    void weigh(std::vector<RootGroup<chess::Position>>& groups, const std::vector<double>& weights) const;
    std::vector<Choice> choices(std::int32_t infoset) const;
    void hold_out(std::int32_t infoset, std::vector<Choice>& choices) const;
    std::vector<double> seen_values(std::int32_t infoset) const;
    void be_prudent(std::vector<Choice>& choices) const;
    void purify(bool mixes, std::vector<Choice>& choices) const;
    std::vector<Candidate> choose(std::vector<Candidate> samples, std::size_t count) const;

    DarkChess game_;
    const std::shared_ptr<const eval::Evaluator> quick_;
    const int us_;
    const chess::Colour colour_;
    const PlayerOptions options_;
    Draws draws_;
    int feared_ = 0;  // when the tree was made
    Key before_ = 0;
    Key now_ = 0;
    double last_value_ = 1.0;
    std::uint64_t moves_ = 0;
    std::unique_ptr<Carry<DarkChess>> carry_;
    std::unique_ptr<GrowingSearch<DarkChess>> search_;
    std::int32_t carried_ = 0;
    std::int64_t carried_leaves_ = 0;
};

}  // namespace murk::growing
