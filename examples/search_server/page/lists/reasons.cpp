#include "page/lists/reasons.h"

#include <algorithm>

#include "page/html/parts.h"
#include "page/lists/tag_chips.h"

namespace search_server {
namespace {

/// The confidence as a bar with a mark where the tag is given.
Html gauge(double confidence, double threshold) {
  return el(
      "svg",
      {{"class", "bar gauge"},
       {"viewBox", "0 0 100 4"},
       {"preserveAspectRatio", "none"},
       {"aria-hidden", "true"}},
      {el("rect", {{"class", "bar-all"}, {"width", "100"}, {"height", "4"}}),
       el("rect", {{"class", "bar-part"}, {"width", decimal(100 * confidence)}, {"height", "4"}}),
       el("rect", {{"class", "bar-mark"},
                   {"x", decimal(100 * threshold)},
                   {"width", "0.8"},
                   {"height", "4"}})});
}

Html reason(const Json& tag) {
  const double confidence = number_of(tag, "confidence"), threshold = number_of(tag, "threshold");
  const Html voters = voters_list(list_of(tag, "voters"), kShownReasons);
  const Html words = term_list(list_of(tag, "terms"), "Words that speak for it");
  return el(
      "article", {{"class", "reason"}},
      {el("div", {{"class", "reason-head"}},
          {el("h3", {},
              {el("a", {link(Address("/").with("label", text_of(tag, "label")))},
                  {isolated(text_of(tag, "label"))})}),
           gauge(confidence, threshold), el("span", {{"class", "figure"}}, {percent(confidence)}),
           el("span", {{"class", "soft"}}, {"needs ", percent(threshold)})}),
       el("div", {{"class", "reason-body"}}, {voters, words})});
}

Html near_misses(const Json& misses) {
  if (misses.empty()) return {};
  Html list;
  for (const Json& miss : misses) {
    const bool reachable = part_of(miss, "threshold").is_number();
    list += el("li", {},
               {el("a", {link(Address("/").with("label", text_of(miss, "label")))},
                   {isolated(text_of(miss, "label"))}),
                gauge(number_of(miss, "confidence"), reachable ? number_of(miss, "threshold") : 1),
                el("span", {{"class", "figure"}}, {percent(number_of(miss, "confidence"))}),
                el("span", {{"class", "soft"}},
                   {reachable ? "needs " + percent(number_of(miss, "threshold"))
                              : std::string("is never given")})});
  }
  return el("div", {{"class", "misses"}}, {el("h3", {}, {"Near misses"}), el("ul", {}, {list})});
}

}  // namespace

Html voters_list(const Json& voters, std::size_t shown) {
  if (voters.empty()) return {};
  double most = 0;
  for (const Json& voter : voters) most = std::max(most, number_of(voter, "share"));
  Html list;
  for (std::size_t i = 0; i < std::min(voters.size(), shown); ++i) {
    const Json& voter = voters[i];
    const double share = number_of(voter, "share");
    list +=
        el("li", {},
           {title_link(voter), bar(most > 0 ? share / most : 0, "thin"),
            el("span", {{"class", "figure"}, {"title", "share of the vote"}}, {percent(share)})});
  }
  return el(
      "div", {{"class", "voters"}},
      {el("span", {{"class", "soft"}}, {"Similar documents that have it"}), el("ol", {}, {list})});
}

Html reasons_list(const Json& classification) {
  Html list;
  for (const Json& tag : list_of(classification, "tags")) list += reason(tag);
  if (list.empty()) {
    const Json& best = part_of(classification, "best");
    list = empty_box(
        "No tag is sure enough.",
        {best.is_object() ? "The best is \u201c" + text_of(best, "label") + "\u201d with " +
                                percent(number_of(best, "confidence")) + "."
                          : "Nothing that is tagged is like it."});
  }
  return el("div", {{"class", "reasons"}},
            {list, near_misses(list_of(classification, "near_misses"))});
}

}  // namespace search_server
