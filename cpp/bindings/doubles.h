// A vector of doubles as an argument, for functions on small games: they take less time than nanobind needs to pass an
// ndarray.
//
// The fields of a numpy array are read where numpy documents them (PyArrayObject_fields), once a probe has shown that
// they are there. Anything else goes through the buffer protocol.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>

namespace murk::bindings {

class Doubles {
  public:
    Doubles() = default;
    Doubles(const Doubles&) = delete;
    Doubles& operator=(const Doubles&) = delete;
    ~Doubles() { close(); }

    // False, and no Python error, if `object` is not a contiguous vector of doubles.
    bool open(nanobind::handle object) noexcept;
    const double* data() const { return data_; }
    std::size_t size() const { return size_; }

  private:
    bool open_array(PyObject* object) noexcept;
    bool open_buffer(PyObject* object) noexcept;
    void close() noexcept;

    const double* data_ = nullptr;
    std::size_t size_ = 0;
    PyObject* array_ = nullptr;
    Py_buffer view_{};
};

}  // namespace murk::bindings

template <>
struct nanobind::detail::type_caster<murk::bindings::Doubles> {
    static constexpr auto Name = const_name("numpy.typing.NDArray[numpy.float64]");
    template <typename T>
    using Cast = const murk::bindings::Doubles&;
    template <typename T>
    static constexpr bool can_cast() {
        return true;
    }
    operator const murk::bindings::Doubles&() { return value; }
    bool from_python(handle source, std::uint8_t, cleanup_list*) noexcept { return value.open(source); }

    murk::bindings::Doubles value;
};
