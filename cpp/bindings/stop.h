// How Python stops a native loop: by Ctrl-C, or by a function of its own that says so.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <exception>
#include <functional>
#include <optional>

namespace murk::bindings {

namespace nb = nanobind;

using StopFunction = std::optional<nb::typed<nb::callable, bool()>>;

// Asked by a loop that runs without the GIL, on the thread that called it, as often as it likes: every few milliseconds
// it looks for a signal and asks the function. What Python raises stops the loop and is raised once it has returned.
class StopRequest {
  public:
    explicit StopRequest(const StopFunction& function) : function_(function) {}

    bool operator()() {
        if (stopped_) return true;
        const auto now = std::chrono::steady_clock::now();
        if (now < next_) return false;
        next_ = now + kPeriod;
        return stopped_ = ask();
    }

    // To be called with the GIL, after the loop.
    void raise() const {
        if (error_) std::rethrow_exception(error_);
    }

    std::function<bool()> as_function() {
        return [this] { return (*this)(); };
    }

  private:
    static constexpr auto kPeriod = std::chrono::milliseconds(10);

    bool ask() {
        const nb::gil_scoped_acquire held;
        try {
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            return function_ && nb::cast<bool>((*function_)());
        } catch (...) {
            error_ = std::current_exception();
            return true;
        }
    }

    const StopFunction& function_;
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kPeriod;
    bool stopped_ = false;
    std::exception_ptr error_;
};

}  // namespace murk::bindings
