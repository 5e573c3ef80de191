#include "page/html/parts.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace search_server {

std::string counted(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string counted;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) counted += ',';
    counted += digits[i];
  }
  return counted;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  return counted(number) + ' ' + std::string(number == 1 ? one : many);
}

std::string percent(double share) {
  return std::to_string(std::lround(100 * std::clamp(share, 0.0, 1.0))) + "\u2009%";
}

std::string numbered(std::string_view name, std::uint64_t number) {
  return std::string(name).append(std::to_string(number));
}

std::string decimal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", number);
  std::string decimal = text;
  while (decimal.ends_with('0')) decimal.pop_back();
  if (decimal.ends_with('.')) decimal.pop_back();
  return decimal;
}

const Json& part_of(const Json& object, std::string_view member) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(member);
  return found == object.end() ? nothing : *found;
}

std::string text_of(const Json& object, std::string_view member) {
  const Json& part = part_of(object, member);
  if (part.is_string()) return part.get<std::string>();
  return part.is_null() || part.is_structured() ? "" : part.dump();
}

double number_of(const Json& object, std::string_view member) {
  const Json& part = part_of(object, member);
  return part.is_number() ? part.get<double>() : 0;
}

std::uint64_t count_of(const Json& object, std::string_view member) {
  return static_cast<std::uint64_t>(std::max(0.0, number_of(object, member)));
}

const Json& list_of(const Json& object, std::string_view member) {
  static const Json nothing = Json::array();
  const Json& part = part_of(object, member);
  return part.is_array() ? part : nothing;
}

Html bar(double share, std::string_view kind) {
  const double width = 100 * std::clamp(share, 0.0, 1.0);
  return el("svg",
            {{"class", "bar " + std::string(kind)},
             {"viewBox", "0 0 100 4"},
             {"preserveAspectRatio", "none"},
             {"aria-hidden", "true"}},
            {el("rect", {{"class", "bar-all"}, {"width", "100"}, {"height", "4"}}),
             el("rect", {{"class", "bar-part"}, {"width", decimal(width)}, {"height", "4"}})});
}

std::string title_of(const Json& document) {
  const std::string title = text_of(document, "title");
  return title.empty() ? text_of(document, "id") : title;
}

Address address_of(std::string_view id) { return Address("/document").with("id", id); }

Html title_link(const Json& document) {
  return el("a", {link(address_of(text_of(document, "id"))), {"dir", "auto"}},
            {title_of(document)});
}

Html topic_chip(const Json& topic) {
  if (!topic.is_object()) return {};
  const std::string number = text_of(topic, "number");
  const std::string name = text_of(topic, "name");
  return el("a", {{"class", "topic"}, link(Address("/").with("topic", number))},
            {unseen("Topic "), isolated(name.empty() ? "Topic " + number : name)});
}

Html words_line(const Json& terms) {
  Html line;
  for (std::size_t i = 0; i < std::min(terms.size(), kShownReasons); ++i) {
    const std::string word = text_of(terms[i], "word");
    if (i > 0) line += " \u00b7 ";
    line += isolated(word.empty() ? text_of(terms[i], "term") : word);
  }
  return line;
}

Html tags_line(const Json& labels, const Json& predicted) {
  if (labels.empty() && predicted.empty()) return {};
  Html line;
  const auto add = [&](const Html& tag) {
    if (!line.empty()) line += " \u00b7 ";
    line += tag;
  };
  for (const Json& label : labels)
    if (label.is_string()) add(isolated(label.get<std::string>()));
  for (const Json& tag : predicted)
    add(el("span", {{"class", "guess"}},
           {unseen("predicted: "), isolated(text_of(tag, "label")), " ",
            percent(number_of(tag, "confidence"))}));
  return el("div", {{"class", "tags-line"}}, {unseen("Tags: "), line});
}

Html term_list(const Json& terms, std::string_view caption) {
  if (terms.empty()) return {};
  double most = 0;
  for (const Json& term : terms) most = std::max(most, number_of(term, "contribution"));
  Html words;
  for (std::size_t i = 0; i < std::min(terms.size(), kShownReasons); ++i) {
    const Json& term = terms[i];
    const double contribution = number_of(term, "contribution");
    if (i > 0 && contribution < 0.005) continue;  // which would be shown as 0
    const std::string word = text_of(term, "word");
    words += el("li", {},
                {isolated(word.empty() ? text_of(term, "term") : word),
                 bar(most > 0 ? contribution / most : 0, "thin"),
                 el("span", {{"class", "figure"}}, {decimal(contribution)})});
  }
  return el("div", {{"class", "terms"}},
            {el("span", {{"class", "soft"}}, {caption}), el("ul", {}, {words})});
}

Html empty_box(std::string_view head, std::initializer_list<Html> help) {
  Html list;
  for (const Html& line : help) list += el("li", {}, {line});
  return el("div", {{"class", "empty"}},
            {el("p", {{"class", "empty-head"}}, {head}), el("ul", {}, {list})});
}

Html hidden(std::string_view name, std::string_view value) {
  return el("input", {{"type", "hidden"}, {"name", name}, {"value", value}});
}

Html back_field(const PageContext& context) { return hidden("back", context.target); }

Html pager(const Address& before, const Address& after, std::uint64_t offset, std::uint64_t limit,
           std::uint64_t shown, std::uint64_t total, bool exact) {
  if (offset == 0 && (shown < limit || total <= shown)) return {};
  Html links;
  if (offset > 0)
    links += el("a", {{"class", "button"}, {"rel", "prev"}, link(before)}, {"\u2190 Before"});
  links += el("span", {{"class", "soft"}},
              {counted(offset + std::min<std::uint64_t>(1, shown)), "\u2013",
               counted(offset + shown), exact ? " of " : " of about ", counted(total)});
  if (offset + shown < total && shown > 0)
    links += el("a", {{"class", "button"}, {"rel", "next"}, link(after)}, {"After \u2192"});
  return el("nav", {{"class", "pager"}, {"aria-label", "Pages of results"}}, {links});
}

}  // namespace search_server
