#include "chess/attacks.h"

#include <vector>

namespace murk::chess::detail {
namespace {

using Steps = std::array<std::array<int, 2>, 4>;
constexpr Steps kDiagonal = {{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}};
constexpr Steps kStraight = {{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};

// Found by trying random numbers with few bits until one maps no two different sets to one index.
// clang-format off
constexpr std::array<std::uint64_t, 64> kBishopFactors = {
    0x00112002044200a4, 0x0008080080821080, 0x2608021042020000, 0x00488a0200080282,
    0x000202102800c100, 0x044a025005280000, 0x0040880108200000, 0x0800202210100842,
    0x0088092024008a11, 0x8080080244040032, 0x8011042404005405, 0x0002080610402200,
    0x8012920211011088, 0x4140808804c01a10, 0x0000450401212830, 0x4204210400840400,
    0x008800c248010400, 0x00090044c1080200, 0x004c141204240100, 0x200800048e004000,
    0x000a00040121640a, 0x001a001100a0a400, 0x0804003720861050, 0xe016010a2a010400,
    0x0020480090025881, 0x0828212002024200, 0x0800410008020401, 0x0001080044004210,
    0x0420820004010400, 0x0008020020208400, 0x4001004042380400, 0x000c010000209210,
    0x0001201004081046, 0x412128206028510a, 0x0080210d00100405, 0x05a4020080480080,
    0x0010020010020900, 0x0000900210810101, 0x10682800a1044202, 0x0024108022c20522,
    0x1021040220004320, 0x030600c404402000, 0x0002210040400800, 0x2009008401200c00,
    0x0702602008841100, 0x400c02c482000301, 0x0410010810800110, 0x92101202084a6020,
    0xc00a088421080080, 0x008080480211400c, 0x0000020484048003, 0x4800002042020000,
    0x206b00a020444520, 0x00804018b14b001a, 0x0808081080821201, 0x1002102102008000,
    0x0200402201202060, 0xc210002404040404, 0x0000008904010401, 0x8000202040460800,
    0x040e80029002020a, 0x2000810450124203, 0x0050200801210c00, 0x0010140104440108,
};
constexpr std::array<std::uint64_t, 64> kRookFactors = {
    0x4180042051824000, 0x00c0004090002002, 0x4200082012048040, 0xa080080010008004,
    0x4080080004000280, 0x0100010002080400, 0xa100420004008100, 0xc0800080002ac100,
    0x0000800098204004, 0x1025002040108100, 0x0c02002082001040, 0x8020800801811000,
    0x4088808008000400, 0x0400800400020080, 0x8411000100020004, 0x0240800040802100,
    0x0040628002804000, 0x0010004000200040, 0x0810808010002000, 0x0088008080100008,
    0xa00a020020100804, 0x2041010008040002, 0x4108010100040200, 0x40080a000048b401,
    0x0580004140002000, 0x0030004040002000, 0x8030120200402080, 0x0400080280100084,
    0x0844040080080080, 0x0000040080800200, 0x0421180c00021007, 0x0000048200006904,
    0x1600804000800020, 0x0180802000804000, 0x2820200080801002, 0x0020080080801000,
    0x0040040181800800, 0x0600800400800200, 0x4000011044004842, 0x20002c4902000084,
    0x0800800040048020, 0x4080201000404000, 0x0200402001010010, 0x0004090010010022,
    0x0101000800110004, 0x2080040002008080, 0x0040287002040001, 0x4402210e82420004,
    0x0080410030820200, 0x26c0401000200040, 0x2001004020081100, 0x1210008010080080,
    0x0001000800041300, 0x0008040080020080, 0x0441000402000100, 0x1200008110440200,
    0x0205110180002241, 0x3000408100102202, 0x2000802008104202, 0x2088080500100021,
    0x1441000402100801, 0x0001000a14000825, 0x0000210088101204, 0x2000840040a78902,
};
// clang-format on

// The squares a slider sees, step by step. With `inner` the last square of each ray is left out: what stands there
// blocks nothing.
Bitboard walk(Square square, const Steps& steps, Bitboard occupied, bool inner) {
    const auto on_board = [](int file, int rank) { return file >= 0 && file < 8 && rank >= 0 && rank < 8; };
    Bitboard seen = 0;
    for (const auto& [df, dr] : steps) {
        int file = file_of(square) + df, rank = rank_of(square) + dr;
        for (; on_board(file, rank); file += df, rank += dr) {
            if (inner && !on_board(file + df, rank + dr)) break;
            seen |= bit(8 * rank + file);
            if ((occupied & bit(8 * rank + file)) != 0) break;
        }
    }
    return seen;
}

// 5,248 sets of bishops and 102,400 of rooks, for each of the two methods.
std::array<Bitboard, 2 * (5'248 + 102'400)> sets;

class Builder {
  public:
    void fill(std::array<MagicEntry, 64>& magic, std::array<PextEntry, 64>& pext, const Steps& steps,
              const std::array<std::uint64_t, 64>& factors) {
        for (Square square = 0; square < 64; ++square) {
            const auto i = static_cast<std::size_t>(square);
            const Bitboard mask = walk(square, steps, 0, true);
            const std::size_t size = std::size_t{1} << count(mask);
            Bitboard* const by_magic = next_;
            Bitboard* const by_pext = next_ + size;
            next_ += 2 * size;
            magic[i] = {mask, factors[i], by_magic, 64 - count(mask)};
            pext[i] = {mask, by_pext};
            // The subsets of a mask, counted up, come in the order of their PEXT.
            Bitboard subset = 0;
            for (std::size_t k = 0; k < size; ++k, subset = (subset - mask) & mask) {
                by_pext[k] = walk(square, steps, subset, false);
                by_magic[subset * factors[i] >> magic[i].shift] = by_pext[k];
            }
        }
    }

  private:
    Bitboard* next_ = sets.data();
};

SliderTables build() {
    SliderTables tables;
    Builder builder;
    builder.fill(tables.magic_bishop, tables.pext_bishop, kDiagonal, kBishopFactors);
    builder.fill(tables.magic_rook, tables.pext_rook, kStraight, kRookFactors);
    return tables;
}

}  // namespace

const SliderTables sliders = build();

}  // namespace murk::chess::detail
