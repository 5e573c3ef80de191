#pragma once

#include <string>
#include <string_view>

#include "page/html/address.h"
#include "page/html/page_context.h"

namespace search_server {

inline constexpr std::size_t kResultsOnPage = 20;
inline constexpr std::size_t kFacetsOnPage = 30;  // values of each

/// What a search asks for: query, filters, order. Two states that are equal have the same address.
class SearchState {
 public:
  /// Takes the parameters that GET /search knows and leaves the others. "" is no value.
  explicit SearchState(const Parameters& query);

  SearchState with(std::string_view name, std::string_view value) const;
  SearchState without(std::string_view name, std::string_view value) const;
  /// The same query and order without filters.
  SearchState unfiltered() const;
  /// For a parameter that has one value, such as "sort" or "offset"; "" takes it away.
  SearchState having(std::string_view name, std::string_view value) const;

  /// What a page asks GET /search for: with a limit, and with near-copies folded, unless the state
  /// says otherwise.
  Address question(std::size_t limit, std::size_t facets) const;

  bool has(std::string_view name, std::string_view value) const;
  std::string value(std::string_view name) const;  ///< the first one, or ""

  /// Names and values of the filters, in the order of the address.
  Parameters filters() const;
  const Parameters& parameters() const { return parameters_; }
  Address address(Path path) const;

  static bool is_filter(std::string_view name);

 private:
  Parameters parameters_;
};

}  // namespace search_server
