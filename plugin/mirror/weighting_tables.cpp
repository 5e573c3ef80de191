#include "plugin/mirror/weighting_tables.h"

#include <algorithm>

#include "analyzer/smart_weighting.h"
#include "gpu/csr.h"

namespace kindred {
namespace {

constexpr std::size_t kRare = 4096;  // most terms are in fewer documents, so few logarithms remain

}  // namespace

std::vector<double> tf_table(const std::string& letters) {
  const SmartWeighting smart(letters);
  std::vector<double> tf(kMaxCount + 1);
  for (std::uint32_t count = 0; count <= kMaxCount; ++count) tf[count] = smart.tf(count);
  return tf;
}

TermWeighting weighting_tables(const Mirror& mirror, const std::string& letters) {
  const SmartWeighting smart(letters);
  TermWeighting weighting;
  weighting.tf = tf_table(letters);
  const std::uint32_t documents = mirror.documents();
  const auto idf_of = [&](std::uint32_t df) { return df == 0 ? 0 : smart.idf(documents, df); };
  std::vector<double> of_rare(std::min<std::size_t>(kRare, mirror.df.size()));
  for (std::uint32_t df = 0; df < of_rare.size(); ++df) of_rare[df] = idf_of(df);
  weighting.idf.resize(mirror.df.size());
  std::transform(mirror.df.begin(), mirror.df.end(), weighting.idf.begin(),
                 [&](std::uint32_t df) { return df < of_rare.size() ? of_rare[df] : idf_of(df); });
  return weighting;
}

}  // namespace kindred
