#include "search/chess_game.h"

#include <algorithm>

#include "chess/movegen.h"

namespace murk::search {
namespace {

using chess::Colour;
using chess::Move;
using chess::MoveList;
using chess::Position;

constexpr Key kAlone = 0x6a09e667f3bcc908;  // marks an opponent's infoset of which only the position is known
constexpr Key kView = 0xbb67ae8584caa73b;
constexpr std::size_t kBatch = 16;  // positions that are evaluated at once
constexpr float kForcing = 4.0f;    // captures, checks and promotions come before everything else

bool is_pawn_move_seen(const Position& before, Move move, const chess::Observation& after) {
    return before.kind_at(move.from()) == chess::kPawn &&
           (before.turn == after.colour || (after.visible & chess::bit(move.to())) != 0);
}

std::vector<Move> moves_of(const Position& position) {
    MoveList list;
    generate(position, list);
    std::vector<Move> moves;
    for (const Move move : list) moves.push_back(move);
    return moves;
}

}  // namespace

Key view_key(const chess::Observation& view) {
    Key key = mix(kView, view.visible);
    for (const chess::Bitboard board : view.own) key = mix(key, board);
    for (const chess::Bitboard board : view.seen) key = mix(key, board);
    Key rest = 0;
    for (const std::uint8_t value : {static_cast<std::uint8_t>(view.colour), static_cast<std::uint8_t>(view.turn),
                                     view.castling, view.en_passant, view.winner})
        rest = rest << 8 | value;
    return mix(key, rest);
}

ChessGame::ChessGame(Colour we, std::shared_ptr<const eval::Evaluator> evaluator, const ChessOptions& options)
    : we_(we), evaluator_(std::move(evaluator)), options_(options) {}

void ChessGame::set_history(const std::vector<Key>& views, int quiet_plies) {
    seen_.clear();
    for (const Key view : views) ++seen_[view];
    quiet_plies_ = quiet_plies;
}

Seed ChessGame::add_position(const Position& position, Key ours) {
    std::vector<Seed> seeds;
    add_batch({&position, 1}, ours, seeds);
    return seeds.front();
}

std::vector<Seed> ChessGame::add_positions(std::span<const Position> positions, Key ours,
                                           std::chrono::steady_clock::time_point deadline) {
    using std::chrono::steady_clock;
    std::vector<Seed> seeds;
    steady_clock::duration each{0};  // the most that a position has taken so far
    for (std::size_t size = 1; seeds.size() < positions.size(); size = kBatch) {
        size = std::min(size, positions.size() - seeds.size());
        const auto before = steady_clock::now();
        if (!seeds.empty() && deadline - before <= each * static_cast<std::int64_t>(size)) break;
        add_batch(positions.subspan(seeds.size(), size), ours, seeds);
        each = std::max(each, (steady_clock::now() - before) / static_cast<std::int64_t>(size));
    }
    return seeds;
}

void ChessGame::add_batch(std::span<const Position> positions, Key ours, std::vector<Seed>& out) {
    std::vector<std::vector<Move>> moves;
    std::vector<std::vector<float>> values;
    for (const Position& position : positions) {
        moves.push_back(moves_of(position));
        values.emplace_back(moves.back().size());
        evaluations_ += moves.back().size();
    }
    std::vector<eval::Request> requests;
    for (std::size_t i = 0; i < positions.size(); ++i) requests.push_back({positions[i], moves[i], values[i]});
    evaluator_->values(requests);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Position& position = positions[i];
        const auto id = static_cast<StateId>(states_.size());
        State state;
        state.position = position;
        state.view = view_key(chess::observe(position, we_));
        state.quiet = static_cast<std::int16_t>(quiet_plies_);
        states_.push_back(state);
        const float best = *std::max_element(values[i].begin(), values[i].end());
        known_[id] = std::move(values[i]);
        out.push_back({id, {ours, mix(kAlone, position.key())}, position.turn == we_ ? best : -best});
    }
}

bool ChessGame::could_be_drawn(const State& state) const {
    if (!options_.draw_cap) return false;
    if (state.quiet >= options_.fifty_moves) return true;
    const auto before = seen_.find(state.view);
    int times = 1 + (before == seen_.end() ? 0 : before->second);
    for (StateId up = state.parent; up != kNone && states_[up].parent != kNone; up = states_[up].parent)
        times += states_[up].view == state.view ? 1 : 0;
    return times >= options_.repetitions;
}

void ChessGame::expand(StateId id, const Keys& keys, Children& out) {
    const State from = states_[id];
    const Position& position = from.position;
    const bool ours = position.turn == we_;
    out.player = ours ? kMax : kMin;
    const std::vector<Move> moves = moves_of(position);
    std::vector<float> values;
    if (const auto known = known_.find(id); known != known_.end()) {
        values = std::move(known->second);
        known_.erase(known);
    } else {
        values.resize(moves.size());
        evaluator_->values(position, moves, values);
        evaluations_ += values.size();
    }
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const Move move = moves[i];
        const bool capture = chess::captured_square(position, move) != chess::kNoSquare;
        State child{position, 0, id, 0, from.drawish};
        child.position.play(move);
        const chess::Observation view = chess::observe(child.position, we_);
        const chess::Observation theirs = chess::observe(child.position, ~we_);
        child.view = view_key(view);
        child.quiet =
            capture || is_pawn_move_seen(position, move, view) ? 0 : static_cast<std::int16_t>(from.quiet + 1);
        child.drawish = child.drawish || could_be_drawn(child);
        const bool over = view.winner != chess::kNobody;
        double value = ours ? values[i] : -values[i];
        if (child.drawish) value = std::min(value, 0.0);
        const bool forcing =
            capture || move.promotion() != chess::kPawn || (!over && eval::king_attacked(child.position));
        out.action.push_back(move.bits());
        out.value.push_back(value);
        out.interest.push_back(values[i] + (forcing ? kForcing : 0.0f));
        out.key[kMax].push_back(next_key(keys[kMax], ours, move.bits(), child.view));
        out.key[kMin].push_back(next_key(keys[kMin], !ours, move.bits(), view_key(theirs)));
        if (over) {
            out.state.push_back(kNone);
        } else {
            out.state.push_back(static_cast<StateId>(states_.size()));
            states_.push_back(child);
        }
    }
}

void ChessGame::keep(std::span<const StateId> states) {
    std::vector<StateId> number(states_.size(), kNone);
    for (std::size_t i = 0; i < states.size(); ++i) number[states[i]] = static_cast<StateId>(i);
    std::vector<State> kept;
    kept.reserve(states.size());
    for (const StateId id : states) {
        kept.push_back(states_[id]);
        State& state = kept.back();
        state.parent = state.parent == kNone ? kNone : number[state.parent];
    }
    states_ = std::move(kept);
    std::unordered_map<StateId, std::vector<float>> known;
    for (auto& [id, values] : known_)
        if (number[id] != kNone) known[number[id]] = std::move(values);
    known_ = std::move(known);
}

}  // namespace murk::search
