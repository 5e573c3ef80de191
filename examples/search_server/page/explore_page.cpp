#include <cstdlib>
#include <map>

#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/html/search_state.h"
#include "page/lists/facets.h"
#include "page/map/topic_map.h"
#include "page/pages.h"

namespace search_server {
namespace {

using Counts = std::map<std::uint64_t, std::uint64_t>;

Counts counts_of(const Json& found) {
  Counts counts;
  for (const Json& entry : list_of(part_of(found, "facets"), "topic"))
    counts[count_of(entry, "value")] = count_of(entry, "count");
  return counts;
}

/// All topics as links, those with the most documents first as the API gives them.
Html topic_list(const Json& topics, const TopicMap& map, const Counts& counts, bool searching,
                const SearchState& state) {
  Html list;
  for (const Json& topic : topics) {
    const std::uint64_t number = count_of(topic, "number");
    const auto found = counts.find(number);
    const std::uint64_t matching = found == counts.end() ? 0 : found->second;
    const std::string value = std::to_string(number);
    const bool chosen = state.has("topic", value);
    const auto color = map.color.find(number);
    const std::string key = color == map.color.end() ? "key" : numbered("key c", color->second);
    list += el("li", {},
               {el("a",
                   {{"class", chosen ? "facet chosen" : "facet"},
                    {"data-topic", value},
                    {"aria-current", chosen ? std::optional<std::string>("true") : std::nullopt},
                    link(state.having("topic", chosen ? "" : value)
                             .having("offset", "")
                             .address("/explore"))},
                   {el("span", {{"class", "facet-name"}},
                       {el("span", {{"class", key}, {"aria-hidden", "true"}}),
                        isolated(text_of(topic, "name"))}),
                    el("span", {{"class", "figure"}},
                       {counted(searching ? matching : count_of(topic, "documents"))})})});
  }
  return el("section", {},
            {el("h2", {}, {counted(topics.size(), "topic", "topics")}),
             el("ul", {{"class", "facets topics"}}, {list})});
}

Html found_documents(const Json& found, const SearchState& state) {
  Html list;
  for (const Json& document : list_of(found, "documents")) {
    list += el("li", {},
               {title_link(document),
                tags_line(list_of(document, "labels"), list_of(document, "predicted"))});
  }
  const Json& total = part_of(found, "total");
  return el("section", {},
            {el("div", {{"class", "row"}},
                {el("h2", {{"class", "grow"}},
                    {counted(count_of(total, "estimate"), "document", "documents")}),
                 el("a", {{"class", "button"}, link(state.address("/"))}, {"Open in search"})}),
             el("ol", {{"class", "plain-list"}}, {list})});
}

Html chosen_topic(const Json& topics, std::uint64_t chosen) {
  for (const Json& topic : topics) {
    if (count_of(topic, "number") != chosen) continue;
    Html words;
    for (const Json& term : list_of(topic, "terms"))
      words += el("li", {}, {isolated(text_of(term, "word"))});
    return el("section", {{"class", "chosen-topic"}},
              {el("h2", {}, {isolated(text_of(topic, "name"))}),
               el("ul", {{"class", "words"}, {"aria-label", "Its words"}}, {words})});
  }
  return {};
}

Html zoom_button(const char* zoom, const char* sign, const char* said) {
  return el("button", {{"type", "button"}, {"data-zoom", zoom}, {"aria-label", said}}, {sign});
}

Html map_part(const Html& drawing) {
  return el(
      "div", {{"class", "map-part"}},
      {el("div", {{"class", "map-top"}},
          {el("div", {{"class", "map-tools script-only"}},
              {zoom_button("in", "+", "Zoom in"), zoom_button("out", "\u2212", "Zoom out"),
               zoom_button("all", "Whole map", "Whole map")}),
           el("p", {{"id", "readout"}, {"class", "readout soft"}, {"aria-live", "polite"}},
              {"Each hexagon holds documents that are alike, more of them the stronger its color. "
               "Choose a topic to see them."})}),
       el("div", {{"id", "map-box"}, {"class", "map-box"}}, {drawing})});
}

std::string no_map(const PageContext& context) {
  View view;
  view.title = "Map";
  view.said = "No map yet";
  view.main += el("h1", {}, {"Topic map"});
  const Html make =
      context.may_write
          ? el("form", {{"method", "post"}, action(Address("/about/jobs"))},
               {hidden("start", "train"), el("button", {{"class", "main-button"}}, {"Make a map"})})
          : el("a", {link(Address("/session").with("next", "/explore"))}, {"Sign in to make one"});
  view.main += empty_box("This index has no map yet.",
                         {"A map shows all documents at once: those that are alike lie side by "
                          "side, and have a topic with a name.",
                          "It takes some seconds for ten thousands of documents.", make});
  return framed(view, context);
}

}  // namespace

std::string render_explore(const Json& answer, const Json& found, const PageContext& context) {
  if (!answer.is_object()) return no_map(context);
  const SearchState state(context.query);
  const TopicMap map = read_map(answer);
  const Json& topics = list_of(answer, "topics");
  const std::string topic = state.value("topic");
  const std::uint64_t chosen = topic.empty() ? 0 : std::strtoull(topic.c_str(), nullptr, 10);
  const Counts counts = counts_of(found);
  const bool searching = !state.having("topic", "").filters().empty() || !state.value("q").empty();

  View view;
  view.title = "Map";
  view.json = Address("/map");
  view.main += el("h1", {}, {"Topic map"});
  view.main += filter_chips(part_of(found, "facets"), state, "/explore");
  const bool narrowed = searching || chosen != 0;
  view.said = narrowed
                  ? counted(count_of(part_of(found, "total"), "estimate"), "document", "documents")
                  : counted(topics.size(), "topic", "topics");
  Html side = chosen_topic(topics, chosen);
  if (narrowed) side += found_documents(found, state);
  side += topic_list(topics, map, counts, searching, state);
  view.main +=
      el("div", {{"class", "explore"}},
         {map_part(draw_map(map, topics, chosen, searching ? counts : Counts{}, context)),
          el("aside", {{"class", "map-side"}, {"aria-label", "Topics and documents"}}, {side})});
  return framed(view, context);
}

}  // namespace search_server
