#include "page/lists/tag_form.h"

#include "page/html/parts.h"

namespace search_server {
namespace {

constexpr std::size_t kMostShown = 16 << 10;  // bytes; beyond, forms hold the mark alone

std::string shown_tags(const Json& document) {
  Json shown = {{"labels", labels_in(list_of(document, "labels"))}};
  if (document.contains("predicted"))
    shown["predicted"] = labels_in(list_of(document, "predicted"));
  std::string text = shown.dump();
  return text.size() <= kMostShown ? text : "";
}

}  // namespace

std::set<std::string> labels_in(const Json& tags) {
  std::set<std::string> labels;
  for (const Json& tag : tags)
    labels.insert(tag.is_string() ? tag.get<std::string>() : text_of(tag, "label"));
  return labels;
}

Html tag_form_fields(const Json& document, const PageContext& context) {
  Html fields = hidden("id", text_of(document, "id"));
  fields += back_field(context);
  if (const std::string mark = text_of(document, "etag"); !mark.empty()) {
    fields += hidden("mark", mark);
    if (const std::string shown = shown_tags(document); !shown.empty())
      fields += hidden("shown", shown);
  }
  return fields;
}

}  // namespace search_server
