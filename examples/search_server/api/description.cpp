#include "api/description.h"

#include "api/json.h"
#include "api/openapi.h"

namespace search_server {

std::string description_for(const std::vector<ValueField>& values) {
  Json description = Json::parse(kOpenApi[0].second);
  Json& parameters = description["paths"]["/search"]["get"]["parameters"];
  for (const ValueField& field : values) {
    parameters.push_back(
        {{"name", "value." + field.name},
         {"in", "query"},
         {"description", field.number ? "Only documents with one of these numbers, or a number in "
                                        "one of these ranges: 1..5, 1.., ..5."
                                      : "Only documents with one of these values."},
         {"schema",
          {{"type", "array"},
           {"items", {{"type", "string"}, {"minLength", 1}, {"maxLength", 1000}}},
           {"maxItems", 32}}},
         {"explode", true}});
  }
  return description.dump();
}

}  // namespace search_server
