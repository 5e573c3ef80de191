#include <cmath>

#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/html/search_state.h"
#include "page/lists/facets.h"
#include "page/lists/tag_chips.h"
#include "page/pages.h"

namespace search_server {
namespace {

Html snippet(const Json& parts) {
  if (parts.empty()) return {};
  Html text;
  for (const Json& part : parts) {
    const Html words = text_of(part, "text");
    text += part_of(part, "hit") == true ? el("mark", {}, {words}) : words;
  }
  return el("p", {{"class", "snippet"}, {"dir", "auto"}}, {text});
}

Html folded_copies(const Json& copies) {
  if (copies.empty()) return {};
  Html list;
  for (const Json& copy : copies) {
    const std::string id = text_of(copy, "id");
    list += el("li", {},
               {el("a", {link(address_of(id)), {"dir", "auto"}}, {id}),
                el("span", {{"class", "figure"}}, {percent(number_of(copy, "similarity"))})});
  }
  return el("details", {{"class", "copies"}},
            {el("summary", {}, {counted(copies.size(), "near-copy", "near-copies"), " folded"}),
             el("ul", {}, {list})});
}

/// Id, topic, language and values of a document, in one line.
Html facts(const Json& document) {
  Html line;
  const std::string id = text_of(document, "id");
  if (id != title_of(document)) line += el("span", {{"class", "id"}}, {isolated(id)});
  line += topic_chip(part_of(document, "topic"));
  const std::string language = text_of(document, "language");
  if (!language.empty()) line += el("span", {{"class", "fact"}}, {unseen("Language "), language});
  const Json& values = part_of(document, "values");
  if (values.is_object()) {
    for (const auto& [name, value] : values.items())
      line += el("span", {{"class", "fact"}}, {name, " ", isolated(text_of(values, name))});
  }
  line += el("a", {{"class", "fact"}, link(address_of(id))}, {"Related"});
  return el("p", {{"class", "facts"}}, {line});
}

Html result(const Json& document, const PageContext& context) {
  return el("li", {},
            {el("article",
                {{"class", "item"}, {"tabindex", "-1"}, {"data-item", text_of(document, "id")}},
                {el("div", {{"class", "item-text"}},
                    {el("h2", {}, {title_link(document)}), snippet(list_of(document, "snippet")),
                     facts(document), folded_copies(list_of(document, "duplicates"))}),
                 el("div", {{"class", "item-tags"}}, {tag_chips(document, context)})})});
}

Html option(std::string_view value, std::string_view text, const std::string& chosen) {
  return el("option", {{"value", value}, {"selected", chosen == value}}, {text});
}

/// A form with one choice. It keeps what else the state holds.
Html order_form(const Json& answer, const SearchState& state) {
  const std::string sort = text_of(answer, "sort");
  Html options = option("relevance", "Best match", sort);
  options += option("newest", "Newest", sort);
  const Json& values = part_of(part_of(answer, "facets"), "values");
  if (values.is_object()) {
    for (const auto& [name, entries] : values.items()) {
      options += option(name, name + ", ascending", sort);
      options += option("-" + name, name + ", descending", sort);
    }
  }
  Html kept;
  const SearchState rest = state.having("sort", "").having("offset", "");
  for (const auto& [name, value] : rest.parameters()) kept += hidden(name, value);
  return el("form", {{"class", "order"}, {"data-auto", true}, action(Address("/"))},
            {kept,
             el("label", {},
                {el("span", {{"class", "soft"}}, {"Order "}),
                 el("select", {{"name", "sort"}}, {options})}),
             el("button", {{"class", "plain-only"}}, {"Apply"})});
}

Html correction_line(const Json& answer, const SearchState& state) {
  const std::string correction = text_of(answer, "correction");
  if (correction.empty()) return {};
  return el("p", {{"class", "correction"}},
            {"Did you mean ",
             el("a", {link(state.having("offset", "").having("q", correction).address("/"))},
                {isolated(correction)}),
             "?"});
}

Html no_results(const SearchState& state) {
  const std::string query = state.value("q");
  if (!state.filters().empty())
    return empty_box(
        "Nothing matches with these filters.",
        {el("a", {link(state.unfiltered().address("/"))}, {"Search without filters"})});
  if (query.empty())
    return empty_box("There are no documents yet.",
                     {"Add some with POST /documents, or with kindred index.",
                      el("a", {link(Address("/openapi.json"))}, {"How programs add documents"})});
  return empty_box("Nothing matches.",
                   {"Fewer words find more. OR between words finds either of them.",
                    "A * after the beginning of a word finds all words that begin so.",
                    el("a", {link(Address("/try").with("text", query))},
                       {"Look for related documents instead"})});
}

std::string found_text(const Json& answer) {
  const Json& total = part_of(answer, "total");
  const bool exact = part_of(total, "exact") == true;
  return (exact ? "" : "About ") + counted(count_of(total, "estimate"), "document", "documents");
}

Html results_head(const Json& answer, const SearchState& state) {
  const Json& took = part_of(answer, "took");
  const double time = number_of(took, "xapian_ms") + number_of(took, "plugin_ms");
  return el("div", {{"class", "results-head"}},
            {el("p", {{"class", "found"}},
                {el("strong", {}, {found_text(answer)}), " ",
                 el("span", {{"class", "soft"}}, {decimal(std::ceil(time)), "\u2009ms"})}),
             el("a", {link(state.having("sort", "").having("offset", "").address("/explore"))},
                {"On the map"}),
             el("a", {{"class", "to-filters"}, place_on_page("filters")}, {"Filters"}),
             order_form(answer, state)});
}

Html filter_part(const Json& answer, const SearchState& state) {
  const Html lists = facet_lists(part_of(answer, "facets"), state);
  const std::uint64_t seen = count_of(answer, "counted");
  Html part = el("h2", {}, {"Narrow down"});
  if (lists.empty()) part += el("p", {{"class", "soft"}}, {"Nothing to filter by."});
  if (!lists.empty() && seen < count_of(part_of(answer, "total"), "estimate"))
    part += el("p", {{"class", "soft"}}, {"Counts are of ", counted(seen), " of the documents."});
  part += lists;
  return el("aside", {{"id", "filters"}, {"class", "side"}, {"aria-label", "Filters"}}, {part});
}

}  // namespace

std::string render_search(const Json& answer, const PageContext& context) {
  const SearchState state(context.query);
  const Json& documents = list_of(answer, "documents");
  const Json& facets = part_of(answer, "facets");
  Html results;
  for (const Json& document : documents) results += result(document, context);
  const std::uint64_t offset = count_of(answer, "offset"), limit = count_of(answer, "limit");
  const auto at = [&](std::uint64_t place) {
    return state.having("offset", place == 0 ? "" : std::to_string(place)).address("/");
  };
  const Json& total = part_of(answer, "total");

  View view;
  const std::string query = state.value("q");
  view.title = query.empty() ? "Search" : query;
  view.said = found_text(answer);
  view.json = state.question(kResultsOnPage, kFacetsOnPage);
  view.main += el("h1", {{"class", "unseen"}}, {query.empty() ? "Search" : "Results for " + query});
  Html list = documents.empty() ? no_results(state)
                                : el("ol", {{"class", "items"}, {"data-items", true}}, {results});
  const Html body =
      el("div", {{"class", "results"}},
         {results_head(answer, state), filter_chips(facets, state, "/"),
          correction_line(answer, state), list,
          pager(at(offset > limit ? offset - limit : 0), at(offset + limit), offset, limit,
                documents.size(), count_of(total, "estimate"), part_of(total, "exact") == true)});
  view.main += el("div", {{"class", "search"}}, {body, filter_part(answer, state)});
  return framed(view, context);
}

}  // namespace search_server
