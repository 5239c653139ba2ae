// Passing arrays between C++ and numpy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <span>
#include <utility>
#include <vector>

#include "tree/stable_array.h"

namespace murk::bindings {

namespace nb = nanobind;

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
using View = nb::ndarray<nb::numpy, const T, nb::ndim<1>>;

// A tuple whose parts are told in the docstring.
using AnyTuple = nb::typed<nb::tuple, nb::any, nb::ellipsis>;

template <class... Parts>
AnyTuple pack(Parts&&... parts) {
    return AnyTuple(nb::make_tuple(std::forward<Parts>(parts)...));
}

template <class T>
std::span<const T> span_of(const In<T>& array) {
    return {array.data(), array.shape(0)};
}

// Hands the vector's memory over to numpy.
template <class T>
Out<T> to_numpy(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}

// A read-only window on memory that `owner` keeps alive.
template <class T>
View<T> view_of(const StableArray<T>& array, nb::handle owner) {
    return View<T>(array.data(), {array.size()}, owner);
}

void bind_tree(nb::module_& m);
void bind_solve(nb::module_& m);
void bind_openspiel(nb::module_& m);
void bind_knowledge(nb::module_& m);
void bind_subgame(nb::module_& m);
void bind_growing(nb::module_& m);
void bind_chess(nb::module_& m);
void bind_belief(nb::module_& m);
void bind_evaluator(nb::module_& m);
void bind_eval(nb::module_& m);
void bind_stockfish(nb::module_& m);
void bind_search(nb::module_& m);
void bind_lookahead(nb::module_& m);

}  // namespace murk::bindings
