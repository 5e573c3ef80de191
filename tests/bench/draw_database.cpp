// Draws a database for the other benchmarks, where there is no corpus of the size that is wanted.
//
//   draw_database PATH DOCUMENTS [--threads N]
//
// A document has an id, one of 100 labels, and 77 different stems of 300,000, those of rank r in
// about 7.6 / (r + 12) of the documents; 73 % of the counts are 1. Each thread writes a database of
// its own, and Xapian compacts them into one. The same numbers give the same documents.
#include <xapian.h>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "gpu/workers.h"
#include "tests/bench/options.h"
#include "tests/bench/rcv1_shape.h"

namespace kindred::bench {
namespace {

constexpr std::uint32_t kTerms = 300000, kTermsOfDocument = 77, kLabels = 100;
constexpr std::uint32_t kBatch = 10000;  // documents of a transaction

/// A rank, with a probability in proportion to 1 / (rank + 12).
std::uint32_t draw_rank(SplitMix& random) {
  constexpr double kHead = 12;
  const double rank = kHead * (std::pow((kTerms + kHead) / kHead, random.uniform()) - 1);
  return static_cast<std::uint32_t>(rank < kTerms ? rank : kTerms - 1);
}

Xapian::Document draw_document(std::uint32_t number) {
  SplitMix random(number * std::uint64_t{2654435761} + 1);
  Xapian::Document document;
  std::set<std::uint32_t> ranks;
  while (ranks.size() < kTermsOfDocument) ranks.insert(draw_rank(random));
  for (const std::uint32_t rank : ranks) {
    Xapian::termcount count = 1;
    while (count < 255 && random.uniform() > .73) ++count;
    document.add_term("Zterm" + std::to_string(rank), count);
  }
  document.add_boolean_term("Q" + std::to_string(number));
  document.add_boolean_term("Klabel" + std::to_string(random.next() % kLabels));
  return document;
}

void write_part(const std::string& path, std::uint32_t begin, std::uint32_t end) {
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OVERWRITE);
  for (std::uint32_t number = begin; number < end; ++number) {
    database.add_document(draw_document(number));
    if ((number - begin) % kBatch == kBatch - 1) database.commit();
  }
  database.commit();
}

void draw(const std::string& path, std::uint32_t documents, std::size_t threads) {
  const auto parts = static_cast<std::uint32_t>(threads);
  const auto part_path = [&](std::size_t part) { return path + ".part" + std::to_string(part); };
  for_each_item(parts, threads, [&](std::size_t part) {
    const auto begin = static_cast<std::uint32_t>(std::uint64_t{documents} * part / parts);
    const auto end = static_cast<std::uint32_t>(std::uint64_t{documents} * (part + 1) / parts);
    write_part(part_path(part), begin, end);
  });
  Xapian::Database all;
  for (std::size_t part = 0; part < parts; ++part)
    all.add_database(Xapian::Database(part_path(part)));
  all.compact(path);
  for (std::size_t part = 0; part < parts; ++part) std::filesystem::remove_all(part_path(part));
}

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  const auto named = first_arguments(arguments, 2, "draw_database PATH DOCUMENTS [--threads N]");
  std::size_t threads = 0;
  read_options(arguments, {{"--threads", into(threads)}});
  draw(named[0], static_cast<std::uint32_t>(std::stoul(named[1])), number_of_threads(threads));
}

}  // namespace kindred::bench
