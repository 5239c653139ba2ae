#include "eval/dataset.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "eval/embedded.h"
#include "eval/evaluator.h"
#include "eval/exchange.h"
#include "eval/trainer.h"

namespace murk::eval {

using chess::Position;

namespace {

// Calls work(part, begin, end) for each of `threads` equal parts of [0, size) on a thread of its own.
template <class Work>
void in_parts(std::size_t size, int threads, Work&& work) {
    const auto parts = static_cast<std::size_t>(std::max(threads, 1));
    std::vector<std::thread> helpers;
    for (std::size_t part = 1; part < parts; ++part)
        helpers.emplace_back([&, part] { work(part, size * part / parts, size * (part + 1) / parts); });
    work(std::size_t{0}, std::size_t{0}, size / parts);
    for (std::thread& helper : helpers) helper.join();
}

// With White to move, so that colours cannot matter.
Position seen_by_mover(const TrainingRecord& record) {
    const Position position = unpack_position(record);
    return position.turn == chess::kBlack ? position.mirror() : position;
}

}  // namespace

std::uint8_t traits_of(const Position& position) {
    std::uint8_t traits = 0;
    if (king_attacked(position)) traits |= kInCheck;
    if (chess::count(position.occupied()) <= 10) traits |= kFewPieces;
    if (can_capture_king(position)) return traits | kKingEnPrise;
    chess::MoveList moves;
    generate_captures(position, moves);
    bool wins = false;
    for (const chess::Move move : moves) {
        wins = wins || exchange_wins(position, move, 1);
        if (position.kind_at(move.to()) == chess::kQueen && exchange_wins(position, move, 1)) traits |= kHangingQueen;
    }
    if (!wins && (traits & kInCheck) == 0) traits |= kQuiet;
    return traits;
}

Predictions predict(std::span<const TrainingRecord> records, const Network& network, const QuiescenceLimits& limits,
                    int threads) {
    Predictions out;
    out.target.resize(records.size());
    out.static_value.resize(records.size());
    out.value.resize(records.size());
    out.traits.resize(records.size());
    std::atomic<std::uint64_t> nodes = 0;
    in_parts(records.size(), threads, [&](std::size_t, std::size_t begin, std::size_t end) {
        const auto search = std::make_unique<Quiescence>(network, limits);
        for (std::size_t i = begin; i < end; ++i) {
            const Position position = seen_by_mover(records[i]);
            out.target[i] = std::tanh(static_cast<float>(records[i].label) / kTau);
            out.static_value[i] = squash(network.value(position));
            search->set_parent(position);
            out.value[i] = squash(search->value_here());
            out.traits[i] = traits_of(position);
            nodes += static_cast<std::uint64_t>(search->visited());
        }
    });
    out.nodes = nodes;
    return out;
}

std::vector<TrainingRecord> resolve(std::span<const TrainingRecord> records, const Network& network,
                                    const QuiescenceLimits& limits, int threads) {
    std::vector<std::vector<TrainingRecord>> parts(static_cast<std::size_t>(std::max(threads, 1)));
    in_parts(records.size(), threads, [&](std::size_t part, std::size_t begin, std::size_t end) {
        const auto search = std::make_unique<Quiescence>(network, limits);
        parts[part].reserve(end - begin);
        for (std::size_t i = begin; i < end; ++i) {
            search->set_parent(seen_by_mover(records[i]));
            const int value = search->value_here();
            if (value >= kWonAtLeast || value <= -kWonAtLeast) continue;
            const int label = search->leaf_is_opponents() ? -records[i].label : records[i].label;
            parts[part].push_back(pack_record(search->leaf(), label, records[i].flags, records[i].game));
        }
    });
    std::vector<TrainingRecord> out = std::move(parts[0]);
    for (std::size_t part = 1; part < parts.size(); ++part)
        out.insert(out.end(), parts[part].begin(), parts[part].end());
    return out;
}

}  // namespace murk::eval
