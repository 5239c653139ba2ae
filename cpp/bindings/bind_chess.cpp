// Moves and positions of dark chess. What is wrong with an argument is raised as murk.errors.InputError, and a move
// that is none as its subclass IllegalMoveError; pictures are drawn in Python, by murk.darkchess.picture.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "chess/kernels.h"
#include "chess/movegen.h"
#include "chess/notation.h"
#include "chess/observation.h"
#include "chess/position.h"

namespace murk::bindings {
namespace {

using chess::Colour;
using chess::Move;
using chess::Position;
using chess::Square;

void raise_as(const char* error_class, const char* message) {
    const nb::object type = nb::module_::import_("murk.errors").attr(error_class);
    PyErr_SetString(type.ptr(), message);
}

void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const chess::IllegalMove& error) {
        raise_as("IllegalMoveError", error.what());
    } catch (const chess::Error& error) {
        raise_as("InputError", error.what());
    }
}

Square checked_square(int square) {
    if (square < 0 || square > 63)
        throw chess::Error("bad square " + std::to_string(square) + ": squares run from 0 (a1) to 63 (h8)");
    return square;
}

Square named_square(const std::string& name) {
    const Square square = chess::parse_square(name);
    if (square == chess::kNoSquare)
        throw chess::Error("bad square " + chess::quoted(name) + ": squares run from a1 to h8");
    return square;
}

// The place of a one-letter text among some letters.
std::size_t place_of(const nb::str& text, std::string_view letters, const char* what, const char* expected) {
    const std::string letter = text.c_str();
    const std::size_t place = letter.size() == 1 ? letters.find(letter[0]) : std::string::npos;
    if (place == std::string::npos)
        throw chess::Error("bad " + (what + (" " + chess::quoted(letter))) + ": it is one of " + expected);
    return place;
}

chess::Kind promotion_kind(const std::optional<nb::str>& letter) {
    return letter ? static_cast<chess::Kind>(place_of(*letter, "nbrq", "promotion", "n, b, r and q") + 1)
                  : chess::kPawn;
}

chess::Bitboard pieces(const Position& position, Colour colour, const std::optional<nb::str>& kind) {
    if (!kind) return position.colours[colour];
    const std::size_t k = place_of(*kind, chess::kKindLetters, "kind of piece", "p, n, b, r, q and k");
    return position.pieces(colour, static_cast<chess::Kind>(k));
}

Move checked_bits(std::uint16_t bits) {
    const Move move = Move::from_bits(bits);
    if (move.promotion() > chess::kQueen || (bits != 0 && move.from() == move.to()))
        throw chess::Error("bad move " + std::to_string(bits) + ": these are not the bits of a move");
    return move;
}

int move_order(Move move) { return move.from() << 10 | move.to() << 4 | move.promotion(); }

Position played(const Position& position, Move move) {
    if (!chess::is_legal(position, move))
        throw chess::IllegalMove("illegal move " + chess::to_uci(move) + " in \"" + chess::to_fen(position) + "\"");
    Position next = position;
    next.play(move);
    return next;
}

chess::Observation observation_after(const Position& position, Move move, Colour colour) {
    chess::Observation view = chess::observe(played(position, move), colour);
    if (position.turn != colour) view.captured = static_cast<std::uint8_t>(chess::captured_square(position, move));
    return view;
}

std::optional<Colour> winner(const Position& position) {
    if (position.pieces(chess::kWhite, chess::kKing) == 0) return chess::kBlack;
    if (position.pieces(chess::kBlack, chess::kKing) == 0) return chess::kWhite;
    if (chess::count_moves(position) == 0) return ~position.turn;
    return std::nullopt;
}

const chess::Kernels& kernels_named(const std::optional<std::string>& name) {
    if (!name) return chess::best_kernels();
    for (const chess::Isa isa : chess::instruction_sets())
        if (*name == chess::name_of(isa)) return chess::kernels_of(isa);
    throw chess::Error("this processor cannot run the instruction set " + chess::quoted(*name));
}

int checked_depth(int depth, int lowest) {
    if (depth < lowest)
        throw chess::Error("bad depth " + std::to_string(depth) + ": it must be at least " + std::to_string(lowest));
    return depth;
}

void poll_signals() {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

std::uint64_t perft(const Position& position, int depth, const std::optional<std::string>& instructions) {
    const chess::Kernels& kernels = kernels_named(instructions);
    checked_depth(depth, 0);
    const nb::gil_scoped_release released;
    return kernels.perft(position, depth, poll_signals);
}

nb::typed<nb::dict, Move, int> divide(const Position& position, int depth) {
    checked_depth(depth, 1);
    nb::dict counts;
    for (const Move move : chess::legal_moves(position)) {
        Position next = position;
        next.play(move);
        counts[nb::cast(move)] = perft(next, depth - 1, std::nullopt);
    }
    return nb::typed<nb::dict, Move, int>(counts);
}

std::string position_repr(const Position& position) {
    return "Position('" + chess::to_fen(position) + (position.king_captured() ? "', allow_missing_king=True)" : "')");
}

std::string move_repr(Move move) { return move ? "Move.from_uci('" + chess::to_uci(move) + "')" : "Move(0)"; }

nb::object drawn(const char* function, const Position& position) {
    return nb::module_::import_("murk.darkchess.picture").attr(function)(position);
}

void bind_move(nb::module_& m) {
    nb::class_<Move>(m, "Move", "A move: from, to and perhaps a promotion. Castling is the king's step of two squares.")
        .def(
            "__init__", [](Move* self, std::uint16_t bits) { new (self) Move(checked_bits(bits)); }, nb::arg("bits"),
            "The move with these 16 bits: from + 64 to + 4096 promotion.")
        .def_static("from_uci", &chess::parse_uci, nb::arg("text"), "Read `e2e4` or `e7e8q`.")
        .def_static(
            "from_squares",
            [](int from, int to, const std::optional<nb::str>& promotion) {
                return checked_bits(Move(checked_square(from), checked_square(to), promotion_kind(promotion)).bits());
            },
            nb::arg("from_square"), nb::arg("to_square"), nb::arg("promotion") = nb::none())
        .def_prop_ro("from_square", &Move::from)
        .def_prop_ro("to_square", &Move::to)
        .def_prop_ro(
            "promotion",
            [](Move move) -> std::optional<std::string> {
                if (move.promotion() == chess::kPawn) return std::nullopt;
                return std::string(1, chess::kKindLetters[move.promotion()]);
            },
            "One of n, b, r and q, or None.")
        .def_prop_ro("bits", &Move::bits)
        .def("__str__", &chess::to_uci)
        .def("__repr__", &move_repr)
        .def("__hash__", [](Move move) { return static_cast<int>(move.bits()); })
        .def("__getstate__", &Move::bits)
        .def("__setstate__", [](Move& self, std::uint16_t bits) { new (&self) Move(checked_bits(bits)); })
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def(
            "__lt__", [](Move a, Move b) { return move_order(a) < move_order(b); }, nb::is_operator())
        .def(
            "__le__", [](Move a, Move b) { return move_order(a) <= move_order(b); }, nb::is_operator())
        .def(
            "__gt__", [](Move a, Move b) { return move_order(a) > move_order(b); }, nb::is_operator())
        .def("__ge__", [](Move a, Move b) { return move_order(a) >= move_order(b); }, nb::is_operator());
}

void bind_position(nb::module_& m) {
    nb::class_<Position> position(
        m, "Position",
        "A position of dark chess: placement, side to move, castling and en-passant rights. Immutable; no clocks.");
    position
        .def(
            "__init__",
            [](Position* self, const std::string& fen, bool allow_missing_king) {
                new (self) Position(chess::parse_fen(fen, nullptr, allow_missing_king));
            },
            nb::arg("fen") = std::string(chess::kStartFen), nb::kw_only(), nb::arg("allow_missing_king") = false)
        .def_prop_ro("fen", &chess::to_fen, "The first four fields of FEN.")
        .def_prop_ro(
            "turn", [](const Position& p) { return p.turn; }, "The side to move.")
        .def_prop_ro(
            "castling", [](const Position& p) { return chess::castling_text(p.castling); },
            "`KQkq`, some of it, or `-`.")
        .def_prop_ro(
            "en_passant",
            [](const Position& p) -> std::optional<int> {
                return p.en_passant == chess::kNoSquare ? std::nullopt : std::optional<int>(p.en_passant);
            },
            "The square where a pawn can be taken in passing now, or None.")
        .def_prop_ro("key", &Position::key, "A 64-bit hash of the whole position: the transposition key.")
        .def_prop_ro("occupied", &Position::occupied, "The occupied squares, as a mask: bit 0 is a1, bit 63 is h8.")
        .def("pieces", &pieces, nb::arg("colour"), nb::arg("kind") = nb::none(),
             "The squares of a side's pieces (of one kind), as a mask.")
        .def(
            "piece_at",
            [](const Position& p, int square) -> std::optional<std::string> {
                const char letter = chess::letter_at(p, checked_square(square));
                return letter == 0 ? std::nullopt : std::optional<std::string>(std::string(1, letter));
            },
            nb::arg("square"), "The piece on a square as FEN writes it (`N` is White's), or None.")
        .def_prop_ro(
            "legal_moves", [](const Position& position) { return chess::legal_moves(position); },
            "All moves, in a fixed order; none once a king is gone.")
        .def_prop_ro("num_moves", &chess::count_moves, "How many legal moves there are.")
        .def("is_legal", &chess::is_legal, nb::arg("move"))
        .def("play", &played, nb::arg("move"), "The position after a legal move.")
        .def_prop_ro("winner", &winner, "Who has won: a king is gone, or the side to move has no move. Else None.")
        .def("perft", &perft, nb::arg("depth"), nb::kw_only(), nb::arg("instructions") = nb::none(),
             "Leaves of the move tree at this depth; a captured king ends its line.")
        .def("divide", &divide, nb::arg("depth"), "Perft of each move: the leaves below it.")
        .def("san", &chess::to_san, nb::arg("move"),
             "A legal move in standard algebraic notation, without signs of check.")
        .def("parse_san", &chess::parse_san, nb::arg("text"), "Read a move in standard algebraic notation.")
        .def("parse_move", &chess::parse_move, nb::arg("text"), "Read a legal move in either notation, UCI or SAN.")
        .def_prop_ro("king_captured", &Position::king_captured)
        .def("observation", &chess::observe, nb::arg("colour"), "What a player sees.")
        .def("observation_after", &observation_after, nb::arg("move"), nb::arg("colour"),
             "What a player sees after a legal move, and where it took a piece of hers.")
        .def("mirror", &Position::mirror, "The position with colours exchanged and the board turned upside down.")
        .def(
            "__str__", [](const Position& p) { return drawn("text_board", p); }, nb::sig("def __str__(self) -> str"))
        .def(
            "_repr_svg_", [](const Position& p) { return drawn("svg_board", p); },
            nb::sig("def _repr_svg_(self) -> str"))
        .def("__repr__", &position_repr)
        .def("__hash__", &Position::key)
        .def("__getstate__", &chess::to_fen)
        .def("__setstate__",
             [](Position& self, const std::string& fen) { new (&self) Position(chess::parse_fen(fen, nullptr, true)); })
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

}  // namespace

void bind_chess(nb::module_& m) {
    nb::register_exception_translator(&translate);

    nb::enum_<Colour>(m, "Colour", nb::is_arithmetic(), "A side.")
        .value("WHITE", chess::kWhite)
        .value("BLACK", chess::kBlack);
    bind_move(m);
    bind_position(m);

    m.def(
        "square_name", [](int square) { return chess::square_name(checked_square(square)); }, nb::arg("square"),
        "The name of a square: 0 is a1, 63 is h8.");
    m.def("parse_square", &named_square, nb::arg("name"), "The number of a square: a1 is 0, h8 is 63.");
    m.def(
        "parse_fen",
        [](const std::string& fen) {
            chess::Clocks clocks;
            const Position position = chess::parse_fen(fen, &clocks);
            return std::pair(position, std::pair(clocks.halfmove, clocks.fullmove));
        },
        nb::arg("fen"), "A position and its clocks: plies without pawn move or capture, and the number of the move.");
    m.def(
        "chess_instruction_sets",
        [] {
            std::vector<std::string> names;
            for (const chess::Isa isa : chess::instruction_sets()) names.emplace_back(chess::name_of(isa));
            return names;
        },
        "Names of the chess kernels this processor can run, best last.");
}

}  // namespace murk::bindings
