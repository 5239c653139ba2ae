#include "bindings/arrays.h"

NB_MODULE(_core, m) {
    nanobind::set_leak_warnings(false);  // a tree that outlives the interpreter is not a bug
    m.doc() = "The native core of murk: the game tree and every loop over it.";
    murk::bindings::bind_tree(m);
    murk::bindings::bind_solve(m);
    murk::bindings::bind_openspiel(m);
    murk::bindings::bind_knowledge(m);
    murk::bindings::bind_subgame(m);
    murk::bindings::bind_growing(m);
    murk::bindings::bind_chess(m);
    murk::bindings::bind_belief(m);
    murk::bindings::bind_evaluator(m);
    murk::bindings::bind_eval(m);
    murk::bindings::bind_stockfish(m);
    murk::bindings::bind_search(m);
    murk::bindings::bind_lookahead(m);
}
