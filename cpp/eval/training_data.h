// The training data on disk: shards of labelled positions, 32 bytes each.
//
// A shard is a 32-byte header followed by records of fixed size up to the end of the file, all little-endian. Shards
// are append-only: a writer that was stopped goes on at the end (after cutting off a torn last record), and a reader
// takes the whole records that are there. Nothing in a shard depends on its order.
//
// A record is a position, the score Stockfish gave it and where it came from. The score is in centipawns from the
// side to move of *that* position: the labeller runs MultiPV on the parent, so what is stored for the child after a
// move is minus the score of the move. Mate scores and scores beyond the limits are clamped to +-kLabelLimit. Moves
// whose value the rules decide (evaluator.h) are not stored: no label of Stockfish counts there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "chess/position.h"

namespace murk::eval {

// Called now and then by long loops; what it throws ends them.
using Poll = void (*)();

constexpr int kLabelLimit = 10'000;  // centipawns; a mate is this much

// How a position was made, for reports by kind and to hold whole generators out. The low byte of `flags`.
enum Source : std::uint8_t {
    kSourceUnknown = 0,
    kSourceRandomPlay = 1,      // uniformly random moves
    kSourceSemiRandomPlay = 2,  // a weak evaluator with noise
    kSourceEndgame = 3,         // few pieces, set up at random
    kSourceInCheck = 4,         // a king put under attack
    kSourceAbsurd = 5,          // random material that no game reaches
    kSourceSelfPlay = 6,        // games whose moves Stockfish's scores choose
    kSourceFogPlay = 7,         // the same in the fog: what the players held possible
    kSourceFogOutcome = 8,      // games of quick players in the fog, labelled with what became of them
    kSourceHeldOut = 64,        // from here on: never used for training
};
// The high byte of `flags`.
constexpr std::uint16_t kFlagMate = 1 << 8;    // the score was a mate score
constexpr std::uint16_t kFlagDeeper = 1 << 9;  // searched deeper than depth 1 of the parent

struct TrainingRecord {
    std::uint64_t occupied;  // a1 is the lowest bit
    std::array<std::uint8_t, 16>
        pieces;                  // a nibble (kind | colour << 3) for each occupied square from a1 on, low first
    std::uint8_t turn_castling;  // turn | castling << 1
    std::uint8_t en_passant;     // kNoSquare if there is none
    std::int16_t label;          // centipawns for the side to move
    std::uint16_t flags;
    std::uint16_t game;  // a number shared by the positions of one game (modulo 2^16), so that splits keep games whole
};
static_assert(sizeof(TrainingRecord) == 32);

struct ShardHeader {
    std::array<char, 8> magic = {'m', 'u', 'r', 'k', 't', 'r', 'n', '1'};
    std::uint32_t record_size = sizeof(TrainingRecord);
    std::uint32_t depth = 1;           // of the labels: Stockfish's search of the parent
    std::array<char, 16> engine = {};  // e.g. "Stockfish 15.1", padded with zeros
};
static_assert(sizeof(ShardHeader) == 32);

inline TrainingRecord pack_record(const chess::Position& position, int label, std::uint16_t flags, std::uint16_t game) {
    TrainingRecord record{};
    record.occupied = position.occupied();
    int i = 0;
    for (chess::Bitboard left = record.occupied; left != 0; ++i) {
        const chess::Square square = chess::pop_lowest(left);
        const int colour = (position.colours[chess::kBlack] & chess::bit(square)) != 0;
        const int nibble = position.kind_at(square) | colour << 3;
        record.pieces[static_cast<std::size_t>(i / 2)] |= static_cast<std::uint8_t>(nibble << 4 * (i % 2));
    }
    record.turn_castling = static_cast<std::uint8_t>(position.turn | position.castling << 1);
    record.en_passant = position.en_passant;
    record.label = static_cast<std::int16_t>(label < -kLabelLimit  ? -kLabelLimit
                                             : label > kLabelLimit ? kLabelLimit
                                                                   : label);
    record.flags = flags;
    record.game = game;
    return record;
}

inline chess::Position unpack_position(const TrainingRecord& record) {
    chess::Position position;
    int i = 0;
    for (chess::Bitboard left = record.occupied; left != 0; ++i) {
        const chess::Square square = chess::pop_lowest(left);
        const int nibble = record.pieces[static_cast<std::size_t>(i / 2)] >> 4 * (i % 2) & 15;
        position.kinds[static_cast<std::size_t>(nibble & 7)] |= chess::bit(square);
        position.colours[static_cast<std::size_t>(nibble >> 3)] |= chess::bit(square);
    }
    position.turn = static_cast<chess::Colour>(record.turn_castling & 1);
    position.castling = static_cast<std::uint8_t>(record.turn_castling >> 1);
    position.en_passant = record.en_passant;
    return position;
}

}  // namespace murk::eval
