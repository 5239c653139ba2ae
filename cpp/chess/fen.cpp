// FEN in and out. Every complaint is one sentence that quotes what was given.
#include <charconv>
#include <cstdio>
#include <vector>

#include "chess/notation.h"
#include "chess/position.h"

namespace murk::chess {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

const char* side_name(Colour colour) { return colour == kWhite ? "White" : "Black"; }

class Reader {
  public:
    explicit Reader(std::string_view fen) : fen_(fen) {
        for (const std::string_view field : split(fen, " \t\r\n"))
            if (!field.empty()) fields_.push_back(field);
        if (fields_.size() < 4 || fields_.size() > 6)
            fail("it has " + std::to_string(fields_.size()) + " fields, not four to six");
    }

    Position read(Clocks* clocks, bool allow_missing_king) {
        placement();
        check_counts(allow_missing_king);
        turn();
        castling();
        en_passant();
        Clocks read;
        if (fields_.size() > 4) read.halfmove = clock(fields_[4], "half-move clock");
        // Some programs count moves from 0.
        if (fields_.size() > 5) read.fullmove = std::max(clock(fields_[5], "move number"), 1);
        if (clocks != nullptr) *clocks = read;
        return position_;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const { throw Error("bad FEN " + quoted(fen_) + ": " + what); }

    void placement() {
        const std::vector<std::string_view> ranks = split(fields_[0], "/");
        if (ranks.size() != 8) fail("it has " + std::to_string(ranks.size()) + " ranks, not eight");
        for (int rank = 7; rank >= 0; --rank) read_rank(rank, ranks[static_cast<std::size_t>(7 - rank)]);
    }

    void read_rank(int rank, std::string_view text) {
        int file = 0;
        bool after_digit = false;
        for (const char c : text) {
            const bool digit = c >= '1' && c <= '8';
            if (digit && after_digit) fail("two numbers follow each other on rank " + std::to_string(rank + 1));
            after_digit = digit;
            if (digit) {
                file += c - '0';
                continue;
            }
            const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            const std::size_t kind = kKindLetters.find(lower);
            if (kind == std::string_view::npos)
                fail(quoted(std::string_view(&c, 1)) + " on rank " + std::to_string(rank + 1) +
                     " is neither a piece nor a number from 1 to 8");
            if (file < 8) put(c == lower ? kBlack : kWhite, static_cast<Kind>(kind), 8 * rank + file);
            ++file;
        }
        if (file != 8)
            fail("rank " + std::to_string(rank + 1) + " has " + std::to_string(file) + " squares, not eight");
    }

    void put(Colour colour, Kind kind, Square square) {
        if (kind == kPawn && (rank_of(square) == 0 || rank_of(square) == 7))
            fail("a pawn stands on " + square_name(square) + ", where none can be");
        position_.kinds[kind] |= bit(square);
        position_.colours[colour] |= bit(square);
    }

    void check_counts(bool allow_missing_king) const {
        bool missing = false;
        for (const Colour colour : {kWhite, kBlack}) {
            const std::string side = side_name(colour);
            const int kings = count(position_.pieces(colour, kKing)), pawns = count(position_.pieces(colour, kPawn));
            const int pieces = count(position_.colours[colour]);
            if (kings == 0 && allow_missing_king && !missing) {
                missing = true;
            } else if (kings != 1) {
                fail(side + " has " + (kings == 0 ? "no king" : std::to_string(kings) + " kings, not one"));
            }
            if (pieces > 16) fail(side + " has " + std::to_string(pieces) + " pieces, more than 16");
            if (pawns > 8) fail(side + " has " + std::to_string(pawns) + " pawns, more than eight");
        }
    }

    void turn() {
        if (fields_[1] != "w" && fields_[1] != "b") fail("the side to move is " + quoted(fields_[1]) + ", not w or b");
        position_.turn = fields_[1] == "w" ? kWhite : kBlack;
    }

    void castling() {
        if (fields_[2] == "-") return;
        constexpr std::string_view letters = "KQkq";
        for (const char& c : fields_[2]) {
            const std::size_t i = letters.find(c);
            if (i == std::string_view::npos || (position_.castling & 1 << i) != 0)
                fail("the castling rights are " + quoted(fields_[2]) + ", not - or some of KQkq");
            const Colour colour = i < 2 ? kWhite : kBlack;
            const Square king = colour == kWhite ? 4 : 60, rook = i % 2 == 0 ? king + 3 : king - 4;
            if ((position_.pieces(colour, kKing) & bit(king)) == 0 ||
                (position_.pieces(colour, kRook) & bit(rook)) == 0)
                fail("the castling right " + std::string(1, c) + " needs a king on " + square_name(king) +
                     " and a rook on " + square_name(rook));
            position_.castling |= static_cast<std::uint8_t>(1 << i);
        }
    }

    void en_passant() {
        if (fields_[3] == "-") return;
        const Square square = parse_square(fields_[3]);
        if (square == kNoSquare) fail("the en-passant square is " + quoted(fields_[3]) + ", not - or a square");
        const Colour us = position_.turn, them = ~us;
        const int up = us == kWhite ? 8 : -8;
        if (rank_of(square) != (us == kWhite ? 5 : 2) || (position_.pieces(them, kPawn) & bit(square - up)) == 0 ||
            (position_.occupied() & (bit(square) | bit(square + up))) != 0)
            fail(std::string("the en-passant square is ") + square_name(square) + ", which no pawn has just passed");
        if ((pawn_attacks(them, square) & position_.pieces(us, kPawn)) != 0)
            position_.en_passant = static_cast<std::uint8_t>(square);
    }

    int clock(std::string_view text, const char* what) const {
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMaxClock)
            fail(std::string("the ") + what + " is " + quoted(text) + ", not a number from 0 to " +
                 std::to_string(kMaxClock));
        return value;
    }

    static constexpr int kMaxClock = 99'999;
    std::string_view fen_;
    std::vector<std::string_view> fields_;
    Position position_;
};

}  // namespace

Position parse_fen(std::string_view fen, Clocks* clocks, bool allow_missing_king) {
    return Reader(fen).read(clocks, allow_missing_king);
}

std::string to_fen(const Position& position) {
    std::string fen;
    for (int rank = 7; rank >= 0; --rank) {
        int empty = 0;
        for (int file = 0; file < 8; ++file) {
            const char letter = letter_at(position, 8 * rank + file);
            if (letter == 0) {
                ++empty;
                continue;
            }
            if (empty > 0) fen += std::to_string(empty);
            empty = 0;
            fen += letter;
        }
        if (empty > 0) fen += std::to_string(empty);
        if (rank > 0) fen += '/';
    }
    fen += position.turn == kWhite ? " w " : " b ";
    fen += castling_text(position.castling);
    fen += ' ';
    return fen + (position.en_passant == kNoSquare ? "-" : square_name(position.en_passant));
}

}  // namespace murk::chess
