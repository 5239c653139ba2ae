#include "bindings/arrays.h"

NB_MODULE(_core, m) {
    m.doc() = "The native core of murk: the game tree and every loop over it.";
    murk::bindings::bind_tree(m);
    murk::bindings::bind_solve(m);
    murk::bindings::bind_openspiel(m);
    murk::bindings::bind_knowledge(m);
    murk::bindings::bind_subgame(m);
}
