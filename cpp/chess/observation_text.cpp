// Observations as text: the fog FEN and the full form that reads back.
#include <vector>

#include "chess/notation.h"
#include "chess/observation.h"
#include "chess/side.h"

namespace murk::chess {
namespace {

constexpr std::string_view kSides = "wb-";  // by Colour; the third is nobody

std::string name_or_dash(Square square) { return square == kNoSquare ? "-" : square_name(square); }

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find(' ', at), text.size());
            if (end > at) fields_.push_back(text.substr(at, end - at));
            at = end + 1;
        }
        if (fields_.size() != 7) fail("it has " + std::to_string(fields_.size()) + " fields, not seven");
    }

    Observation read() {
        view_.turn = static_cast<Colour>(side(1, "side to move", false));
        view_.colour = static_cast<Colour>(side(4, "player", false));
        view_.winner = side(6, "winner", true);
        placement();
        castling();
        view_.en_passant = square(3, "en-passant square");
        view_.captured = square(5, "square of the capture");
        check_pieces();
        check_en_passant();
        check_sight();
        check_end();
        return view_;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Error("bad observation " + quoted(text_) + ": " + what);
    }

    std::uint8_t side(std::size_t field, const char* what, bool nobody) const {
        const std::size_t found = fields_[field].size() == 1 ? kSides.find(fields_[field][0]) : std::string_view::npos;
        if (found == std::string_view::npos || (found == kNobody && !nobody))
            fail(std::string("the ") + what + " is " + quoted(fields_[field]) + ", not w or b" +
                 (nobody ? " or -" : ""));
        return static_cast<std::uint8_t>(found);
    }

    std::uint8_t square(std::size_t field, const char* what) const {
        if (fields_[field] == "-") return kNoSquare;
        const Square found = parse_square(fields_[field]);
        if (found == kNoSquare)
            fail(std::string("the ") + what + " is " + quoted(fields_[field]) + ", not - or a square");
        return static_cast<std::uint8_t>(found);
    }

    void placement() {
        int rank = 7, file = 0;
        bool after_digit = false;
        for (const char c : fields_[0]) {
            const bool digit = c >= '1' && c <= '8';
            if (c == '/') {
                if (file != 8 || rank == 0) fail("its placement is not eight ranks of eight squares");
                --rank;
                file = 0;
            } else if (digit) {
                if (after_digit) fail("two numbers follow each other on rank " + std::to_string(rank + 1));
                for (int i = 0; i < c - '0' && file < 8; ++i) view_.visible |= bit(8 * rank + file++);
            } else {
                if (file == 8) fail("its placement is not eight ranks of eight squares");
                put(c, 8 * rank + file++);
            }
            after_digit = digit;
        }
        if (file != 8 || rank != 0) fail("its placement is not eight ranks of eight squares");
    }

    void put(char c, Square square) {
        if (c == '*') return;
        const bool white = c >= 'A' && c <= 'Z';
        const std::size_t kind = kKindLetters.find(white ? static_cast<char>(c - 'A' + 'a') : c);
        if (kind == std::string_view::npos)
            fail(quoted(std::string_view(&c, 1)) + " is neither a piece, nor a number from 1 to 8, nor *");
        if (kind == kPawn && (rank_of(square) == 0 || rank_of(square) == 7))
            fail("a pawn stands on " + square_name(square) + ", where none can be");
        view_.visible |= bit(square);
        const bool own = white == (view_.colour == kWhite);
        (own ? view_.own : view_.seen)[kind] |= bit(square);
    }

    void castling() {
        if (fields_[2] == "-") return;
        constexpr std::string_view letters = "KQkq";
        for (const char& c : fields_[2]) {
            const std::size_t i = letters.find(c);
            if (i == std::string_view::npos || (view_.castling & 1 << i) != 0)
                fail("the castling rights are " + quoted(fields_[2]) + ", not - or some of KQkq");
            const Square king = view_.colour == kWhite ? 4 : 60, rook = i % 2 == 0 ? king + 3 : king - 4;
            if ((own_rights(view_.colour) & 1 << i) == 0) fail("it knows a castling right of the opponent");
            if ((view_.own[kKing] & bit(king)) == 0 || (view_.own[kRook] & bit(rook)) == 0)
                fail(std::string("the castling right ") + c + " needs a king and a rook at home");
            view_.castling |= static_cast<std::uint8_t>(1 << i);
        }
    }

    void check_pieces() const {
        for (const auto* kinds : {&view_.own, &view_.seen}) {
            const std::string side = kinds == &view_.own ? "the player" : "the opponent";
            if (count(all_of(*kinds)) > 16) fail(side + " has more than 16 pieces");
            if (count((*kinds)[kKing]) > 1) fail(side + " has more than one king");
        }
        if (view_.own[kKing] == 0 && view_.winner != ~view_.colour) fail("the player has no king and has not lost");
        if (view_.captured != kNoSquare && view_.turn != view_.colour)
            fail("a piece of the player was taken by her own move");
        if (view_.captured != kNoSquare && (all_of(view_.own) & bit(view_.captured)) != 0)
            fail("her own piece stands where one was just taken");
    }

    void check_en_passant() const {
        if (view_.en_passant == kNoSquare) return;
        const Square square = view_.en_passant;
        const int up = view_.colour == kWhite ? 8 : -8;
        if (view_.turn != view_.colour || rank_of(square) != (view_.colour == kWhite ? 5 : 2) ||
            (view_.seen[kPawn] & bit(square - up)) == 0 ||
            (pawn_attacks(~view_.colour, square) & view_.own[kPawn]) == 0)
            fail("no pawn can be taken en passant on " + square_name(square));
        if (((all_of(view_.own) | all_of(view_.seen)) & (bit(square) | bit(square + up))) != 0)
            fail("no pawn can just have passed " + square_name(square));
    }

    void check_sight() const {
        const Bitboard expected = visible_squares(stand_in(view_), view_.colour);
        const Bitboard wrong = expected ^ view_.visible;
        if (wrong == 0) return;
        const Square square = lowest(wrong);
        fail(square_name(square) +
             ((expected & bit(square)) != 0 ? " is hidden but would be seen" : " is shown but would be hidden"));
    }

    void check_end() const {
        if (view_.turn != view_.colour) {
            if (view_.winner == ~view_.colour) fail("the opponent cannot have won before moving");
            return;
        }
        bool lost = view_.own[kKing] == 0;
        if (!lost) {
            MoveList moves;
            generate(stand_in(view_), moves);
            lost = moves.empty();
        }
        if (view_.winner != (lost ? static_cast<std::uint8_t>(~view_.colour) : kNobody))
            fail("its winner does not fit the player's moves");
    }

    std::string_view text_;
    std::vector<std::string_view> fields_;
    Observation view_;
};

}  // namespace

std::string fog_fen(const Observation& observation) {
    Position shown;
    for (std::size_t kind = 0; kind < kNumKinds; ++kind)
        shown.kinds[kind] = observation.own[kind] | observation.seen[kind];
    shown.colours[observation.colour] = all_of(observation.own);
    shown.colours[~observation.colour] = all_of(observation.seen);
    std::string text;
    for (int rank = 7; rank >= 0; --rank) {
        int empty = 0;
        for (int file = 0; file < 8; ++file) {
            const Square square = 8 * rank + file;
            const char letter = letter_at(shown, square);
            const bool hidden = (observation.visible & bit(square)) == 0;
            if (letter == 0 && !hidden) {
                ++empty;
                continue;
            }
            if (empty > 0) text += std::to_string(empty);
            empty = 0;
            text += hidden ? '*' : letter;
        }
        if (empty > 0) text += std::to_string(empty);
        if (rank > 0) text += '/';
    }
    text += observation.turn == kWhite ? " w " : " b ";
    return text + castling_text(observation.castling) + " " + name_or_dash(observation.en_passant);
}

std::string to_text(const Observation& observation) {
    return fog_fen(observation) + " " + kSides[observation.colour] + " " + name_or_dash(observation.captured) + " " +
           kSides[observation.winner];
}

Observation parse_observation(std::string_view text) { return Reader(text).read(); }

}  // namespace murk::chess
