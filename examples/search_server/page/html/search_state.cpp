#include "page/html/search_state.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace search_server {
namespace {

constexpr const char* kFold = "0.95";  // documents this similar are one result

template <std::size_t size>
bool among(const std::array<std::string_view, size>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr std::array<std::string_view, 5> kFilters = {"label", "predicted", "topic", "unit",
                                                      "language"};
constexpr std::array<std::string_view, 6> kOthers = {"q",     "sort",   "fold",
                                                     "limit", "offset", "partial"};

}  // namespace

bool SearchState::is_filter(std::string_view name) {
  return among(kFilters, name) || name.starts_with("value.");
}

SearchState::SearchState(const Parameters& query) {
  std::copy_if(query.begin(), query.end(), std::back_inserter(parameters_), [](const auto& entry) {
    return !entry.second.empty() && (is_filter(entry.first) || among(kOthers, entry.first));
  });
}

SearchState SearchState::with(std::string_view name, std::string_view value) const {
  SearchState state = having("offset", "");
  if (!has(name, value)) state.parameters_.emplace_back(name, value);
  return state;
}

SearchState SearchState::without(std::string_view name, std::string_view value) const {
  SearchState state = having("offset", "");
  std::erase_if(state.parameters_,
                [&](const auto& entry) { return entry.first == name && entry.second == value; });
  return state;
}

SearchState SearchState::unfiltered() const {
  SearchState state = having("offset", "");
  std::erase_if(state.parameters_, [](const auto& entry) { return is_filter(entry.first); });
  return state;
}

SearchState SearchState::having(std::string_view name, std::string_view value) const {
  SearchState state = *this;
  std::erase_if(state.parameters_, [&](const auto& entry) { return entry.first == name; });
  if (!value.empty()) state.parameters_.emplace_back(name, value);
  return state;
}

Address SearchState::question(std::size_t limit, std::size_t facets) const {
  SearchState state = *this;
  if (value("limit").empty()) state = state.having("limit", std::to_string(limit));
  if (value("fold").empty()) state = state.having("fold", kFold);
  return state.address("/search").with("facets", std::to_string(facets));
}

bool SearchState::has(std::string_view name, std::string_view value) const {
  return std::any_of(parameters_.begin(), parameters_.end(), [&](const auto& entry) {
    return entry.first == name && entry.second == value;
  });
}

std::string SearchState::value(std::string_view name) const {
  return first_value(parameters_, name);
}

Parameters SearchState::filters() const {
  Parameters filters;
  std::copy_if(parameters_.begin(), parameters_.end(), std::back_inserter(filters),
               [](const auto& entry) { return is_filter(entry.first); });
  return filters;
}

Address SearchState::address(Path path) const {
  Address address(path);
  for (const auto& [name, value] : parameters_) address = address.with(name, value);
  return address;
}

}  // namespace search_server
