#pragma once

/// Marks what libkindred.so exports besides the C ABI: the C++ face, which is source-compatible
/// within a major version. Everything else is built with hidden visibility.
#define KINDRED_API __attribute__((visibility("default")))
