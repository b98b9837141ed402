// SPDX-License-Identifier: MIT
// The loader threads. Freeing goes before loading: loads may be waiting for the room.
#include "viewer/texture_loader.hpp"

#include <utility>

namespace quarry::viewer {

Outcome<std::unique_ptr<TextureLoader>> TextureLoader::create(Gpu& gpu, Memory& memory,
                                                              std::uint32_t threads,
                                                              std::uint64_t ring_bytes) {
  auto loader = std::make_unique<TextureLoader>(gpu, memory);
  for (std::uint32_t i = 0; i < threads; ++i) {
    auto lane = UploadLane::create(gpu, memory, ring_bytes, loader->uploaded_);
    if (!lane) return failure(lane.error());
    loader->lanes_.push_back(std::move(*lane));
  }
  for (auto& lane : loader->lanes_) {
    loader->threads_.emplace_back([raw = loader.get(), &lane] { raw->run(*lane); });
  }
  return loader;
}

TextureLoader::~TextureLoader() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_)
    thread.join();
  lanes_.clear();
  for (LoadResult& result : results_)
    destroy(result.image);
}

void TextureLoader::load(const LoadRequest& request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
  }
  work_.notify_one();
}

void TextureLoader::trim() {
  {
    const std::lock_guard lock(mutex_);
    trim_wanted_ = true;
  }
  work_.notify_one();
}

void TextureLoader::dispose(TextureImage image) {
  {
    const std::lock_guard lock(mutex_);
    doomed_.push_back(std::move(image));
  }
  work_.notify_one();
}

std::vector<LoadResult> TextureLoader::take_results() {
  const std::lock_guard lock(mutex_);
  return std::exchange(results_, {});
}

void TextureLoader::run(UploadLane& lane) {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock,
               [&] { return ending_ || trim_wanted_ || !doomed_.empty() || !requests_.empty(); });
    if (!doomed_.empty()) {
      TextureImage image = std::move(doomed_.front());
      doomed_.pop_front();
      lock.unlock();
      destroy(image);
      disposed_ += image.bytes;
      lock.lock();
    } else if (ending_) {
      return;
    } else if (trim_wanted_) {
      trim_wanted_ = false;
      lock.unlock();
      (void)memory_.allocator().trim();
      lock.lock();
    } else {
      const LoadRequest request = requests_.front();
      requests_.pop_front();
      lock.unlock();
      LoadResult result = carry_out(request, lane);
      lock.lock();
      results_.push_back(std::move(result));
    }
  }
}

Outcome<TextureImage> TextureLoader::make_image(const LoadRequest& request, LoadStatus& status) {
  const VkImageCreateInfo info = request.source->image_info(request.level);
  AllocationDesc desc = memory_.texture_desc();
  desc.name = request.source->name.c_str();
  auto image = memory_.create_image(info, desc);
  if (!image) {
    status = is_shortage(image.error()) ? LoadStatus::no_room : LoadStatus::failed;
    return failure(request.source->name + ": " + describe(image.error()));
  }
  TextureImage made;
  made.image = *image;
  made.bytes = request.source->level_bytes[request.level];
  auto view = make_object<VkImageView>(gpu_.device(), vkCreateImageView,
                                       texture_view_info(made.image.image, info.format),
                                       vkDestroyImageView, "vkCreateImageView");
  if (!view) {
    destroy(made);
    return failure(view.error());
  }
  made.view = std::move(*view);
  return made;
}

LoadResult TextureLoader::carry_out(const LoadRequest& request, UploadLane& lane) {
  LoadResult result;
  result.request = request;
  auto image = make_image(request, result.status);
  if (!image) {
    result.problem = image.error();
    return result;
  }
  auto ticket = lane.upload(image->image.image, *request.source, request.level);
  if (!ticket) {
    lane.drain();
    destroy(*image);
    result.problem = ticket.error();
    return result;
  }
  result.status = LoadStatus::submitted;
  result.image = std::move(*image);
  result.ticket = *ticket;
  return result;
}

void TextureLoader::destroy(TextureImage& image) {
  image.view.reset();
  memory_.destroy(image.image);
  image.image = {};
}

}  // namespace quarry::viewer
