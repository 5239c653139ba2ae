#include "solve/cfr.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace murk {
namespace {

using kernels::Group;
using kernels::RegretWeights;

// Slots of a group that belong to one part, in whole lines.
std::pair<std::int64_t, std::int64_t> share(const Group& group, std::size_t part, std::size_t parts) {
    const auto lines = static_cast<std::size_t>(group.stride) / kLanes;
    return {static_cast<std::int64_t>(lines * part / parts * kLanes),
            static_cast<std::int64_t>(lines * (part + 1) / parts * kLanes)};
}

// t^power / (t^power + 1), also for infinite powers.
double discount(double t, double power) {
    if (std::isinf(power)) return power > 0 ? 1.0 : 0.0;
    const double w = std::pow(t, power);
    return std::isinf(w) ? 1.0 : w / (w + 1.0);
}

}  // namespace

Cfr::Cfr(std::shared_ptr<const SequenceForm> game, const CfrOptions& options)
    : game_(std::move(game)),
      options_(options),
      kernels_(options.kernels != nullptr ? *options.kernels : kernels::best()) {
    for (int p = 0; p < kNumPlayers; ++p) {
        const Treeplex& plex = game_->treeplex(p);
        Side& side = sides_[p];
        for (Vector* v : {&side.regret, &side.prediction, &side.behaviour, &side.x, &side.sum, &side.q})
            *v = Vector(plex.size);
        side.infoset_value = Vector(plex.num_positions);
        plex.uniform(side.behaviour.data());
        side.x[0] = 1.0;
        for (const Group& group : plex.groups)
            kernels_.spread(group, 0, group.stride, plex.parent.data(), side.behaviour.data(), side.x.data(), nullptr,
                            0.0);
    }
    workers_ = std::make_unique<Workers>(options.threads);
}

// Counterfactual values of p's sequences against the opponent's current strategy, regrets, next behaviour:
// bottom-up.
void Cfr::respond(int p, std::size_t part, Barrier& barrier, const RegretWeights& weights) {
    const Treeplex& plex = game_->treeplex(p);
    Side& side = sides_[p];
    const std::size_t parts = workers_->parts();
    if (part == 0) game_->payoff(p).clear(game_->base(p), side.q.data());
    game_->payoff(p).multiply(kernels_, sides_[1 - p].x.data(), game_->base(p), side.q.data(), part, parts);
    barrier.wait();
    const kernels::Branch* branches = plex.branches.data();
    for (std::size_t d = plex.depth(); d-- > 0;) {
        const std::size_t from = plex.branch_level[d + 1];
        const std::size_t count = plex.branch_level[d + 2] - from;
        kernels_.add_children(branches + from + count * part / parts, branches + from + count * (part + 1) / parts,
                              plex.children.data(), side.infoset_value.data(), side.q.data());
        barrier.wait();
        for (std::size_t g = plex.level[d]; g < plex.level[d + 1]; ++g) {
            const auto [begin, end] = share(plex.groups[g], part, parts);
            kernels_.update(options_.regret, plex.groups[g], begin, end, weights, side.q.data(), side.behaviour.data(),
                            side.regret.data(), side.prediction.data(), side.infoset_value.data());
        }
        barrier.wait();
    }
}

// Sequence form of p's new behaviour, top-down, added to the average.
void Cfr::advance(int p, std::size_t part, Barrier& barrier, double weight) {
    const Treeplex& plex = game_->treeplex(p);
    Side& side = sides_[p];
    const std::size_t parts = workers_->parts();
    for (std::size_t d = 0; d < plex.depth(); ++d) {
        for (std::size_t g = plex.level[d]; g < plex.level[d + 1]; ++g) {
            const auto [begin, end] = share(plex.groups[g], part, parts);
            kernels_.spread(plex.groups[g], begin, end, plex.parent.data(), side.behaviour.data(), side.x.data(),
                            side.sum.data(), weight);
        }
        barrier.wait();
    }
}

void Cfr::run(std::int64_t iterations) {
    Barrier barrier(workers_->parts());
    const std::int64_t first = iteration_ + 1;
    const std::int64_t last = iteration_ + iterations;
    workers_->run([&](std::size_t part) {
        for (std::int64_t t = first; t <= last; ++t) {
            const auto time = static_cast<double>(t);
            RegretWeights weights;
            if (options_.linear_regret) weights.gain = time;
            if (options_.regret == kernels::Regret::kDiscounted) {
                weights.positive = discount(time, options_.alpha);
                weights.negative = discount(time, options_.beta);
            }
            const double weight = std::pow(time, options_.average_power);
            if (options_.alternating) {
                for (int p = 0; p < kNumPlayers; ++p) {
                    respond(p, part, barrier, weights);
                    advance(p, part, barrier, weight);
                }
            } else {
                for (int p = 0; p < kNumPlayers; ++p) respond(p, part, barrier, weights);
                for (int p = 0; p < kNumPlayers; ++p) advance(p, part, barrier, weight);
            }
        }
    });
    for (std::int64_t t = first; t <= last; ++t)
        average_weight_ += std::pow(static_cast<double>(t), options_.average_power);
    iteration_ = std::max(iteration_, last);
}

void Cfr::normalised_average(int p, double* kernel) const {
    const Treeplex& plex = game_->treeplex(p);
    if (average_weight_ <= 0.0) {
        std::memcpy(kernel, sides_[p].x.data(), plex.size * sizeof(double));
        return;
    }
    const double scale = 1.0 / average_weight_;
    for (std::size_t s = 0; s < plex.size; ++s) kernel[s] = sides_[p].sum[s] * scale;
    kernel[0] = 1.0;
}

std::vector<double> Cfr::average(int p) const {
    const Treeplex& plex = game_->treeplex(p);
    Vector kernel(plex.size);
    normalised_average(p, kernel.data());
    std::vector<double> out(plex.num_sequences);
    plex.scatter(kernel.data(), out.data());
    return out;
}

std::vector<double> Cfr::current(int p) const {
    const Treeplex& plex = game_->treeplex(p);
    std::vector<double> out(plex.num_sequences);
    plex.scatter(sides_[p].x.data(), out.data());
    return out;
}

double Cfr::best_response_value(int responder, bool of_average) const {
    const int other = 1 - responder;
    const Treeplex& plex = game_->treeplex(other);
    Vector opponent(plex.size);
    if (of_average) {
        normalised_average(other, opponent.data());
    } else {
        opponent.copy_from(sides_[other].x);
    }
    const Treeplex& own = game_->treeplex(responder);
    Vector q(own.size + kLanes);
    Vector infoset_value(own.num_positions);
    const double best = maximise_bottom_up(*game_, responder, opponent.data(), q.data(), infoset_value.data());
    // The extra payoffs of `game_->extra(other)` are from the other side's point of view.
    double constant = 0.0;
    for (std::size_t s = 0; s < plex.size; ++s) constant += game_->extra(other)[s] * opponent[s];
    return responder == kMax ? best - constant : -best + constant;
}

Cfr::State Cfr::save() const {
    State state;
    state.iteration = iteration_;
    state.average_weight = average_weight_;
    for (int p = 0; p < kNumPlayers; ++p) {
        const Treeplex& plex = game_->treeplex(p);
        const Vector* kernel[] = {&sides_[p].regret, &sides_[p].prediction, &sides_[p].behaviour, &sides_[p].sum};
        for (int k = 0; k < 4; ++k) {
            state.vectors[p][k].resize(plex.num_sequences);
            plex.scatter(kernel[k]->data(), state.vectors[p][k].data());
        }
    }
    return state;
}

void Cfr::restore(const State& state) {
    for (int p = 0; p < kNumPlayers; ++p)
        for (const std::vector<double>& v : state.vectors[p])
            if (v.size() != game_->treeplex(p).num_sequences)
                throw std::invalid_argument("the saved solver state belongs to another game");
    iteration_ = state.iteration;
    average_weight_ = state.average_weight;
    for (int p = 0; p < kNumPlayers; ++p) {
        const Treeplex& plex = game_->treeplex(p);
        Side& side = sides_[p];
        Vector* kernel[] = {&side.regret, &side.prediction, &side.behaviour, &side.sum};
        for (int k = 0; k < 4; ++k) plex.gather(state.vectors[p][k].data(), kernel[k]->data());
        for (const Group& group : plex.groups)
            kernels_.spread(group, 0, group.stride, plex.parent.data(), side.behaviour.data(), side.x.data(), nullptr,
                            0.0);
    }
}

}  // namespace murk
