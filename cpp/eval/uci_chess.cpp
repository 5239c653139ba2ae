#include "eval/uci_chess.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "chess/attacks.h"
#include "chess/movegen.h"
#include "eval/evaluator.h"

namespace murk::eval {

using chess::bit;
using chess::Colour;
using chess::Move;
using chess::MoveList;
using chess::Position;
using chess::Square;

namespace {

constexpr double kHighest = 1 - 1e-4;  // of what is no mate
// Stockfish has room for 256 moves.
constexpr int kMostMoves = 250;
constexpr std::string_view kPromotions = "pnbrq";

bool king_is_safe(const Position& position, Colour colour) {
    const Square king = chess::lowest(position.pieces(colour, chess::kKing));
    return !is_attacked(position, king, ~colour);
}

bool keeps_king_safe(const Position& position, Move move) {
    Position child = position;
    child.play(move);
    return king_is_safe(child, position.turn);
}

std::uint8_t orthodox_castling(const Position& position) {
    struct Right {
        std::uint8_t right;
        Colour colour;
        Square king, rook;
    };
    constexpr std::array<Right, 4> kRights = {{{chess::kWhiteShort, chess::kWhite, 4, 7},
                                               {chess::kWhiteLong, chess::kWhite, 4, 0},
                                               {chess::kBlackShort, chess::kBlack, 60, 63},
                                               {chess::kBlackLong, chess::kBlack, 60, 56}}};
    std::uint8_t castling = 0;
    for (const auto& [right, colour, king, rook] : kRights)
        if ((position.castling & right) != 0 && (position.pieces(colour, chess::kKing) & bit(king)) != 0 &&
            (position.pieces(colour, chess::kRook) & bit(rook)) != 0)
            castling |= right;
    return castling;
}

// Is there an en-passant capture that ordinary chess allows?
bool en_passant_is_legal(const Position& position) {
    if (position.en_passant == chess::kNoSquare) return false;
    // From these squares the enemy's pawn, were it on that square, would attack: there stand those that can capture.
    chess::Bitboard pawns =
        chess::pawn_attacks(~position.turn, position.en_passant) & position.pieces(position.turn, chess::kPawn);
    while (pawns != 0)
        if (keeps_king_safe(position, Move(chess::pop_lowest(pawns), position.en_passant))) return true;
    return false;
}

bool is_castling(const Position& position, Move move) {
    return position.kind_at(move.from()) == chess::kKing && std::abs(move.to() - move.from()) == 2;
}

// Out of or through attack.
bool castles_against_rules(const Position& position, Move move) {
    if (!is_castling(position, move)) return false;
    return is_attacked(position, move.from(), ~position.turn) ||
           is_attacked(position, (move.from() + move.to()) / 2, ~position.turn);
}

std::string_view next_word(std::string_view& text) {
    const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string_view word = text.substr(start, end - start);
    text.remove_prefix(end);
    return word;
}

bool read_number(std::string_view word, int& number) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size();
}

}  // namespace

float squashed(UciScore score, double tau) {
    double size;
    if (score.mate) {
        const double moves = std::max(1, std::abs(score.value));
        size = 1 - (1 - kHighest) * moves / (moves + 1);
    } else {
        size = std::min(std::tanh(std::abs(score.value) / tau), kHighest);
    }
    // "Mate in 0": the side to move is mated.
    const bool lost = score.value < 0 || (score.mate && score.value == 0);
    return static_cast<float>(lost ? -size : size);
}

double usual_tau(std::string_view engine_name) {
    constexpr std::string_view kName = "Stockfish ";
    if (engine_name.substr(0, kName.size()) == kName) {
        const std::string version(engine_name.substr(kName.size()));
        const double number = std::strtod(version.c_str(), nullptr);
        if (number >= 1 && number < 15.1) return 600;
    }
    return 420;
}

std::optional<UciInfo> parse_info(std::string_view line) {
    if (next_word(line) != "info") return std::nullopt;
    UciInfo info;
    bool scored = false;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        if (word == "multipv") {
            if (!read_number(next_word(line), info.line)) return std::nullopt;
        } else if (word == "score") {
            const std::string_view unit = next_word(line);
            if (unit != "cp" && unit != "mate") return std::nullopt;
            info.score.mate = unit == "mate";
            if (!read_number(next_word(line), info.score.value)) return std::nullopt;
            scored = true;
        } else if (word == "pv") {
            info.move = engine_move(next_word(line));
            break;
        } else if (word == "string") {
            break;  // free text to the end of the line
        }
    }
    return scored ? std::optional(info) : std::nullopt;
}

Move engine_move(std::string_view text) {
    if (text.size() < 4 || text.size() > 5) return {};
    std::array<int, 4> at{};
    for (std::size_t i = 0; i < 4; ++i) {
        at[i] = text[i] - (i % 2 == 0 ? 'a' : '1');
        if (at[i] < 0 || at[i] > 7) return {};
    }
    const std::size_t promotion = text.size() == 5 ? kPromotions.find(text[4]) : 0;
    if (promotion == std::string_view::npos) return {};
    return Move(at[0] + 8 * at[1], at[2] + 8 * at[3], static_cast<chess::Kind>(promotion));
}

std::string orthodox_fen(const Position& position) {
    Position cleaned = position;
    cleaned.castling = orthodox_castling(position);
    if (!en_passant_is_legal(position)) cleaned.en_passant = chess::kNoSquare;
    return to_fen(cleaned) + " 0 1";
}

bool has_safe_move(const Position& position) {
    MoveList moves;
    generate(position, moves);
    for (const Move move : moves)
        if (keeps_king_safe(position, move)) return true;
    return false;
}

Plan make_plan(const Position& position, const std::vector<Move>& moves) {
    Plan plan;
    MoveList legal;
    generate(position, legal);
    const bool askable = king_is_safe(position, ~position.turn) && legal.size() <= kMostMoves;
    for (int i = 0; i < static_cast<int>(moves.size()); ++i) {
        const Move move = moves[static_cast<std::size_t>(i)];
        Position child = position;
        child.play(move);
        if (!has_safe_move(child)) {
            plan.mates.push_back(i);
        } else if (askable && !castles_against_rules(position, move)) {
            plan.together.push_back(i);
        } else {
            plan.alone.push_back(i);
            plan.children.push_back(orthodox_fen(child));
        }
    }
    if (!plan.together.empty()) plan.fen = orthodox_fen(position);
    int safe = 0;
    for (const Move move : legal) safe += keeps_king_safe(position, move);
    plan.all = static_cast<int>(plan.together.size() + plan.mates.size()) == safe;
    return plan;
}

}  // namespace murk::eval
