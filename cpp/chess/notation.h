// Squares and moves as text: names of squares, UCI, and standard algebraic notation (SAN).
#pragma once

#include <string>
#include <string_view>

#include "chess/position.h"

namespace murk::chess {

// What was given, in quotation marks, shortened and on one line, for messages.
std::string quoted(std::string_view text);

std::string square_name(Square square);
// kNoSquare if it is none.
Square parse_square(std::string_view text);

// The letter of FEN on a square (upper case for White), 0 if the square is empty.
char letter_at(const Position& position, Square square);
// "KQkq", some of it, or "-".
std::string castling_text(std::uint8_t castling);

// "e2e4", "e7e8q"; the null move is "0000".
std::string to_uci(Move move);
// Reads a move as UCI; whether it is legal is not asked. Throws Error.
Move parse_uci(std::string_view text);

// SAN of a legal move: "Nbd2", "exd6", "O-O", "e8=Q". No sign of check, which dark chess does not know.
std::string to_san(const Position& position, Move move);
// Reads SAN, with or without signs of check, capture, promotion ("e8Q") and annotation. Throws IllegalMove if there is
// no such move or more than one.
Move parse_san(const Position& position, std::string_view text);
// Reads a legal move in either notation.
Move parse_move(const Position& position, std::string_view text);

}  // namespace murk::chess
