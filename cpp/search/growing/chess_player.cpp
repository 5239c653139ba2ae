#include "search/growing/chess_player.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "eval/embedded.h"

namespace murk::growing {
namespace {

constexpr double kLost = -0.93;
constexpr float kSupport = 0.05f;  // of a strategy, to be taken seriously
constexpr double kSurprise = 0.1;  // how much less than what was expected counts
// How strictly opponents avoid what is good for us, in units of the plausibility, and how many do so.
constexpr std::array<std::pair<double, double>, 3> kOpponents = {{{4.0, 0.45}, {1.0, 0.42}, {0.2, 0.13}}};

}  // namespace

void ChessPlayer::observe(const chess::Observation& seen, chess::Move own) {
    before_ = now_;
    if (own) now_ = mix(now_, std::uint64_t{own.bits()} + 1);
    now_ = mix(now_, view_of(seen));
    draws_.observe(seen, own);
}

std::vector<chess::Position> ChessPlayer::begin() {
    carry_.reset();
    if (!search_ || !options_.carry) return {};
    // What the old tree took for a draw was none, or it did not know yet what could be one.
    if (options_.draw_cap && draws_.feared() != feared_) return {};
    carry_ = std::make_unique<Carry<DarkChess>>(*search_, before_, now_, options_.neighbours, options_.gifts);
    if (options_.most_roots > 0)
        carry_->merge(options_.most_roots, [](const chess::Position& position) { return position.key(); });
    return carry_->states();
}

// Our values of positions of ours before any move is chosen.
std::vector<double> ChessPlayer::estimates(const std::vector<chess::Position>& positions) const {
    const auto* const embedded = dynamic_cast<const eval::Embedded*>(quick_.get());
    std::vector<double> out;
    for (const chess::Position& position : positions) {
        const float value = embedded != nullptr ? embedded->value(position) : best_value(position);
        out.push_back(options_.search.expander.hurry > 0.0f ? hurried(value, 0.0f) : value);
    }
    return out;
}

float ChessPlayer::best_value(const chess::Position& position) const {
    const std::vector<chess::Move> moves = chess::legal_moves(position);
    std::vector<float> values(moves.size());
    quick_->values(position, moves, values);
    return *std::max_element(values.begin(), values.end());
}

// How likely each position is by our value of it, if each stands for so many others.
//
// The opponent avoids what is good for us, more or less strictly: she does not see all. What is far worse for us than
// we thought is not likelier for that, or a few such positions would outweigh all others. Measured, see
// benchmarks/plausibility.py.
std::vector<double> ChessPlayer::likelihoods(const std::vector<double>& values,
                                             const std::vector<double>& stand_for) const {
    if (options_.plausibility <= 0.0) return std::vector<double>(values.size(), 1.0);
    const double floor = last_value_ - kSurprise;
    double least = 1.0;
    for (const double value : values) least = std::min(least, std::max(value, floor));
    std::vector<double> out(values.size(), 0.0), likely(values.size());
    for (const auto& [strictness, share] : kOpponents) {
        double total = 0.0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            likely[i] = std::exp(-strictness * options_.plausibility * (std::max(values[i], floor) - least));
            total += stand_for[i] * likely[i];
        }
        for (std::size_t i = 0; i < values.size(); ++i) out[i] += share * likely[i] / total;
    }
    return out;
}

// Some of the samples, the likelier rather than others. What is left out is made up for by those that are not.
std::vector<ChessPlayer::Candidate> ChessPlayer::choose(std::vector<Candidate> samples, std::size_t count) const {
    if (options_.plausibility <= 0.0) samples.resize(std::min(count, samples.size()));
    if (samples.size() <= count) return samples;
    // Draws without replacement: the largest of log likelihood + Gumbel noise. Given the first that is not drawn, each
    // of the others was to be drawn with a known probability, by which its weight is divided.
    Random random(options_.search.seed + 0x2545f4914f6cdd1d * (moves_ + 1));
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double noise = -std::log(-std::log((random.uniform() + 0x1p-26) * (1.0 - 0x1p-24)));
        order.emplace_back(-std::log(samples[i].weight) - noise, i);
    }
    std::sort(order.begin(), order.end());
    std::vector<Candidate> out;
    for (std::size_t n = 0; n < count; ++n) {
        out.push_back(samples[order[n].second]);
        out.back().weight /= -std::expm1(-out.back().weight * std::exp(order[count].first));
    }
    return out;
}

// The prior of each group: half by how likely the last profile is to get there, half by how likely its positions are.
void ChessPlayer::weigh(std::vector<RootGroup<chess::Position>>& groups, const std::vector<double>& weights) const {
    double reach = 0.0, total = 0.0;
    for (const auto& group : groups) reach += group.prior;
    for (const double weight : weights) total += weight;
    for (std::size_t j = 0; j < groups.size(); ++j) {
        const double share = weights[j] / total;
        groups[j].prior = reach > 0.0 ? 0.5 * (groups[j].prior / reach + share) : share;
        if (options_.uniform_prior) groups[j].prior = 1.0 / static_cast<double>(groups.size());
    }
}

Report ChessPlayer::search(const std::vector<chess::Position>& samples, double stands_for, const SearchLimits& limits,
                           const std::function<bool()>& stop) {
    const auto begin = std::chrono::steady_clock::now();
    const double sign = us_ == kMax ? 1.0 : -1.0;
    std::vector<RootGroup<chess::Position>> groups;
    std::vector<chess::Position> positions;  // of ours: those that the tree holds already, then the samples
    std::vector<std::size_t> group_of;
    std::unordered_set<Key> held;
    if (carry_) {
        groups = carry_->groups();
        for (std::size_t j = 0; j < groups.size(); ++j)
            for (const auto& root : groups[j].states)
                if (root.keys[us_] == now_ && held.insert(root.state.key()).second) {
                    positions.push_back(root.state);
                    group_of.push_back(j);
                }
    }
    positions.insert(positions.end(), samples.begin(), samples.end());
    std::vector<double> stand_for(group_of.size(), 1.0);
    stand_for.resize(positions.size(), stands_for);
    const std::vector<double> values = estimates(positions);
    const std::vector<double> likely = likelihoods(values, stand_for);
    std::vector<double> weights(groups.size(), 0.0);
    for (std::size_t i = 0; i < group_of.size(); ++i) weights[group_of[i]] += likely[i];
    std::vector<Candidate> candidates;
    for (std::size_t i = 0, at = group_of.size(); i < samples.size(); ++i, ++at)
        candidates.push_back({samples[i], values[at], stands_for * likely[at]});
    for (const Candidate& candidate :
         choose(std::move(candidates), options_.positions - std::min(held.size(), options_.positions))) {
        RootGroup<chess::Position> group;
        // The opponent is taken to know the whole position.
        group.states.push_back({candidate.position, {}, {kNone, kNone}});
        group.states[0].keys[us_] = now_;
        group.states[0].keys[1 - us_] = mix(mix(0x6d75726b, candidate.position.key()), moves_);
        group.chance = {1.0};
        group.value = {sign * candidate.value};
        group.alternate = std::min(candidate.value, last_value_);
        group.prior = 0.0;
        groups.push_back(std::move(group));
        weights.push_back(candidate.weight);
    }
    if (groups.empty()) return {};
    weigh(groups, weights);
    SearchOptions options = options_.search;
    if (groups.size() == 1) options.gadget = Gadget::kNone;
    options.seed += 0x9e3779b97f4a7c15 * ++moves_;
    feared_ = draws_.feared();
    game_.fear(colour_, options_.draw_cap && feared_ > 0 ? std::make_shared<const Draws>(draws_) : nullptr);
    auto next = std::make_unique<GrowingSearch<DarkChess>>(game_, us_, options, std::move(groups));
    if (carry_) next->adopt(search_->tree(), carry_->origins(), options_.carry_regrets);
    carry_.reset();
    search_ = std::move(next);
    carried_ = search_->tree().published().nodes;
    carried_leaves_ = 0;
    for (std::int32_t i = 0; i < carried_; ++i) carried_leaves_ += search_->tree().links[i].actions;
    search_->watch_key(now_);
    SearchLimits left = limits;
    left.seconds -= std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    search_->run(left, stop);
    Report result = report();
    last_value_ = result.value;
    return result;
}

Report ChessPlayer::report() const {
    if (!search_) return {};
    const GrowingTree<chess::Position>& tree = search_->tree();
    const auto size = tree.published();
    Report out;
    out.value = search_->solver().value();
    out.resolve_weight = search_->gadget().resolve_weight();
    out.margins = search_->gadget().margin();
    out.iterations = search_->solver().iterations();
    out.nodes = size.nodes;
    out.infosets = size.infosets;
    out.carried = carried_;
    out.carried_leaves = carried_leaves_;
    out.seconds = search_->seconds();
    out.roots = static_cast<std::int32_t>(search_->gadget().size());
    for (std::int32_t i = 0; i < size.nodes; ++i) {
        out.leaves += tree.links[i].actions;
        out.depth = std::max<std::int32_t>(out.depth, tree.links[i].depth);
    }
    const std::int32_t infoset = search_->find(us_, now_);
    if (infoset == kNone || infoset >= size.infosets) return out;
    out.choices = choices(infoset);
    // What the opponent's other infosets are worth is the gadget's business; this is the value of ours.
    out.value = 0.0;
    for (const Choice& choice : out.choices) out.value += choice.strategy * choice.value;
    if (out.value < kLost) hold_out(infoset, out.choices);
    std::stable_sort(out.choices.begin(), out.choices.end(),
                     [](const Choice& a, const Choice& b) { return a.strategy > b.strategy; });
    // Without a gadget the subgame is the game, and its mixture safe.
    const bool mixes = out.resolve_weight < 0.5 || search_->gadget().gadget() == Gadget::kNone;
    be_prudent(out.choices);
    if (options_.purify) purify(mixes, out.choices);
    return out;
}

std::vector<Choice> ChessPlayer::choices(std::int32_t infoset) const {
    const GrowingTree<chess::Position>& tree = search_->tree();
    const InfosetEntry& entry = tree.infosets[infoset];
    const std::vector<std::uint8_t>& stable = search_->solver().stable();
    const std::vector<double>& average = search_->solver().average();
    const double iterations = std::accumulate(average.begin(), average.end(), 0.0);
    const std::vector<double> seen = seen_values(infoset);
    std::vector<Choice> out;
    for (std::int32_t a = 0; a < entry.actions; ++a) {
        const std::int32_t at = entry.first + a;
        const auto i = static_cast<std::size_t>(a);
        const float p =
            options_.average && iterations > 0.0 ? static_cast<float>(average[i] / iterations) : tree.strategy[at];
        out.push_back({chess::Move::from_bits(static_cast<std::uint16_t>(tree.label[at])), p, p, tree.shown_value[at],
                       static_cast<float>(seen[i]), stable.size() > i && stable[i] != 0});
    }
    return out;
}

// What each of our moves is worth if the opponent saw the whole board at her next move, over the positions by the
// prior.
std::vector<double> ChessPlayer::seen_values(std::int32_t infoset) const {
    const GrowingTree<chess::Position>& tree = search_->tree();
    const std::vector<double>& prior = search_->gadget().prior();
    const std::int32_t nodes = tree.published().nodes;
    const double sign = us_ == kMax ? 1.0 : -1.0;
    std::vector<double> out(static_cast<std::size_t>(tree.infosets[infoset].actions), 0.0);
    double total = 0.0;
    for (std::int32_t i = 0; i < nodes; ++i) {
        const Link& link = tree.links[i];
        if (link.infoset != infoset) continue;
        const Link& root = tree.links[link.parent];
        const double weight = prior[link.parent] * tree.strategy[root.first + link.entry - root.row];
        total += weight;
        for (std::int32_t a = 0; a < link.actions; ++a) {
            double value = sign * tree.value[link.row + a];
            const std::int32_t child = relaxed(tree.child[link.row + a]);  // expanders may be at work
            if (child >= 0 && child < nodes && tree.links[child].player == 1 - us_) {
                const Link& reply = tree.links[child];
                for (std::int32_t b = 0; b < reply.actions; ++b)
                    value = std::min<double>(value, sign * tree.value[reply.row + b]);
            }
            out[static_cast<std::size_t>(a)] += weight * value;
        }
    }
    for (double& value : out) value = total > 0.0 ? value / total : 0.0;
    return out;
}

// Leaves out moves that are much worse than others if the opponent sees through them. To mix them in may be worth as
// much against one who reckons with it, and costs a piece against one who just takes it.
void ChessPlayer::be_prudent(std::vector<Choice>& choices) const {
    float best = -2.0f, left = 0.0f;
    for (const Choice& choice : choices)
        if (choice.strategy >= kSupport) best = std::max(best, choice.seen);
    const auto sound = [&](const Choice& choice) { return choice.seen >= best - options_.prudence; };
    const auto end = std::stable_partition(choices.begin(), choices.end(), sound);
    for (auto choice = choices.begin(); choice != end; ++choice) left += choice->strategy;
    if (!(left > 0.0f)) return;
    for (auto choice = choices.begin(); choice != choices.end(); ++choice)
        choice->probability = choice < end ? choice->strategy / left : 0.0f;
}

// When all is lost to one who sees it: only moves that leave the king to be taken at once in the fewest positions.
void ChessPlayer::hold_out(std::int32_t infoset, std::vector<Choice>& choices) const {
    const GrowingTree<chess::Position>& tree = search_->tree();
    std::vector<int> lost(choices.size(), 0);
    for (std::int32_t i = 0; i < tree.published().nodes; ++i) {
        if (tree.links[i].infoset != infoset) continue;
        for (std::size_t a = 0; a < choices.size(); ++a) {
            chess::Position after = tree.nodes[i].state;
            after.play(choices[a].move);
            lost[a] += !after.king_captured() && eval::can_capture_king(after);
        }
    }
    const int fewest = *std::min_element(lost.begin(), lost.end());
    float left = 0.0f;
    for (std::size_t a = 0; a < choices.size(); ++a) {
        if (lost[a] > fewest) choices[a].strategy = choices[a].probability = 0.0f;
        left += choices[a].strategy;
    }
    std::size_t best = choices.size();
    for (std::size_t a = 0; a < choices.size(); ++a) {
        if (left > 0.0f) choices[a].strategy = choices[a].probability = choices[a].strategy / left;
        if (lost[a] == fewest && (best == choices.size() || choices[a].value > choices[best].value)) best = a;
    }
    if (!(left > 0.0f)) choices[best].strategy = choices[best].probability = 1.0f;
}

// The top action, and if it mixes a few more that are stable. What the others had goes to the top.
void ChessPlayer::purify(bool mixes, std::vector<Choice>& choices) const {
    float moved = 0.0f;
    for (std::size_t i = 1; i < choices.size(); ++i) {
        if (mixes && static_cast<int>(i) < options_.mix && choices[i].stable) continue;
        moved += choices[i].probability;
        choices[i].probability = 0.0f;
    }
    if (!choices.empty()) choices[0].probability += moved;
}

}  // namespace murk::growing
