#include "eval/embedded.h"

#include <cmath>

namespace murk::eval {

using chess::Position;

float squash(int value) {
    if (value >= kWonAtLeast) return 1.0f;
    if (value <= -kWonAtLeast) return -1.0f;
    return static_cast<float>(std::tanh(static_cast<double>(value) / kValueOne));
}

std::vector<std::pair<std::string, std::string>> Embedded::parameters() const {
    return {{"net", version_}, {"nodes", std::to_string(limits_.nodes)}, {"kernels", network_->kernels().name}};
}

void Embedded::open_values(std::span<const Request> requests) const {
    const auto search = std::make_unique<Quiescence>(*network_, limits_);
    for (const Request& request : requests) {
        // White always answers: colours exchanged, the search takes the very same steps.
        const bool turned = request.position.turn == chess::kWhite;
        search->set_parent(turned ? request.position.mirror() : request.position);
        for (std::size_t i = 0; i < request.moves.size(); ++i) {
            const chess::Move move = request.moves[i];
            const chess::Move seen = turned ? chess::Move(move.from() ^ 56, move.to() ^ 56, move.promotion()) : move;
            request.values[i] = -squash(search->value_after(seen));
        }
    }
}

float Embedded::value(const Position& position) const {
    const auto search = std::make_unique<Quiescence>(*network_, limits_);
    search->set_parent(position.turn == chess::kBlack ? position.mirror() : position);
    return squash(search->value_here());
}

float Embedded::static_value(const Position& position) const { return squash(network_->value(position)); }

}  // namespace murk::eval
