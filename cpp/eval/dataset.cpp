#include "eval/dataset.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <memory>
#include <thread>

#include "eval/embedded.h"
#include "eval/evaluator.h"
#include "eval/exchange.h"
#include "eval/trainer.h"

namespace murk::eval {

using chess::Position;

namespace {

// Splits [0, size) among threads: each calls make_worker(part) for a function of its own, and that for every index of
// its part. `poll` is called on the calling thread now and then; what it throws ends all of them.
template <class MakeWorker>
void in_parts(std::size_t size, int threads, Poll poll, MakeWorker&& make_worker) {
    constexpr std::size_t kAtOnce = 1024;
    const auto parts = static_cast<std::size_t>(std::max(threads, 1));
    std::atomic<bool> stop = false;
    const auto run = [&](std::size_t part) {
        auto work = make_worker(part);
        const std::size_t end = size * (part + 1) / parts;
        for (std::size_t begin = size * part / parts; begin < end && !stop; begin += kAtOnce) {
            for (std::size_t i = begin; i < std::min(begin + kAtOnce, end); ++i) work(i);
            if (part == 0 && poll != nullptr) poll();
        }
    };
    std::vector<std::thread> helpers;
    for (std::size_t part = 1; part < parts; ++part) helpers.emplace_back(run, part);
    std::exception_ptr thrown;
    try {
        run(0);
    } catch (...) {
        thrown = std::current_exception();
        stop = true;
    }
    for (std::thread& helper : helpers) helper.join();
    if (thrown) std::rethrow_exception(thrown);
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

bool is_valid(const TrainingRecord& record) {
    constexpr chess::Bitboard kEndRanks = 0xff000000000000ffu;
    if (chess::count(record.occupied) > 32 || record.turn_castling > 31 || record.en_passant > chess::kNoSquare)
        return false;
    for (int i = 0; i < chess::count(record.occupied); ++i) {
        const int nibble = record.pieces[static_cast<std::size_t>(i / 2)] >> 4 * (i % 2) & 15;
        if ((nibble & 7) >= chess::kNumKinds) return false;
    }
    const Position position = unpack_position(record);
    if (record.en_passant != chess::kNoSquare &&
        chess::rank_of(record.en_passant) != (position.turn == chess::kWhite ? 5 : 2))
        return false;
    return chess::count(position.pieces(chess::kWhite, chess::kKing)) == 1 &&
           chess::count(position.pieces(chess::kBlack, chess::kKing)) == 1 &&
           chess::count(position.colours[chess::kWhite]) <= 16 && chess::count(position.colours[chess::kBlack]) <= 16 &&
           (position.kinds[chess::kPawn] & kEndRanks) == 0;
}

Predictions predict(std::span<const TrainingRecord> records, const Network& network, const QuiescenceLimits& limits,
                    int threads, Poll poll) {
    Predictions out;
    out.target.resize(records.size());
    out.static_value.resize(records.size());
    out.value.resize(records.size());
    out.traits.resize(records.size());
    std::atomic<std::uint64_t> nodes = 0;
    in_parts(records.size(), threads, poll, [&](std::size_t) {
        return [&, search = std::make_unique<Quiescence>(network, limits)](std::size_t i) {
            const Position position = seen_by_mover(records[i]);
            out.target[i] = std::tanh(static_cast<float>(records[i].label) / kTau);
            out.static_value[i] = squash(network.value(position));
            search->set_parent(position);
            out.value[i] = squash(search->value_here());
            out.traits[i] = traits_of(position);
            nodes += static_cast<std::uint64_t>(search->visited());
        };
    });
    out.nodes = nodes;
    return out;
}

std::vector<TrainingRecord> resolve(std::span<const TrainingRecord> records, const Network& network,
                                    const QuiescenceLimits& limits, int threads, Poll poll) {
    std::vector<std::vector<TrainingRecord>> parts(static_cast<std::size_t>(std::max(threads, 1)));
    in_parts(records.size(), threads, poll, [&](std::size_t part) {
        return [&, part, search = std::make_unique<Quiescence>(network, limits)](std::size_t i) {
            search->set_parent(seen_by_mover(records[i]));
            const int value = search->value_here();
            if (value >= kWonAtLeast || value <= -kWonAtLeast) return;
            const int label = search->leaf_is_opponents() ? -records[i].label : records[i].label;
            parts[part].push_back(pack_record(search->leaf(), label, records[i].flags, records[i].game));
        };
    });
    std::vector<TrainingRecord> out = std::move(parts[0]);
    for (std::size_t part = 1; part < parts.size(); ++part)
        out.insert(out.end(), parts[part].begin(), parts[part].end());
    return out;
}

}  // namespace murk::eval
