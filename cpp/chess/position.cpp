#include "chess/position.h"

#include <bit>

namespace murk::chess {
namespace {

// SplitMix64, so that keys are the same everywhere and for ever.
constexpr std::uint64_t next_random(std::uint64_t& state) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

struct Keys {
    std::array<std::array<std::array<std::uint64_t, 64>, kNumKinds>, 2> piece{};
    std::array<std::uint64_t, 16> castling{};
    std::array<std::uint64_t, 65> en_passant{};  // the last stands for none
    std::uint64_t black{};
};

constexpr Keys kKeys = [] {
    Keys keys;
    std::uint64_t state = 0x6d75726b;
    for (auto& colour : keys.piece)
        for (auto& kind : colour)
            for (std::uint64_t& key : kind) key = next_random(state);
    for (std::uint64_t& key : keys.castling) key = next_random(state);
    for (std::uint64_t& key : keys.en_passant) key = next_random(state);
    keys.black = next_random(state);
    return keys;
}();

}  // namespace

std::uint64_t Position::key() const {
    std::uint64_t key = kKeys.castling[castling] ^ kKeys.en_passant[en_passant];
    if (turn == kBlack) key ^= kKeys.black;
    for (const Colour colour : {kWhite, kBlack})
        for (std::size_t kind = 0; kind < kNumKinds; ++kind)
            for (Bitboard left = colours[colour] & kinds[kind]; left != 0;)
                key ^= kKeys.piece[colour][kind][static_cast<std::size_t>(pop_lowest(left))];
    return key;
}

Position Position::mirror() const {
    Position other;
    // A rank is a byte, so turning the board upside down is turning the bytes round.
    const auto flip = [](Bitboard board) { return __builtin_bswap64(board); };
    for (std::size_t kind = 0; kind < kNumKinds; ++kind) other.kinds[kind] = flip(kinds[kind]);
    other.colours = {flip(colours[kBlack]), flip(colours[kWhite])};
    other.turn = ~turn;
    other.castling = static_cast<std::uint8_t>((castling << 2 | castling >> 2) & 15);
    other.en_passant = en_passant == kNoSquare ? en_passant : static_cast<std::uint8_t>(en_passant ^ 56);
    return other;
}

Position start_position() {
    static const Position start = parse_fen(kStartFen);
    return start;
}

}  // namespace murk::chess
