#include "eval/evaluator.h"

#include <algorithm>

#include "chess/movegen.h"
#include "eval/exchange.h"

namespace murk::eval {

using chess::Colour;
using chess::Move;
using chess::Position;
using chess::Square;

bool is_attacked(const Position& position, Square square, Colour by) {
    return is_attacked_by<chess::Magic>(position, square, by);
}

bool can_capture_king(const Position& position) {
    const chess::Bitboard king = position.pieces(~position.turn, chess::kKing);
    return king != 0 && is_attacked(position, chess::lowest(king), position.turn);
}

bool king_attacked(const Position& position) {
    const chess::Bitboard king = position.pieces(position.turn, chess::kKing);
    return king != 0 && is_attacked(position, chess::lowest(king), ~position.turn);
}

std::optional<float> decided_value(const Position& position, Move move, Position* child) {
    Position after = position;
    after.play(move);
    if (child != nullptr) *child = after;
    if (after.pieces(after.turn, chess::kKing) == 0) return 1.0f;
    if (can_capture_king(after)) return -1.0f;
    if (chess::count_moves(after) == 0) return 1.0f;
    return std::nullopt;
}

void Evaluator::values(std::span<const Request> requests) const {
    std::vector<Request> open;
    std::vector<Move> moves;
    std::vector<std::pair<const Request*, std::size_t>> places;  // where the value of each open move belongs
    open.reserve(requests.size());
    std::vector<std::size_t> sizes;
    for (const Request& request : requests) {
        const std::size_t before = moves.size();
        for (std::size_t i = 0; i < request.moves.size(); ++i) {
            if (const std::optional<float> value = decided_value(request.position, request.moves[i])) {
                request.values[i] = *value;
            } else {
                moves.push_back(request.moves[i]);
                places.emplace_back(&request, i);
            }
        }
        if (moves.size() > before) {
            open.push_back({request.position, {}, {}});
            sizes.push_back(moves.size() - before);
        }
    }
    std::vector<float> results(moves.size());
    std::size_t offset = 0;
    for (std::size_t i = 0; i < open.size(); offset += sizes[i++]) {
        open[i].moves = std::span<const Move>(moves).subspan(offset, sizes[i]);
        open[i].values = std::span<float>(results).subspan(offset, sizes[i]);
    }
    if (!open.empty()) open_values(open);
    for (std::size_t i = 0; i < results.size(); ++i)
        places[i].first->values[places[i].second] = std::clamp(results[i], -1.0f, 1.0f);
}

void Evaluator::values(const Position& position, std::span<const Move> moves, std::span<float> out) const {
    const Request request{position, moves, out};
    values(std::span<const Request>(&request, 1));
}

void Evaluator::undecided_values(const Position& position, std::span<const Move> moves, std::span<float> out) const {
    const Request request{position, moves, out};
    open_values(std::span<const Request>(&request, 1));
    for (float& value : out) value = std::clamp(value, -1.0f, 1.0f);
}

}  // namespace murk::eval
