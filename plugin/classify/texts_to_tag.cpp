#include "plugin/classify/texts_to_tag.h"

#include <utility>

namespace kindred {

void TextsToTag::add(const TermBag& features, Xapian::docid docid, TagLimits limits) {
  snapshot_.weigh(features, snapshot_.voting().weighting(), queries_);
  if (means_.few) snapshot_.weigh(features, *snapshot_.by_lift().weighting, for_few_);
  if (means_.terms) snapshot_.weigh(features, snapshot_.weighting(), for_terms_);

  std::uint32_t unit = SomMatch::kNoUnit;
  if (means_.units) unit = unit_of(means_.units->map().place(features));
  documents_.push_back({docid, std::move(limits), unit});
}

void TextsToTag::add(Xapian::docid docid, TagLimits limits) {
  snapshot_.weigh_for_tags(docid, snapshot_.voting().weighting(), queries_);
  if (means_.few) snapshot_.weigh_for_tags(docid, *snapshot_.by_lift().weighting, for_few_);
  if (means_.terms) snapshot_.weigh_for_tags(docid, snapshot_.weighting(), for_terms_);

  std::uint32_t unit = SomMatch::kNoUnit;
  if (means_.units) unit = means_.units->unit_of(docid);
  documents_.push_back({docid, std::move(limits), unit});
}

}  // namespace kindred
