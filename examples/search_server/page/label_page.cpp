#include <algorithm>
#include <vector>

#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/lists/reasons.h"
#include "page/lists/tag_chips.h"
#include "page/lists/tag_form.h"
#include "page/pages.h"

namespace search_server {
namespace {

constexpr std::size_t kVoters = 4;  // that are shown

/// Labels with the most documents first.
std::vector<const Json*> by_documents(const Json& labels) {
  std::vector<const Json*> order;
  for (const Json& label : labels) order.push_back(&label);
  std::stable_sort(order.begin(), order.end(), [](const Json* a, const Json* b) {
    return number_of(*a, "documents") > number_of(*b, "documents");
  });
  return order;
}

Html label_list(const Json& labels, const std::string& chosen) {
  Html list;
  for (const Json* label : by_documents(labels)) {
    const std::string name = text_of(*label, "label");
    const bool here = name == chosen;
    list += el("li", {},
               {el("a",
                   {{"class", here ? "facet chosen" : "facet"},
                    {"aria-current", here ? std::optional<std::string>("true") : std::nullopt},
                    link(Address("/label").with("label", name))},
                   {el("span", {{"class", "facet-name"}}, {isolated(name)}),
                    el("span", {{"class", "figure"}},
                       {counted(count_of(*label, "documents")), unseen(" by people"),
                        count_of(*label, "predicted") == 0
                            ? Html()
                            : el("span", {{"class", "guessed"}},
                                 {" +", counted(count_of(*label, "predicted")),
                                  unseen(" predicted")})})})});
  }
  return el("ul", {{"class", "facets scroll"}, {"tabindex", "0"}, {"aria-label", "All tags"}},
            {list});
}

Html decision(const Json& candidate, const std::string& label, const PageContext& context) {
  if (!context.may_write) return {};
  return el(
      "form", {{"method", "post"}, action(Address("/document/tags")), {"class", "row decide"}},
      {tag_form_fields(candidate, context),
       el("button", {{"class", "accept main-button"}, {"name", "add"}, {"value", label}},
          {"Accept"}),
       el("button", {{"class", "remove"}, {"name", "remove"}, {"value", label}}, {"Reject"})});
}

Html candidate_item(const Json& candidate, const std::string& label, const PageContext& context) {
  const Html labels = label_chips(list_of(candidate, "labels"));
  const Html words = words_line(list_of(candidate, "terms"));
  return el("li", {},
            {el("article",
                {{"class", "item"}, {"tabindex", "-1"}, {"data-item", text_of(candidate, "id")}},
                {el("div", {{"class", "item-text"}},
                    {el("h2", {}, {title_link(candidate)}),
                     el("p", {{"class", "sure"}},
                        {bar(number_of(candidate, "confidence")),
                         el("span", {{"class", "figure"}},
                            {percent(number_of(candidate, "confidence")), " sure"})}),
                     decision(candidate, label, context),
                     labels.empty() ? Html()
                                    : el("p", {{"class", "chips"}},
                                         {el("span", {{"class", "soft"}}, {"Has "}), labels})}),
                 el("div", {{"class", "item-tags"}},
                    {voters_list(list_of(candidate, "voters"), kVoters),
                     words.empty()
                         ? Html()
                         : el("p", {{"class", "soft"}}, {"Words that speak for it: ", words})})})});
}

Html candidate_part(const Json& candidates, const std::string& label, const PageContext& context) {
  Html list;
  for (const Json& candidate : list_of(candidates, "candidates"))
    list += candidate_item(candidate, label, context);
  const Html head =
      el("p", {{"class", "lead"}},
         {"The ", counted(list_of(candidates, "candidates").size()), " surest of ",
          counted(count_of(candidates, "found"), "document", "documents"), " that the tag ",
          el("strong", {}, {isolated(label)}), " might suit. ",
          el("a", {link(Address("/").with("label", label))}, {"Documents that have it"})});
  Html part = head;
  part += list.empty()
              ? empty_box("No document is left that this tag would suit.", {"Choose another tag."})
              : el("ol", {{"class", "items work"}, {"data-items", true}}, {list});
  return part;
}

}  // namespace

std::string render_label(const Json& labels, const Json& candidates, const PageContext& context) {
  const std::string chosen = context.parameter("label");
  View view;
  view.title = chosen.empty() ? "Tags" : chosen;
  view.said = chosen.empty()
                  ? counted(list_of(labels, "labels").size(), "tag", "tags")
                  : counted(list_of(candidates, "candidates").size(), "candidate", "candidates");
  view.json =
      chosen.empty() ? Address("/labels") : Address("/labels").below(chosen).below("candidates");
  view.main += el("h1", {}, {"Documents for a tag"});
  const Html work =
      chosen.empty() ? empty_box("Choose a tag", {"You see the documents that it would suit, and "
                                                  "accept or reject them one by one."})
                     : candidate_part(candidates, chosen, context);
  view.main += el("div", {{"class", "search"}},
                  {el("div", {{"class", "results"}}, {work}),
                   el("aside", {{"class", "side"}, {"aria-label", "Tags"}},
                      {el("h2", {}, {counted(list_of(labels, "labels").size(), "tag", "tags")}),
                       label_list(list_of(labels, "labels"), chosen)})});
  return framed(view, context);
}

}  // namespace search_server
