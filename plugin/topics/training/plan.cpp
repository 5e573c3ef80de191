#include "plugin/topics/training/plan.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "config/error.h"

namespace kindred {
namespace {

std::int64_t in_range(std::int64_t value, std::int64_t low, std::int64_t high, const char* name) {
  if (value >= low && value <= high) return value;
  throw Error(Errc::kInvalidArgument, std::string("topics: ") + name + " is " +
                                          std::to_string(value) + "; expected " +
                                          std::to_string(low) + " to " + std::to_string(high));
}

std::uint32_t usual_side(std::size_t documents) {
  const double side = std::sqrt(5 * std::sqrt(static_cast<double>(documents)));
  return static_cast<std::uint32_t>(std::clamp(std::ceil(side), 2.0, 50.0));
}

SomStart start_of(const std::string& name) {
  if (name == "plane") return SomStart::kPrincipalPlane;
  if (name == "documents") return SomStart::kDocuments;
  if (name == "uniform") return SomStart::kUniform;
  throw Error(Errc::kInvalidArgument,
              "topics: start is '" + name + "'; expected plane, documents or uniform");
}

bool is_hexagonal(const std::string& lattice) {
  if (lattice == "hexagonal" || lattice == "rectangular") return lattice == "hexagonal";
  throw Error(Errc::kInvalidArgument,
              "topics: lattice is '" + lattice + "'; expected hexagonal or rectangular");
}

}  // namespace

SomPlan topic_plan(const TopicsRequest& request, std::size_t documents, const TopicMap* earlier) {
  constexpr std::int64_t kMostSide = 1000;
  SomPlan plan;
  const auto side = [&](std::optional<std::int64_t> asked, const char* name) {
    return asked ? static_cast<std::uint32_t>(in_range(*asked, 1, kMostSide, name))
                 : usual_side(documents);
  };
  plan.lattice = {side(request.rows, "rows"), side(request.columns, "columns"),
                  is_hexagonal(request.lattice), request.toroidal};
  if (plan.lattice.hexagonal && plan.lattice.toroidal && !request.rows)
    plan.lattice.rows += plan.lattice.rows % 2;
  if (earlier != nullptr) {
    const TopicMapOrigin& origin = earlier->origin;
    plan.lattice = {origin.rows, origin.columns, origin.hexagonal, origin.toroidal};
  }
  plan.schedule.epochs = static_cast<std::uint32_t>(in_range(request.epochs, 1, 1000000, "epochs"));
  plan.schedule.sigma_start = request.sigma_start;
  plan.schedule.sigma_end = request.sigma_end;
  // The map that is there is to be refined, not unfolded again.
  if (earlier != nullptr && request.sigma_start == 0) plan.schedule.sigma_start = request.sigma_end;
  plan.schedule.fall =
      request.linear ? SomSchedule::Fall::kLinear : SomSchedule::Fall::kExponential;
  plan.schedule = resolved(plan.schedule, plan.lattice.rows, plan.lattice.columns);
  plan.cut = request.cut;
  plan.start = start_of(request.start);
  plan.seed = static_cast<std::uint64_t>(in_range(request.seed, 0, INT64_MAX, "seed"));
  return plan;
}

std::size_t topic_count(const TopicsRequest& request) {
  return static_cast<std::size_t>(in_range(request.count, 0, 1000000, "count"));
}

}  // namespace kindred
