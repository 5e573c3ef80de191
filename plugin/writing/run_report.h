#pragma once

#include "plugin/questions.h"
#include "plugin/store/origin.h"

namespace kindred {

/// What a run that writes documents did so far, by what the index held when it began.
struct RunReport : Origin, api::Run {
  /// Adds what became of more documents.
  void add(const RunReport& more) {
    examined += more.examined;
    gone += more.gone;
    written += more.written;
  }
};

}  // namespace kindred
