#include "eval/network.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <stdexcept>

namespace murk::eval {

using chess::Colour;
using chess::Kind;
using chess::Position;
using chess::Square;

extern const NetKernels net_portable;
#ifdef MURK_X86
extern const NetKernels net_avx2;
extern const NetKernels net_avx512;
#endif

const NetKernels* find_net_kernels(const char* name) {
#ifdef MURK_X86
    __builtin_cpu_init();
    if (std::strcmp(name, "avx2") == 0) return __builtin_cpu_supports("avx2") ? &net_avx2 : nullptr;
    if (std::strcmp(name, "avx512") == 0) {
        const bool all = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
        return all ? &net_avx512 : nullptr;
    }
#endif
    return std::strcmp(name, "portable") == 0 ? &net_portable : nullptr;
}

const NetKernels& best_net_kernels() {
    static const NetKernels& chosen = []() -> const NetKernels& {
        for (const char* name : {"avx512", "avx2"})
            if (const NetKernels* kernels = find_net_kernels(name)) return *kernels;
        return net_portable;
    }();
    return chosen;
}

namespace {

struct Header {
    std::array<char, 8> magic = {'m', 'u', 'r', 'k', 'n', 'e', 't', '1'};
    std::array<std::int32_t, 6> shape = {kFeatures, kHidden, kFirst, kSecond, kStacks, kFirstGroup};
    std::uint64_t checksum = 0;
};
static_assert(sizeof(Header) == 40);

// FNV-1a over 64-bit words.
class Hash {
  public:
    void add(const void* data, std::size_t bytes) {
        const auto* at = static_cast<const unsigned char*>(data);
        for (; bytes >= 8; bytes -= 8, at += 8) {
            std::uint64_t word;
            std::memcpy(&word, at, 8);
            state_ = (state_ ^ word) * 0x100000001b3u;
        }
        for (; bytes > 0; --bytes, ++at) state_ = (state_ ^ *at) * 0x100000001b3u;
    }
    std::uint64_t value() const { return state_; }

  private:
    std::uint64_t state_ = 0xcbf29ce484222325u;
};

// Visits every array of the weights but the rows in the order of the file.
template <class W, class F>
void each_small_array(W& weights, F&& visit) {
    const auto array = [&](auto& a) { visit(a.data(), a.size() * sizeof(a[0])); };
    array(weights.material);
    array(weights.bias);
    for (auto& stack : weights.stacks) {
        array(stack.first);
        array(stack.second);
        array(stack.third);
        array(stack.first_bias);
        array(stack.second_bias);
        visit(&stack.third_bias, sizeof stack.third_bias);
    }
}

std::uint64_t checksum_of(const Weights& weights) {
    Hash hash;
    const auto add = [&](const void* data, std::size_t bytes) { hash.add(data, bytes); };
    add(weights.rows.data(), sizeof weights.rows);
    each_small_array(weights, add);
    return hash.value();
}

// The rows as they stand in a file: see weights_file().
using Rows = decltype(Weights::rows);
constexpr std::size_t kRows = std::tuple_size_v<Rows>, kBucketRows = kRows / kKingBuckets;

std::string packed_rows(const Rows& rows) {
    std::string bytes(2 * kRows, '\0');
    for (std::size_t i = 0; i < kRows; ++i) {
        const auto change = static_cast<std::int16_t>(rows[i] - (i < kBucketRows ? 0 : rows[i - kBucketRows]));
        const int folded = change >= 0 ? 2 * change : -2 * change - 1;
        bytes[i] = static_cast<char>(folded & 255);
        bytes[kRows + i] = static_cast<char>(folded >> 8);
    }
    return bytes;
}

void unpack_rows(const std::byte* bytes, Rows& rows) {
    for (std::size_t i = 0; i < kRows; ++i) {
        const int folded = std::to_integer<int>(bytes[i]) | std::to_integer<int>(bytes[kRows + i]) << 8;
        const int change = (folded & 1) != 0 ? -(folded + 1) / 2 : folded / 2;
        rows[i] = static_cast<std::int16_t>(change + (i < kBucketRows ? 0 : rows[i - kBucketRows]));
    }
}

// Where the own king stands, in eight ranks of the files e to h: at home castled or not, before either of these, on the
// third and fourth rank, beyond.
constexpr std::array<std::uint8_t, 32> kBucketOfKing = {
    1, 1, 0, 0,  //
    3, 3, 2, 2,  //
    4, 4, 4, 4,  //
    4, 4, 4, 4,  //
    5, 5, 5, 5,  //
    5, 5, 5, 5,  //
    5, 5, 5, 5,  //
    5, 5, 5, 5,
};

// What a square is xor-ed with to be seen by `side`, whose king stands on `king`.
int orientation(Colour side, Square king) {
    return (side == chess::kBlack ? 56 : 0) ^ (chess::file_of(king) < 4 ? 7 : 0);
}

int bucket(Colour side, Square king) {
    const Square seen = king ^ orientation(side, king);
    return kBucketOfKing[static_cast<std::size_t>(chess::rank_of(seen) * 4 + chess::file_of(seen) - 4)];
}

Square king_of(const Position& position, Colour side) {
    return chess::lowest(position.pieces(side, chess::kKing)) & 63;
}

}  // namespace

int feature(Colour side, Square king, Colour colour, Kind kind, Square square) {
    return bucket(side, king) * kPieceSquares + ((colour != side) * 6 + kind) * 64 + (square ^ orientation(side, king));
}

bool same_bucket(Colour side, Square king, Square other) {
    return orientation(side, king) == orientation(side, other) && bucket(side, king) == bucket(side, other);
}

Network::Network(std::span<const std::byte> file, const NetKernels& kernels) : kernels_(&kernels) {
    Header header;
    const Header expected;
    if (file.size() < sizeof header || std::memcmp(file.data(), expected.magic.data(), expected.magic.size()) != 0)
        throw std::invalid_argument("this is not a weights file of murk's evaluator");
    std::memcpy(&header, file.data(), sizeof header);
    if (header.shape != expected.shape)
        throw std::invalid_argument("the weights file is for a net of another shape than this murk's");
    auto weights = std::make_shared<Weights>();
    std::size_t offset = sizeof header;
    const auto take = [&](std::size_t bytes) {
        if (file.size() - offset < bytes) throw std::invalid_argument("the weights file is truncated");
        offset += bytes;
        return file.data() + offset - bytes;
    };
    unpack_rows(take(sizeof weights->rows), weights->rows);
    each_small_array(*weights, [&](void* data, std::size_t bytes) { std::memcpy(data, take(bytes), bytes); });
    if (offset != file.size() || checksum_of(*weights) != header.checksum)
        throw std::invalid_argument("the weights file is corrupted: its checksum does not fit");
    weights_ = std::move(weights);
}

std::string weights_file(const Weights& weights) {
    Header header;
    header.checksum = checksum_of(weights);
    std::string file(reinterpret_cast<const char*>(&header), sizeof header);
    file += packed_rows(weights.rows);
    each_small_array(weights,
                     [&](const void* data, std::size_t bytes) { file.append(static_cast<const char*>(data), bytes); });
    return file;
}

std::uint64_t Network::checksum() const { return checksum_of(*weights_); }

void Network::refresh_side(const Position& position, Colour side, Accumulator& out) const {
    const Square king = king_of(position, side);
    RowChanges changes;
    for (int colour = 0; colour < 2; ++colour)
        for (int kind = 0; kind < chess::kNumKinds; ++kind)
            for (chess::Bitboard left = position.pieces(static_cast<Colour>(colour), static_cast<Kind>(kind));
                 left != 0;)
                changes.add[static_cast<std::size_t>(changes.added++)] =
                    feature(side, king, static_cast<Colour>(colour), static_cast<Kind>(kind), chess::pop_lowest(left));
    constexpr std::array<std::int32_t, kStacks> none{};
    kernels_->change(*weights_, changes, weights_->bias.data(), none.data(), out.sides[side].data(),
                     out.material[side].data());
}

void Network::refresh(const Position& position, Accumulator& out) const {
    refresh_side(position, chess::kWhite, out);
    refresh_side(position, chess::kBlack, out);
}

int Network::value(const Position& position) const {
    Accumulator accumulator;
    refresh(position, accumulator);
    return value(position, accumulator);
}

void Network::update(const Position& before, chess::Move move, const Position& after, const Accumulator& from,
                     Accumulator& to) const {
    const Colour mover = before.turn;
    const Kind moved = before.kind_at(move.from());
    for (const Colour side : {chess::kWhite, chess::kBlack}) {
        const Square king = king_of(after, side);
        if (moved == chess::kKing && side == mover && !same_bucket(side, move.from(), move.to())) {
            refresh_side(after, side, to);
            continue;
        }
        RowChanges changes;
        const auto add = [&](Colour colour, Kind kind, Square square) {
            changes.add[static_cast<std::size_t>(changes.added++)] = feature(side, king, colour, kind, square);
        };
        const auto remove = [&](Colour colour, Kind kind, Square square) {
            changes.remove[static_cast<std::size_t>(changes.removed++)] = feature(side, king, colour, kind, square);
        };
        remove(mover, moved, move.from());
        add(mover, move.promotion() == chess::kPawn ? moved : move.promotion(), move.to());
        if ((before.colours[~mover] & chess::bit(move.to())) != 0) {
            remove(~mover, before.kind_at(move.to()), move.to());
        } else if (moved == chess::kPawn && chess::file_of(move.from()) != chess::file_of(move.to())) {
            remove(~mover, chess::kPawn, (move.from() & 56) | (move.to() & 7));
        } else if (moved == chess::kKing && (move.to() - move.from() == 2 || move.from() - move.to() == 2)) {
            const bool to_the_right = move.to() > move.from();
            remove(mover, chess::kRook, to_the_right ? move.to() + 1 : move.to() - 2);
            add(mover, chess::kRook, to_the_right ? move.to() - 1 : move.to() + 1);
        }
        kernels_->change(*weights_, changes, from.sides[side].data(), from.material[side].data(), to.sides[side].data(),
                         to.material[side].data());
    }
}

}  // namespace murk::eval
