#include "plugin/mirror/weighting_tables.h"

#include "analyzer/smart_weighting.h"
#include "gpu/csr.h"

namespace kindred {

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
  weighting.idf.reserve(mirror.df.size());
  const std::uint32_t documents = mirror.documents();
  for (const std::uint32_t df : mirror.df) {
    weighting.idf.push_back(df == 0 ? 0 : smart.idf(documents, df));
  }
  return weighting;
}

}  // namespace kindred
