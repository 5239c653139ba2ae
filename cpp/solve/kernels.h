// The innermost loops, compiled once for each instruction set and chosen at run time.
//
// Every variant adds in the same order and never fuses a multiply with an add, so all of them give the same
// bits: a lane holds one row or one infoset from beginning to end, and lanes never mix.
#pragma once

#include <cstddef>
#include <cstdint>

namespace murk::kernels {

// Up to `width` consecutive rows of a payoff matrix and the union of their columns. Width 8 and 4 store the
// values column by column, padded with zeros to `width`; width 1 is a plain sparse row. An entry is its
// stored value times `scale`.
struct Block {
    std::int32_t row;
    std::uint8_t rows;
    std::uint8_t width;
    std::int32_t columns;
    std::int32_t alike;    // so many blocks, this one included, have the same width, columns and rows
    std::int64_t values;   // offset of the first value; blocks may share them
    std::int64_t indices;  // offset of the first column number
    double scale;
};

// Infosets of one depth with the same number of actions. Action a of slot i is sequence base + a * stride +
// i.
struct Group {
    std::int32_t actions;
    std::int32_t slots;
    std::int64_t stride;
    std::int64_t base;
    std::int64_t infoset;  // position of slot 0 in the per-infoset arrays
};

// Sequences and the range of their child infosets in the list of children. Width 1 is one sequence. Width 8 is a line
// of consecutive ones, whose children form rows of eight; where a sequence has fewer than its neighbours the row names
// a position whose value is always 0. A row of consecutive positions is listed by its first, before `scattered`; of any
// other all eight are.
struct Branch {
    std::int32_t sequence;
    std::int32_t width;
    std::int32_t begin;
    std::int32_t scattered;
    std::int32_t end;
};

enum class Regret { kPlain, kPlus, kDiscounted, kPredictive };

struct RegretWeights {
    double gain = 1.0;      // weight of this iteration's regret
    double positive = 1.0;  // discount of positive and of negative regret, after adding
    double negative = 1.0;
};

struct Kernels {
    const char* name;
    // out[r] = base[r] + sum_c A[r, c] * in[c] for the rows of blocks [begin, end); nullptr is a base of zeros.
    void (*multiply)(const Block* begin, const Block* end, const double* values, const std::int32_t* indices,
                     const double* in, const double* base, double* out);
    // q[sequence] += sum of the values of its child infosets.
    void (*add_children)(const Branch* begin, const Branch* end, const std::int32_t* children,
                         const double* infoset_value, double* q);
    // Value of each infoset in slots [from, to) under the strategy, then its regrets, then the next strategy.
    void (*update)(Regret kind, const Group& group, std::int64_t from, std::int64_t to, RegretWeights weights,
                   const double* q, double* strategy, double* regret, double* prediction, double* infoset_value);
    // Sequence form from behaviour: x[I a] = x[parent of I] * strategy[I a]; sum += weight * x unless weight
    // is 0.
    void (*spread)(const Group& group, std::int64_t from, std::int64_t to, const std::int32_t* parent,
                   const double* strategy, double* x, double* sum, double weight);
    // Value of each infoset when its player maximises.
    void (*maximise)(const Group& group, std::int64_t from, std::int64_t to, const double* q, double* infoset_value);
};

// The best variant this processor can run, or the one called `name` (nullptr if it cannot run here or does
// not exist).
const Kernels& best();
const Kernels* find(const char* name);

}  // namespace murk::kernels
