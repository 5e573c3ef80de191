#include "page/lists/facets.h"

#include <algorithm>
#include <string>

#include "page/html/parts.h"

namespace search_server {
namespace {

constexpr std::size_t kShownFirst = 8;

/// What people call a filter.
std::string caption_of(std::string_view name) {
  if (name == "label") return "Tagged by people";
  if (name == "predicted") return "Predicted tags";
  if (name == "topic") return "Topics";
  if (name == "language") return "Languages";
  return std::string(name.substr(std::string_view("value.").size()));
}

std::string kind_of(std::string_view name) {
  if (name == "label") return "tag";
  if (name == "q") return "words";
  return name.starts_with("value.") ? caption_of(name) : std::string(name);
}

std::string name_of_topic(const Json& facets, std::string_view number) {
  for (const Json& entry : list_of(facets, "topic"))
    if (text_of(entry, "value") == number) return text_of(entry, "name");
  return std::string(number);
}

Html facet_entry(const std::string& name, const Json& entry, double most,
                 const SearchState& state) {
  const std::string value = text_of(entry, "value");
  const std::string shown = name == "topic" ? text_of(entry, "name") : value;
  const bool chosen = state.has(name, value);
  const SearchState next = chosen ? state.without(name, value) : state.with(name, value);
  const double count = number_of(entry, "count");
  return el("li", {},
            {el("a",
                {{"class", chosen ? "facet chosen" : "facet"},
                 link(next.address("/")),
                 {"aria-current", chosen ? std::optional<std::string>("true") : std::nullopt}},
                {el("span", {{"class", "facet-name"}}, {isolated(shown.empty() ? value : shown)}),
                 el("span", {{"class", "figure"}}, {counted(count_of(entry, "count"))}),
                 bar(most > 0 ? count / most : 0, "thin"),
                 chosen ? unseen(" (chosen: takes this filter away)") : Html()})});
}

Html facet_list(const std::string& name, const Json& entries, const SearchState& state) {
  if (entries.empty()) return {};
  double most = 0;
  for (const Json& entry : entries) most = std::max(most, number_of(entry, "count"));
  Html first, more;
  for (std::size_t i = 0; i < entries.size(); ++i)
    (i < kShownFirst ? first : more) += facet_entry(name, entries[i], most, state);
  Html rest;
  if (!more.empty())
    rest = el("details", {},
              {el("summary", {}, {counted(entries.size() - kShownFirst), " more"}),
               el("ul", {{"class", "facets"}}, {more})});
  return el("section",
            {{"class", "facet-group " + std::string(name == "predicted" ? "guess" : "")}},
            {el("h3", {}, {caption_of(name)}), el("ul", {{"class", "facets"}}, {first}), rest});
}

}  // namespace

Html filter_chips(const Json& facets, const SearchState& state, Path page) {
  Parameters filters = state.filters();
  if (const std::string words = state.value("q"); page.text() != "/" && !words.empty())
    filters.emplace(filters.begin(), "q", words);
  if (filters.empty()) return {};
  Html chips;
  for (const auto& [name, value] : filters) {
    const std::string shown = name == "topic" ? name_of_topic(facets, value) : value;
    chips += el("li", {},
                {el("a",
                    {{"class", "filter " + std::string(name == "predicted" ? "guess" : "")},
                     link(state.without(name, value).address(page))},
                    {el("span", {{"class", "soft"}}, {kind_of(name), " "}), isolated(shown),
                     el("span", {{"aria-hidden", "true"}, {"class", "cross"}}, {"\u00d7"}),
                     unseen(" (takes this filter away)")})});
  }
  if (filters.size() > 1)
    chips +=
        el("li", {},
           {el("a",
               {{"class", "filter all"},
                link((page.text() == "/" ? state.unfiltered() : SearchState({})).address(page))},
               {"Clear all"})});
  return el("ul", {{"class", "filters"}, {"aria-label", "Filters in use"}}, {chips});
}

Html facet_lists(const Json& facets, const SearchState& state) {
  Html lists;
  for (const char* name : {"label", "predicted", "topic", "language"})
    lists += facet_list(name, list_of(facets, name), state);
  const Json& values = part_of(facets, "values");
  if (values.is_object()) {
    for (const auto& [slot, entries] : values.items())
      if (entries.is_array()) lists += facet_list("value." + slot, entries, state);
  }
  return lists;
}

}  // namespace search_server
