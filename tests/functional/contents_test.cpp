// SPDX-License-Identifier: MIT
// What is written is what is read back: the oracle that holds on every device.
#include "functional/fixture.hpp"

namespace quarry::functional {

namespace {

TEST_F(Functional, ComplaintsAreHeard) {
  const std::size_t before = device().complaints().size();
  if (!device().provoke_complaint())
    GTEST_SKIP() << "nobody validates here (QUARRY_TEST_VALIDATION is not 1)";
  EXPECT_GT(device().complaints().size(), before);
  SetUp();  // what was provoked does not count
}

TEST_F(Functional, BufferContentsSurviveTheTripThroughEachIntent) {
  for (const MemoryIntent intent : {MemoryIntent::device, MemoryIntent::upload,
                                    MemoryIntent::readback, MemoryIntent::device_upload}) {
    for (const VkDeviceSize size : {4u, 100u, 65'536u, 3'000'004u}) {
      const Buffer buffer = make_buffer(size, {.intent = intent});
      const std::vector<std::byte> bytes = noise(size, size);
      write(buffer, bytes);
      EXPECT_EQ(read(buffer, size), bytes)
          << "intent " << static_cast<int>(intent) << ", size " << size;
      EXPECT_TRUE(allocator.destroy(buffer));
    }
  }
}

TEST_F(Functional, ImageContentsSurviveTheTrip) {
  for (const VkExtent2D extent : {VkExtent2D{1, 1}, VkExtent2D{17, 5}, VkExtent2D{512, 256}}) {
    const VkDeviceSize size = VkDeviceSize{4} * extent.width * extent.height;
    auto image = allocator.create_image(image_info(extent));
    ASSERT_TRUE(image) << to_string(image.error().reason);
    const std::vector<std::byte> bytes = noise(size, extent.width);
    const Buffer source = make_buffer(size, {.intent = MemoryIntent::upload});
    ASSERT_TRUE(allocator.copy_to(source.allocation, 0, bytes));
    device().write_image(source.buffer, {image->image, image_info(extent)});
    const Buffer target = make_buffer(size, {.intent = MemoryIntent::readback});
    device().read_image({image->image, image_info(extent)}, target.buffer);
    std::vector<std::byte> back(size);
    ASSERT_TRUE(allocator.copy_from(target.allocation, 0, back));
    EXPECT_EQ(back, bytes);
    EXPECT_TRUE(allocator.destroy(*image));
    EXPECT_TRUE(allocator.destroy(source));
    EXPECT_TRUE(allocator.destroy(target));
  }
}

TEST_F(Functional, NoTwoLiveResourcesShareAByte) {
  // Each resource holds its own pattern; whoever overlaps another destroys it.
  const std::uint64_t seed = test::seeds(1).front();
  std::mt19937_64 random(seed);
  struct Live {
    Buffer buffer;
    VkDeviceSize size;
    std::uint32_t word;
  };
  std::vector<Live> live;
  const auto verify = [&](const Live& one) {
    const std::vector<std::byte> bytes = read(one.buffer, one.size);
    for (VkDeviceSize i = 0; i < one.size; i += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes.data() + i, 4);
      if (word != one.word) return false;
    }
    return true;
  };
  constexpr MemoryIntent kIntents[] = {MemoryIntent::device, MemoryIntent::upload,
                                       MemoryIntent::readback, MemoryIntent::device_upload};
  for (std::uint32_t step = 0; step < 300; ++step) {
    if (live.size() > 60 || (!live.empty() && random() % 3 == 0)) {
      const std::size_t which = random() % live.size();
      EXPECT_TRUE(verify(live[which])) << "seed " << seed << ", step " << step;
      EXPECT_TRUE(allocator.destroy(live[which].buffer));
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(which));
      continue;
    }
    const VkDeviceSize size = (random() % (VkDeviceSize{1} << (4 + random() % 16)) + 4) / 4 * 4;
    const Buffer buffer = make_buffer(size, {.intent = kIntents[random() % std::size(kIntents)]});
    const auto word = static_cast<std::uint32_t>(random());
    device().fill_buffer(buffer.buffer, 0, size, word);
    live.push_back({buffer, size, word});
  }
  for (const Live& one : live) {
    EXPECT_TRUE(verify(one)) << "seed " << seed;
    EXPECT_TRUE(allocator.destroy(one.buffer));
  }
  EXPECT_EQ(allocator.totals().allocation_count, 0u);
}

TEST_F(Functional, BuffersAndImagesSideBySideKeepTheirContents) {
  const std::uint64_t seed = test::seeds(1).front();
  constexpr VkExtent2D kExtent{64, 64};
  constexpr VkDeviceSize kBytes = VkDeviceSize{4} * 64 * 64;
  std::vector<std::pair<Image, Buffer>> pairs;
  const Buffer staging = make_buffer(kBytes, {.intent = MemoryIntent::upload});
  for (std::uint64_t i = 0; i < 24; ++i) {
    auto image = allocator.create_image(image_info(kExtent));
    ASSERT_TRUE(image);
    ASSERT_TRUE(allocator.copy_to(staging.allocation, 0, noise(kBytes, seed + i)));
    device().write_image(staging.buffer, {image->image, image_info(kExtent)});
    const Buffer buffer = make_buffer(1000);
    device().fill_buffer(buffer.buffer, 0, 1000, static_cast<std::uint32_t>(i));
    pairs.emplace_back(*image, buffer);
  }
  const Buffer target = make_buffer(kBytes, {.intent = MemoryIntent::readback});
  for (std::uint64_t i = 0; i < pairs.size(); ++i) {
    device().read_image({pairs[i].first.image, image_info(kExtent)}, target.buffer);
    std::vector<std::byte> back(kBytes);
    ASSERT_TRUE(allocator.copy_from(target.allocation, 0, back));
    EXPECT_EQ(back, noise(kBytes, seed + i)) << "seed " << seed;
    EXPECT_EQ(static_cast<std::uint64_t>(read(pairs[i].second, 1000)[0]), i);
    EXPECT_TRUE(allocator.destroy(pairs[i].first));
    EXPECT_TRUE(allocator.destroy(pairs[i].second));
  }
  EXPECT_TRUE(allocator.destroy(staging));
  EXPECT_TRUE(allocator.destroy(target));
}

}  // namespace

}  // namespace quarry::functional
