// SPDX-License-Identifier: MIT
// Pictures on their way to disk: the GPU's pixels brought to the CPU, written as PNG by a thread of
// its own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <quarry/unique.hpp>

#include "viewer/attachment.hpp"

namespace quarry::viewer {

/// RGBA, 8 bits, sRGB.
struct PictureFile {
  std::filesystem::path path;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::vector<std::uint8_t> pixels;
};

/// A host-readable copy of a picture.
class Readback {
 public:
  static Outcome<Readback> create(Memory& memory, VkDeviceSize bytes);
  /// Copies the image, which is in COLOR_ATTACHMENT_OPTIMAL and ends in TRANSFER_SRC_OPTIMAL.
  void record(VkCommandBuffer commands, VkImage image, VkExtent2D extent) const;
  /// After the GPU is done: the bytes.
  Outcome<std::span<const std::byte>> read(Memory& memory) const;

 private:
  UniqueBuffer buffer_;
  VkDeviceSize bytes_ = 0;
};

class PictureWriter {
 public:
  PictureWriter();
  PictureWriter(const PictureWriter&) = delete;
  PictureWriter& operator=(const PictureWriter&) = delete;
  ~PictureWriter();

  void write(PictureFile picture);
  /// Waits until all is written; returns what could not be.
  std::vector<std::string> finish();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PictureFile> queue_;
  std::vector<std::string> problems_;
  bool ending_ = false;
  bool writing_ = false;
  std::thread thread_;
};

}  // namespace quarry::viewer
