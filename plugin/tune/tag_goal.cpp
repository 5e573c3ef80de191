#include "plugin/tune/tag_goal.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "config/error.h"
#include "config/shown.h"

namespace kindred {
namespace {

/// The number behind "NAME=", if the text is that and nothing else.
template <typename Number>
std::optional<Number> number_behind(std::string_view name, std::string_view text) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());

  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

TagGoal tag_goal(const std::string& text) {
  constexpr std::size_t kMostTop = 1000;
  if (text.empty()) return {};
  if (text == "micro") return {TagGoal::kMicro};
  if (text == "macro") return {TagGoal::kMacro};

  const auto precision = number_behind<double>("precision=", text);
  if (precision && *precision > 0 && *precision < 1) return {TagGoal::kPrecision, *precision};
  const auto top = number_behind<std::size_t>("top=", text);
  if (top && *top >= 1 && *top <= kMostTop) return {TagGoal::kTop, 0, *top};

  throw Error(Errc::kInvalidArgument,
              "goal: expected micro, macro, precision=P with P between 0 and 1, or top=N with N "
              "from 1 to 1000, found '" +
                  shortened(text) + "'");
}

}  // namespace kindred
