#include "gpu/som/schedule.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "config/error.h"
#include "config/shown.h"

namespace kindred {
namespace {

void require_positive(double value, const char* name) {
  if (value > 0 && std::isfinite(value)) return;
  throw Error(Errc::kInvalidArgument, std::string("the schedule's ") + name + " is " +
                                          number_text(value) + "; expected a number above 0");
}

}  // namespace

double sigma_at(const SomSchedule& schedule, std::uint32_t epoch) {
  if (schedule.tau > 0)
    return std::max(schedule.sigma_end, schedule.sigma_start * std::exp(-(epoch / schedule.tau)));

  if (epoch >= schedule.fall_epochs) return schedule.sigma_end;

  // A share of the fall, in [0, 1): equal steps, or equal factors.
  const double part = static_cast<double>(epoch) / schedule.fall_epochs;
  if (schedule.fall == SomSchedule::Fall::kLinear)
    return schedule.sigma_start + (schedule.sigma_end - schedule.sigma_start) * part;
  return schedule.sigma_start * std::pow(schedule.sigma_end / schedule.sigma_start, part);
}

SomSchedule resolved(SomSchedule schedule, std::uint32_t rows, std::uint32_t columns) {
  if (schedule.epochs == 0)
    throw Error(Errc::kInvalidArgument, "a schedule of 0 epochs; expected at least 1");

  // By default, the first neighborhood reaches over half of the map.
  require_positive(schedule.sigma_end, "sigma_end");
  if (schedule.sigma_start == 0)
    schedule.sigma_start = std::max({1.0, schedule.sigma_end, std::min(rows, columns) / 2.0});
  require_positive(schedule.sigma_start, "sigma_start");

  if (schedule.sigma_end > schedule.sigma_start)
    throw Error(Errc::kInvalidArgument,
                "the schedule's sigma_end is " + number_text(schedule.sigma_end) +
                    "; expected at most sigma_start, " + number_text(schedule.sigma_start));

  if (!(schedule.tau >= 0) || !std::isfinite(schedule.tau)) require_positive(schedule.tau, "tau");
  if (schedule.fall_epochs == 0) schedule.fall_epochs = std::max(1u, schedule.epochs - 1);
  return schedule;
}

}  // namespace kindred
