// Time to mirror a Xapian database beside that of bare passes over its posting lists.
//
//   mirror_bench DATABASE [--repeats N] [--json]
//
// The bare passes read every docid and wdf and keep nothing: one over the lists that the mirror
// needs (features, labels, unique ids), one over all lists of the database.
#include <xapian.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/settings.h"
#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/store/terms.h"

namespace kindred::bench {
namespace {

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct Pass {
  std::uint64_t postings = 0;
  std::uint64_t sum = 0;  // so that nothing is optimized away
};

/// Reads the posting lists of the terms that `wanted` accepts.
template <typename Wanted>
Pass bare_pass(const Xapian::Database& database, Wanted&& wanted) {
  Pass pass;
  for (auto term = database.allterms_begin(); term != database.allterms_end(); ++term) {
    if (!wanted(*term)) continue;
    const auto end = database.postlist_end(*term);
    for (auto it = database.postlist_begin(*term); it != end; ++it) {
      pass.sum += *it + it.get_wdf();
      ++pass.postings;
    }
  }
  return pass;
}

struct Row {
  std::string name;
  std::uint64_t postings = 0;
  std::vector<double> seconds;
};

void print(const std::vector<Row>& rows, bool json) {
  const double own = median(rows[0].seconds);
  if (json) {
    nlohmann::ordered_json report = nlohmann::ordered_json::array();
    for (const Row& row : rows) {
      report.push_back({{"name", row.name},
                        {"postings", row.postings},
                        {"seconds", median(row.seconds)},
                        {"mirror_ratio", own / median(row.seconds)}});
    }
    std::printf("%s\n", report.dump().c_str());
    return;
  }
  std::printf("%-28s %12s %10s %14s %13s\n", "", "postings", "seconds", "ns a posting",
              "mirror / it");
  for (const Row& row : rows) {
    const double seconds = median(row.seconds);
    std::printf("%-28s %12llu %10.3f %14.1f %13.2f\n", row.name.c_str(),
                static_cast<unsigned long long>(row.postings), seconds,
                1e9 * seconds / static_cast<double>(row.postings), own / seconds);
  }
}

void run(const std::string& path, int repeats, bool json) {
  const Xapian::Database database(path);
  const Settings settings;
  const Mirror mirror = read_mirror(database, settings);
  const auto of_mirror = [&](const std::string& term) {
    for (const std::string& prefix : mirror.prefixes) {
      if (value_under(prefix, term)) return true;
    }
    return value_under(settings.labels.prefix, term) || value_under(settings.index.id_prefix, term);
  };
  std::vector<Row> rows = {
      {"mirror", 0, {}}, {"bare pass, same lists", 0, {}}, {"bare pass, all lists", 0, {}}};
  for (int i = 0; i < repeats; ++i) {
    rows[0].seconds.push_back(seconds_of([&] { read_mirror(database, settings); }));
    rows[1].seconds.push_back(
        seconds_of([&] { rows[1].postings = bare_pass(database, of_mirror).postings; }));
    rows[2].seconds.push_back(seconds_of([&] {
      rows[2].postings = bare_pass(database, [](const std::string&) { return true; }).postings;
    }));
  }
  rows[0].postings = rows[1].postings;
  print(rows, json);
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  std::string path;
  int repeats = 5;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--repeats") == 0 && i + 1 < argc) {
      repeats = std::max(1, std::atoi(argv[++i]));
    } else {
      path = argv[i];
    }
  }
  if (path.empty()) {
    std::fprintf(stderr, "usage: mirror_bench DATABASE [--repeats N] [--json]\n");
    return 2;
  }
  try {
    kindred::bench::run(path, repeats, json);
    return 0;
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "mirror_bench: %s\n", e.get_description().c_str());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mirror_bench: %s\n", e.what());
  }
  return 1;
}
