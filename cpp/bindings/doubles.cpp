#include "bindings/doubles.h"

namespace murk::bindings {
namespace {

namespace nb = nanobind;

// numpy's PyArrayObject_fields.
struct ArrayFields {
    PyObject_HEAD;
    char* data;
    int ndim;
    Py_ssize_t* shape;
    Py_ssize_t* strides;
    PyObject* base;
    PyObject* dtype;
};

const ArrayFields& fields(PyObject* array) { return *reinterpret_cast<const ArrayFields*>(array); }

// What arrays of doubles are known by; null if their fields are not where they are expected.
struct Numpy {
    PyTypeObject* array_type = nullptr;
    PyObject* float64 = nullptr;

    Numpy() noexcept {
        try {
            const nb::module_ numpy = nb::module_::import_("numpy");
            const nb::object dtype = numpy.attr("dtype")("float64");
            const nb::object probe = numpy.attr("zeros")(3)[nb::slice(1, 3, 1)];
            const auto address = nb::cast<std::uintptr_t>(probe.attr("__array_interface__")["data"][0]);
            const ArrayFields& f = fields(probe.ptr());
            if (reinterpret_cast<std::uintptr_t>(f.data) != address || f.ndim != 1 || f.dtype != dtype.ptr() ||
                f.shape[0] != 2 || f.strides[0] != sizeof(double))
                return;
            array_type = Py_TYPE(probe.ptr());
            float64 = nb::object(dtype).release().ptr();
        } catch (const std::exception&) {  // then everything goes through the buffer protocol
        }
    }
};

}  // namespace

bool Doubles::open(nb::handle object) noexcept {
    close();
    return open_array(object.ptr()) || open_buffer(object.ptr());
}

bool Doubles::open_array(PyObject* object) noexcept {
    static const Numpy numpy;
    if (Py_TYPE(object) != numpy.array_type) return false;
    const ArrayFields& f = fields(object);
    if (f.dtype != numpy.float64 || f.ndim != 1 || (f.strides[0] != sizeof(double) && f.shape[0] > 1)) return false;
    array_ = Py_NewRef(object);  // as a buffer would: who holds it cannot have it resized
    data_ = reinterpret_cast<const double*>(f.data);
    size_ = static_cast<std::size_t>(f.shape[0]);
    return true;
}

bool Doubles::open_buffer(PyObject* object) noexcept {
    if (PyObject_GetBuffer(object, &view_, PyBUF_ND | PyBUF_FORMAT) != 0) {
        PyErr_Clear();
        view_ = Py_buffer{};
        return false;
    }
    if (view_.ndim != 1 || view_.format[0] != 'd' || view_.format[1] != '\0') return false;
    data_ = static_cast<const double*>(view_.buf);
    size_ = static_cast<std::size_t>(view_.shape[0]);
    return true;
}

void Doubles::close() noexcept {
    Py_CLEAR(array_);
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
}

}  // namespace murk::bindings
