#include "plugin/documents/document_tags.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "plugin/input/document_data.h"
#include "plugin/input/names.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

using Labels = std::vector<std::string>;
using nlohmann::ordered_json;

/// Expects labels in byte order.
bool has(const Labels& labels, std::string_view label) {
  return std::ranges::binary_search(labels, label);
}

void sort(Labels& labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
}

ordered_json prediction_json(const Classification& classification, const LabelSettings& settings) {
  ordered_json tags = ordered_json::array();
  for (const Tag& tag : classification.tags) {
    tags.push_back({{"label", tag.label}, {"confidence", tag.confidence}});
  }
  return {{"revision", classification.revision},
          {"tags", std::move(tags)},
          {"prefix", settings.predicted_prefix}};
}

/// The slot for these tags, with what it remembers in case the terms get lost.
std::string slot_text(ordered_json slot, const TagLimits& limits) {
  // What was remembered before may no longer hold.
  for (const char* key : {"rejected", "auto_tag"}) slot.erase(key);
  if (!limits.rejected.empty()) slot["rejected"] = limits.rejected;
  if (!limits.auto_tag) slot["auto_tag"] = false;

  // The slot is JSON, and labels may be any bytes.
  escape_strings(slot);
  return slot.dump();
}

/// The slot as an object with a list of tags; null if it is empty or belongs to another program.
ordered_json parse_prediction(const std::string& prediction) {
  if (prediction.empty()) return {};

  ordered_json json = ordered_json::parse(prediction, nullptr, false);
  try {
    if (json.is_object()) unescape_strings(json);
  } catch (const Error&) {  // another program's
    return {};
  }

  const bool ours = json.is_object() && json.contains("tags") && json["tags"].is_array();
  if (ours) return json;
  return ordered_json();
}

/// A label that the slot holds; "" if it is damaged, or could not be a term.
std::string label_in(const ordered_json& json, const LabelSettings& settings) {
  if (!json.is_string()) return {};
  const std::string& label = json.get_ref<const std::string&>();
  const bool damaged = label.find("\xEF\xBF\xBD") != std::string::npos;  // repaired to be JSON
  if (damaged || !fits_terms(label, settings)) return {};
  return label_name(label);
}

/// The label of an entry of the slot's tags.
std::string listed_label(const ordered_json& tag, const LabelSettings& settings) {
  if (!tag.is_object() || !tag.contains("label")) return {};
  return label_in(tag["label"], settings);
}

/// Rejects the tags that the slot lists and the document lacks; see settle_limits().
void reject_taken_off(const ordered_json& slot, const LabelSettings& settings, StoredTags& tags) {
  // If the prefix is another one, the settings have changed, and nothing was taken off.
  if (slot.contains("prefix") && slot["prefix"] != settings.predicted_prefix) return;

  // A tag that the slot lists, and that the document has neither as a predicted one nor from
  // people, was taken off by somebody.
  for (const ordered_json& tag : slot["tags"]) {
    std::string label = listed_label(tag, settings);
    if (label.empty() || has(tags.predicted, label) || has(tags.labels, label)) continue;
    tags.limits.rejected.push_back(std::move(label));
  }

  sort(tags.limits.rejected);
}

/// Restores from the slot what people said before another program rewrote the document.
void restore(const ordered_json& slot, const LabelSettings& settings, StoredTags& tags) {
  // What people rejected is kept in the slot as well as in terms, which a program that rewrites the
  // document drops.
  for (const ordered_json& json : slot.value("rejected", ordered_json::array())) {
    std::string label = label_in(json, settings);
    if (!label.empty()) tags.limits.rejected.push_back(std::move(label));
  }

  sort(tags.limits.rejected);
  if (slot.contains("auto_tag") && slot["auto_tag"] == false) tags.limits.auto_tag = false;

  // If the tags are lost, too, the document is to be tagged again.
  const bool had_tags = !slot["tags"].empty();
  tags.pending = tags.pending || (had_tags && tags.labels.empty() && tags.limits.auto_tag);
}

/// True if both are equal except for the revision.
bool same_prediction(const std::string& a, const std::string& b) {
  constexpr std::string_view kFirst = "\"tags\":";
  const auto from = a.find(kFirst);
  const auto other = b.find(kFirst);
  return from != std::string::npos && other != std::string::npos &&
         std::string_view(a).substr(from) == std::string_view(b).substr(other);
}

/// Removes the terms of these labels. Other programs may have written a label with a colon, in
/// other forms of Unicode, or in several ways.
void remove_spellings(Xapian::Document& document, const std::string& prefix, const Labels& labels) {
  if (labels.empty()) return;

  // The terms are collected first, because a list of terms must not change while it is read.
  std::vector<std::string> spellings;
  for_each_under(prefix, document, [&](const std::string& term, std::string_view value, auto) {
    if (has(labels, label_name(value))) spellings.push_back(term);
  });

  for (const std::string& term : spellings) document.remove_term(term);
}

void set_terms(Xapian::Document& document, const std::string& prefix, const Labels& now,
               // Only the difference is written: Xapian writes each term that is touched.
               const Labels& wanted) {
  Labels gone;
  std::ranges::set_difference(now, wanted, std::back_inserter(gone));
  remove_spellings(document, prefix, gone);
  for (const std::string& label : wanted) {
    if (!has(now, label)) document.add_boolean_term(prefixed_term(prefix, label));
  }
}

void set_term(Xapian::Document& document, const std::string& term, bool now, bool wanted) {
  if (now && !wanted) document.remove_term(term);
  if (wanted && !now) document.add_boolean_term(term);
}

/// Reads a term of the document into `tags` if it has one of their prefixes.
void read_term(const std::string& term, const Settings& settings, StoredTags& tags) {
  const LabelSettings& names = settings.labels;
  const auto add_value = [&](const std::string& prefix, Labels& labels) {
    if (const auto value = value_under(prefix, term)) labels.push_back(label_name(*value));
  };

  const auto id = value_under(settings.index.id_prefix, term);
  if (id && tags.id.empty() && is_id(settings.index, *id)) tags.id = *id;

  // The prefix of people's labels may also have values of the system, which are no tags.
  if (const auto value = value_under(names.prefix, term)) {
    std::string label = label_name(*value);
    if (is_system_label(names, label)) {
      tags.system.push_back(std::move(label));
    } else {
      tags.labels.push_back(std::move(label));
    }
  }

  add_value(names.predicted_prefix, tags.predicted);
  add_value(names.rejected_prefix, tags.limits.rejected);
  if (term == kOptOutTerm) tags.limits.auto_tag = false;
  if (term == kPendingTerm) tags.pending = true;
  if (term == kTaggedTerm) tags.witness = true;
}

/// The confidence of an entry of the slot's tags; 0 if it has none.
double confidence_in(const ordered_json& tag) {
  if (!tag.is_object() || !tag.contains("confidence") || !tag["confidence"].is_number()) return 0;
  return tag["confidence"].get<double>();
}

/// The confidences that a slot has, by label.
std::map<std::string, double> confidences_in(const std::string& prediction) {
  std::map<std::string, double> confidences;
  const ordered_json slot = parse_prediction(prediction);
  if (slot.is_null()) return confidences;
  for (const ordered_json& tag : slot["tags"]) {
    if (!tag.is_object() || !tag.contains("label") || !tag["label"].is_string()) continue;
    confidences[tag["label"].get<std::string>()] = confidence_in(tag);
  }
  return confidences;
}

/// Gives predicted tags that came or went the confidences that the slot has or had for them.
void add_confidences(const StoredTags& before, const StoredTags& after,
                     std::vector<LabelStep>& steps) {
  const auto add = [&](const std::string& prediction, LabelState LabelStep::*side) {
    const auto is_asked = [&](const LabelStep& step) {
      return step.is_predicted() && (step.*side & kPredictedState) != 0;
    };
    if (std::ranges::none_of(steps, is_asked)) return;
    const auto confidences = confidences_in(prediction);
    for (LabelStep& step : steps) {
      const auto known = confidences.find(step.label);
      if (is_asked(step) && known != confidences.end()) step.confidence = known->second;
    }
  };
  add(before.prediction, &LabelStep::before);
  add(after.prediction, &LabelStep::after);
}

/// The predicted tags with the confidences that the slot has for them, else 0: confidence
/// descending, then label ascending.
std::vector<Tag> predicted_tags(const StoredTags& tags) {
  // The terms say which tags there are; the slot only what they are worth. Either may have been
  // changed by another program.
  const std::map<std::string, double> confidences = confidences_in(tags.prediction);

  std::vector<Tag> predicted;
  for (const std::string& label : tags.predicted) {
    const auto known = confidences.find(label);
    predicted.push_back({label, known == confidences.end() ? 0 : known->second});
  }

  std::ranges::stable_sort(predicted, std::greater(), &Tag::confidence);
  return predicted;
}

/// What changes between two states of a document.
DocumentChange change_between(const StoredTags& before, const StoredTags& after) {
  // Most labels stay, so only those that one of the lists does not share are looked at.
  Labels changed;
  const auto differ = [&](const Labels& a, const Labels& b) {
    if (a != b) std::ranges::set_symmetric_difference(a, b, std::back_inserter(changed));
  };
  differ(before.labels, after.labels);
  differ(before.predicted, after.predicted);
  differ(before.limits.rejected, after.limits.rejected);
  if (before.limits.auto_tag != after.limits.auto_tag) changed.emplace_back();
  sort(changed);

  DocumentChange change;
  for (std::string& label : changed) {
    const LabelState was = state_of(before, label);
    const LabelState is = state_of(after, label);
    change.labels.push_back({std::move(label), was, is, 0});
  }
  add_confidences(before, after, change.labels);
  return change;
}

}  // namespace

StoredTags read_tags(const Xapian::Document& document, const Settings& settings,
                     Xapian::docid docid, std::span<FirstValue> further) {
  const LabelSettings& names = settings.labels;
  std::vector<std::string> prefixes = {settings.index.id_prefix,
                                       names.prefix,
                                       names.predicted_prefix,
                                       names.rejected_prefix,
                                       kOptOutTerm,
                                       kPendingTerm,
                                       kTaggedTerm};
  for (const FirstValue& each : further) prefixes.push_back(each.prefix);
  std::sort(prefixes.begin(), prefixes.end());
  StoredTags tags;

  // One pass in byte order. If one prefix continues another, their terms are met only once.
  auto it = document.termlist_begin();
  const auto end = document.termlist_end();
  for (const std::string& prefix : prefixes) {
    if (it == end) break;
    if (*it < prefix) it.skip_to(prefix);
    for (; it != end; ++it) {
      const std::string term = *it;
      if (!term.starts_with(prefix)) break;
      read_term(term, settings, tags);
      for (FirstValue& each : further)
        if (each.value.empty()) each.value = value_under(each.prefix, term).value_or("");
    }
  }

  if (settings.index.ids != "terms") tags.id = id_beside_terms(document, settings.index);
  if (tags.id.empty()) tags.id = std::to_string(docid != 0 ? docid : document.get_docid());

  sort(tags.labels);
  sort(tags.predicted);
  sort(tags.limits.rejected);

  tags.prediction = document.get_value(static_cast<Xapian::valueno>(names.prediction_slot));
  return tags;
}

void add_shard_label(const std::string& label, StoredTags& tags) {
  if (label.empty() || has(tags.labels, label)) return;
  tags.labels.push_back(label);
  sort(tags.labels);
}

std::size_t settle_limits(StoredTags& tags, const LabelSettings& settings) {
  // Without a slot of ours there is nothing to compare with.
  const ordered_json slot = parse_prediction(tags.prediction);
  if (slot.is_null()) return 0;

  // The witness is a term that is written with the tags. Where it is missing, another program has
  // rewritten the document, and nobody took anything off.
  if (!tags.witness) {
    restore(slot, settings, tags);
    return 0;
  }

  const std::size_t before = tags.limits.rejected.size();
  reject_taken_off(slot, settings, tags);
  return tags.limits.rejected.size() - before;
}

void clear_prediction(StoredTags& tags) {
  tags.pending = false;
  tags.predicted.clear();
  if (!parse_prediction(tags.prediction).is_null()) tags.prediction.clear();
}

void predict(StoredTags& tags, Classification& classification, const LabelSettings& settings) {
  // A label that could not be a term under each prefix cannot be stored, whatever its confidence.
  std::erase_if(classification.tags, [&](const Tag& tag) {
    return !fits_terms(tag.label, settings);
  });

  // People have the last word: their labels, or their wish for none, leave no room for predicted
  // ones.
  const bool by_hand = !tags.labels.empty() || !tags.limits.auto_tag;
  if (by_hand || classification.tags.empty()) return clear_prediction(tags);

  tags.pending = false;
  tags.predicted.clear();
  const auto most = static_cast<std::size_t>(settings.max_per_document);
  if (classification.tags.size() > most) classification.tags.resize(most);

  for (const Tag& tag : classification.tags) tags.predicted.push_back(tag.label);
  sort(tags.predicted);
  tags.prediction = slot_text(prediction_json(classification, settings), tags.limits);
}

void rename_predicted(StoredTags& tags, const std::string& from, const std::string& to,
                      const LabelSettings& settings) {
  if (std::erase(tags.predicted, from) == 0 || has(tags.predicted, to)) return;
  tags.predicted.push_back(to);
  sort(tags.predicted);

  // The slot follows the terms, or the old name would look like a tag that was taken off.
  ordered_json json = parse_prediction(tags.prediction);
  if (json.is_null()) return;
  for (ordered_json& tag : json["tags"])
    if (listed_label(tag, settings) == from) tag["label"] = to;

  tags.prediction = slot_text(std::move(json), tags.limits);
}

void forget_absent(StoredTags& tags, const LabelSettings& settings) {
  // A listed tag without its term would look like one that was taken off. Damaged entries stay, for
  // they say nothing.
  ordered_json json = parse_prediction(tags.prediction);
  if (json.is_null()) return;
  ordered_json kept = ordered_json::array();
  for (const ordered_json& tag : json["tags"]) {
    const std::string label = listed_label(tag, settings);
    if (label.empty() || has(tags.predicted, label)) kept.push_back(tag);
  }

  if (kept.empty()) return tags.prediction.clear();
  json["tags"] = std::move(kept);
  tags.prediction = slot_text(std::move(json), tags.limits);
}

void remember(const StoredTags& now, StoredTags& wanted, const LabelSettings& settings) {
  // Only the revision differs: the slot stays as it is, so that a document which has not changed
  // need not be written.
  if (now.witness && same_prediction(now.prediction, wanted.prediction)) {
    wanted.prediction = now.prediction;
    return;
  }

  if (!wanted.prediction.empty() && wanted.prediction == now.prediction &&
      parse_prediction(now.prediction).is_null()) {  // another program's
    wanted.witness = false;
    return;
  }

  // The slot is needed for tags, and to remember what people said. Without either, a document that
  // never had one gets none.
  const bool has_tags = !wanted.prediction.empty();
  const bool has_limits = !wanted.limits.rejected.empty() || !wanted.limits.auto_tag;
  const bool is_bare = now.prediction.empty() && !now.witness;
  if (is_bare && !has_tags && now.predicted == wanted.predicted && now.pending == wanted.pending &&
      now.limits == wanted.limits)
    return;

  wanted.witness = has_tags || has_limits;
  if (!has_tags && has_limits)
    wanted.prediction = slot_text(prediction_json({}, settings), wanted.limits);

  if (same_prediction(now.prediction, wanted.prediction)) wanted.prediction = now.prediction;
}

StoredDocument stored_document(const Xapian::Document& document, StoredTags tags,
                               const IndexSettings& settings, Xapian::docid docid) {
  StoredDocument stored;

  stored.docid = docid != 0 ? docid : document.get_docid();
  stored.title = document_title(document, settings);
  stored.data = document.get_data();
  stored.predicted = predicted_tags(tags);
  stored.auto_tag = tags.limits.auto_tag;
  stored.pending = tags.pending;

  // Moved last, because the tags were read above.
  stored.id = std::move(tags.id);
  stored.labels = std::move(tags.labels);
  stored.rejected = std::move(tags.limits.rejected);
  return stored;
}

LabelState state_of(const StoredTags& tags, const std::string& label) {
  if (label.empty()) return tags.limits.auto_tag ? 0 : kRejectedState;
  LabelState state = 0;
  if (has(tags.labels, label)) state |= kGivenState;
  if (has(tags.predicted, label)) state |= kPredictedState;
  if (has(tags.limits.rejected, label)) state |= kRejectedState;
  return state;
}

void set_state(StoredTags& tags, const LabelStep& step, LabelState state,
               const LabelSettings& settings) {
  if (step.label.empty()) {
    tags.limits.auto_tag = (state & kRejectedState) == 0;
    return;
  }

  const auto set = [&](LabelState bit, Labels& labels) {
    std::erase(labels, step.label);
    if ((state & bit) == 0) return;
    labels.push_back(step.label);
    sort(labels);
  };
  const bool is_back = (state & kPredictedState) != 0 && !has(tags.predicted, step.label);
  set(kGivenState, tags.labels);
  set(kPredictedState, tags.predicted);
  set(kRejectedState, tags.limits.rejected);
  if (!is_back) return;

  // The slot has a predicted tag as well, with its confidence; but not that of another program.
  ordered_json slot = parse_prediction(tags.prediction);
  if (slot.is_null() && !tags.prediction.empty()) return;
  if (slot.is_null()) slot = prediction_json({}, settings);
  ordered_json& listed = slot["tags"];
  listed.push_back({{"label", step.label}, {"confidence", step.confidence}});
  std::stable_sort(listed.begin(), listed.end(), [](const ordered_json& a, const ordered_json& b) {
    return confidence_in(a) > confidence_in(b);
  });
  tags.prediction = slot_text(std::move(slot), tags.limits);
}

void write_tags(Xapian::Document& document, const StoredTags& now, const StoredTags& wanted,
                const LabelSettings& settings, HistoryBatch& history, Xapian::docid docid,
                const StoredTags* replaced) {
  // In its shard, a document without an id is called by the docid that it has there.
  DocumentChange change = change_between(replaced == nullptr ? now : *replaced, wanted);
  const Xapian::docid own = document.get_docid();
  change.docid = docid;
  change.id = wanted.id;
  if (docid != 0 && docid != own && wanted.id == std::to_string(own))
    change.id = std::to_string(docid);
  history.add(change);

  // Terms first, then the slot: each is written only where it changes.
  set_terms(document, settings.predicted_prefix, now.predicted, wanted.predicted);
  set_terms(document, settings.rejected_prefix, now.limits.rejected, wanted.limits.rejected);
  set_term(document, kOptOutTerm, !now.limits.auto_tag, !wanted.limits.auto_tag);
  set_term(document, kPendingTerm, now.pending, wanted.pending);
  set_term(document, kTaggedTerm, now.witness, wanted.witness);

  if (now.prediction == wanted.prediction) return;
  document.add_value(static_cast<Xapian::valueno>(settings.prediction_slot), wanted.prediction);
}

void write_labels(Xapian::Document& document, const StoredTags& now, const StoredTags& wanted,
                  const LabelSettings& settings) {
  if (now.labels == wanted.labels) return;
  set_terms(document, settings.prefix, now.labels, wanted.labels);
  document.set_data(with_labels(document.get_data(), now.id, now.labels, wanted.labels));
}

}  // namespace kindred
