// SPDX-License-Identifier: MIT
// The library's version: the one place it is written; the build reads it from here.
#pragma once

#define QUARRY_VERSION_MAJOR 0
#define QUARRY_VERSION_MINOR 1
#define QUARRY_VERSION_PATCH 0
