#include "plugin/mirror/weighting_tables.h"

#include "analyzer/smart_weighting.h"
#include "gpu/csr.h"

namespace kindred {

TermWeighting weighting_tables(const Mirror& mirror, const std::string& letters) {
  const SmartWeighting smart(letters);
  TermWeighting weighting;
  weighting.tf.resize(kMaxCount + 1);
  for (std::uint32_t count = 0; count <= kMaxCount; ++count) weighting.tf[count] = smart.tf(count);
  weighting.idf.reserve(mirror.df.size());
  const std::uint32_t documents = mirror.documents();
  for (const std::uint32_t df : mirror.df) {
    weighting.idf.push_back(df == 0 ? 0 : smart.idf(documents, df));
  }
  return weighting;
}

}  // namespace kindred
