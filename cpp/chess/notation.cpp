#include "chess/notation.h"

#include "chess/movegen.h"

namespace murk::chess {
namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool is_castling(const Position& position, Move move) {
    return position.kind_at(move.from()) == kKing && (move.to() - move.from() == 2 || move.from() - move.to() == 2);
}

bool is_capture(const Position& position, Move move) {
    return (position.occupied() & bit(move.to())) != 0 ||
           (position.kind_at(move.from()) == kPawn && move.to() == position.en_passant);
}

// What tells a piece from others of its kind that can go to the same square: nothing, its file, its rank, or both.
std::string origin(const Position& position, Move move, Kind kind) {
    MoveList moves;
    generate(position, moves);
    bool others = false, same_file = false, same_rank = false;
    for (const Move other : moves) {
        if (other.to() != move.to() || other.from() == move.from() || position.kind_at(other.from()) != kind) continue;
        others = true;
        same_file |= file_of(other.from()) == file_of(move.from());
        same_rank |= rank_of(other.from()) == rank_of(move.from());
    }
    const std::string name = square_name(move.from());
    if (!others) return "";
    if (!same_file) return name.substr(0, 1);
    return same_rank ? name : name.substr(1);
}

// The parts of a move in SAN; a file or rank of -1 is not told.
struct Pattern {
    Kind kind = kPawn;
    int from_file = -1, from_rank = -1;
    Square to = kNoSquare;
    Kind promotion = kPawn;
};

std::string_view without_suffix(std::string_view text) {
    while (!text.empty() && std::string_view("+#!?").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    return text;
}

// kNoKind if the letter is none of a piece; pawns have no letter.
Kind kind_of_letter(char letter) {
    for (int kind = kKnight; kind < kNumKinds; ++kind)
        if (upper(kKindLetters[static_cast<std::size_t>(kind)]) == letter) return static_cast<Kind>(kind);
    return kNoKind;
}

bool read_pattern(std::string_view text, Pattern& pattern) {
    if (!text.empty() && kind_of_letter(text.front()) != kNoKind) {
        pattern.kind = kind_of_letter(text.front());
        text.remove_prefix(1);
    } else if (!text.empty() && kind_of_letter(upper(text.back())) != kNoKind) {
        pattern.promotion = kind_of_letter(upper(text.back()));
        text.remove_suffix(1);
        if (!text.empty() && text.back() == '=') text.remove_suffix(1);
    }
    if (text.size() < 2) return false;
    pattern.to = parse_square(text.substr(text.size() - 2));
    if (pattern.to == kNoSquare) return false;
    text.remove_suffix(2);
    if (!text.empty() && (text.back() == 'x' || text.back() == '-')) text.remove_suffix(1);
    if (!text.empty() && text.front() >= 'a' && text.front() <= 'h') {
        pattern.from_file = text.front() - 'a';
        text.remove_prefix(1);
    }
    if (!text.empty() && text.front() >= '1' && text.front() <= '8') {
        pattern.from_rank = text.front() - '1';
        text.remove_prefix(1);
    }
    return text.empty();
}

bool matches(const Position& position, Move move, const Pattern& pattern) {
    const bool unnamed_capture =
        pattern.kind == kPawn && pattern.from_file < 0 && file_of(move.from()) != file_of(move.to());
    return !unnamed_capture && move.to() == pattern.to && move.promotion() == pattern.promotion &&
           position.kind_at(move.from()) == pattern.kind && !is_castling(position, move) &&
           (pattern.from_file < 0 || pattern.from_file == file_of(move.from())) &&
           (pattern.from_rank < 0 || pattern.from_rank == rank_of(move.from()));
}

}  // namespace

std::string quoted(std::string_view text) {
    constexpr std::size_t kLongest = 100;
    std::string out = "\"";
    for (const char c : text.substr(0, kLongest)) {
        const bool printable = c >= ' ' && c <= '~';
        out += printable ? c : '?';
    }
    return out + (text.size() > kLongest ? "...\"" : "\"");
}

std::string square_name(Square square) {
    return {static_cast<char>('a' + file_of(square)), static_cast<char>('1' + rank_of(square))};
}

Square parse_square(std::string_view text) {
    if (text.size() != 2 || text[0] < 'a' || text[0] > 'h' || text[1] < '1' || text[1] > '8') return kNoSquare;
    return 8 * (text[1] - '1') + (text[0] - 'a');
}

char letter_at(const Position& position, Square square) {
    const Kind kind = position.kind_at(square);
    if (kind == kNoKind) return 0;
    const char letter = kKindLetters[kind];
    return (position.colours[kWhite] & bit(square)) != 0 ? upper(letter) : letter;
}

std::string castling_text(std::uint8_t castling) {
    std::string text;
    for (int i = 0; i < 4; ++i)
        if ((castling & 1 << i) != 0) text += "KQkq"[i];
    return text.empty() ? "-" : text;
}

std::string to_uci(Move move) {
    if (!move) return "0000";
    std::string text = square_name(move.from()) + square_name(move.to());
    if (move.promotion() != kPawn) text += kKindLetters[move.promotion()];
    return text;
}

Move parse_uci(std::string_view text) {
    const Square from = parse_square(text.substr(0, 2));
    const Square to = text.size() < 4 ? kNoSquare : parse_square(text.substr(2, 2));
    Kind promotion = kPawn;
    bool good = from != kNoSquare && to != kNoSquare && from != to && text.size() <= 5;
    if (good && text.size() == 5) {
        promotion = static_cast<Kind>(std::string_view("nbrq").find(text[4]) + 1);
        good = promotion >= kKnight && promotion <= kQueen;
    }
    if (!good)
        throw Error("bad move " + quoted(text) + ": UCI is two squares and perhaps a promotion, as e2e4 or e7e8q");
    return Move(from, to, promotion);
}

std::string to_san(const Position& position, Move move) {
    if (!is_legal(position, move))
        throw IllegalMove("illegal move " + to_uci(move) + " in \"" + to_fen(position) + "\"");
    if (is_castling(position, move)) return move.to() > move.from() ? "O-O" : "O-O-O";
    const Kind kind = position.kind_at(move.from());
    const bool capture = is_capture(position, move);
    std::string san;
    if (kind != kPawn) {
        san += upper(kKindLetters[kind]);
        san += origin(position, move, kind);
    } else if (capture) {
        san += square_name(move.from())[0];
    }
    if (capture) san += 'x';
    san += square_name(move.to());
    if (move.promotion() != kPawn) {
        san += '=';
        san += upper(kKindLetters[move.promotion()]);
    }
    return san;
}

Move parse_san(const Position& position, std::string_view text) {
    const std::string_view bare = without_suffix(text);
    const bool is_short = bare == "O-O" || bare == "0-0", is_long = bare == "O-O-O" || bare == "0-0-0";
    Pattern pattern;
    if (!is_short && !is_long && !read_pattern(bare, pattern))
        throw Error("bad move " + quoted(text) + ": SAN is a piece and a square, as Nf3, exd5, e8=Q or O-O");
    MoveList moves;
    generate(position, moves);
    Move found;
    for (const Move move : moves) {
        const bool fits = is_short || is_long ? is_castling(position, move) && (move.to() > move.from()) == is_short
                                              : matches(position, move, pattern);
        if (!fits) continue;
        if (found)
            throw IllegalMove("ambiguous move " + quoted(text) + " in \"" + to_fen(position) + "\": " + to_uci(found) +
                              " or " + to_uci(move));
        found = move;
    }
    if (!found) throw IllegalMove("illegal move " + quoted(text) + " in \"" + to_fen(position) + "\"");
    return found;
}

Move parse_move(const Position& position, std::string_view text) {
    // UCI is SAN too, with the whole origin given, but for castling and for pieces, whose letter it lacks.
    const bool squares = text.size() >= 4 && text.size() <= 5 && parse_square(text.substr(0, 2)) != kNoSquare &&
                         parse_square(text.substr(2, 2)) != kNoSquare;
    if (!squares) return parse_san(position, text);
    const Move move = parse_uci(text);
    if (!is_legal(position, move))
        throw IllegalMove("illegal move " + quoted(text) + " in \"" + to_fen(position) + "\"");
    return move;
}

}  // namespace murk::chess
