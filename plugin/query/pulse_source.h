#pragma once

#include <xapian.h>
#include <cstddef>
#include <utility>

#include "config/pulse.h"

namespace kindred {

/// All documents, without a weight, for a Xapian query that a pulse can end: Xapian asks this
/// source about each document that the rest of the query may match.
class PulseSource : public Xapian::PostingSource {
 public:
  explicit PulseSource(Pulse pulse) : pulse_(std::move(pulse)) {}

  PulseSource* clone() const override { return new PulseSource(pulse_); }
  void init(const Xapian::Database& database) override {
    documents_ = database.get_doccount();
    last_ = database.get_lastdocid();
    at_ = 0;
  }
  Xapian::doccount get_termfreq_min() const override { return documents_; }
  Xapian::doccount get_termfreq_est() const override { return documents_; }
  Xapian::doccount get_termfreq_max() const override { return documents_; }
  Xapian::docid get_docid() const override { return at_; }
  void next(double /*least*/) override { move_to(at_ + 1); }
  void skip_to(Xapian::docid docid, double /*least*/) override { move_to(docid); }
  bool at_end() const override { return at_ > last_; }

 private:
  static constexpr unsigned kBetween = 16;  // documents: looking at the clock takes longer

  void move_to(Xapian::docid docid) {
    at_ = docid;
    if (++moves_ % kBetween == 0) pulse_();
  }

  const Pulse pulse_;
  Xapian::doccount documents_ = 0;
  Xapian::docid last_ = 0, at_ = 0;
  unsigned moves_ = 0;
};

/// The same query, which the pulse can end.
inline Xapian::Query with_pulse(const Xapian::Query& query, const Pulse& pulse) {
  if (!pulse || query.empty()) return query;
  const Xapian::Query source((new PulseSource(pulse))->release());
  return {Xapian::Query::OP_FILTER, query, source};
}

/// body(pulse). Where a shard is at a server, which takes no such source, body of no pulse.
template <typename Body>
auto where_sources_may(const Pulse& pulse, Body&& body) {
  try {
    return body(pulse);
  } catch (const Xapian::UnimplementedError&) {
    if (!pulse) throw;
  }
  return body(Pulse());
}

}  // namespace kindred
