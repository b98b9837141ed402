// SPDX-License-Identifier: MIT
// Decides for each map whether its file is used in place, found in the cache, or converted; runs
// the conversions on threads, as many at once as memory allows.
#include "materials/prepared_material.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "materials/ktx2.hpp"
#include "materials/map_conversion.hpp"
#include "materials/parallel.hpp"

namespace quarry::materials {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCacheKey = "quarryCacheKey";

/// Chains of other tools may stop at one block; anything coarser missing means there is nothing to
/// stream.
constexpr std::uint32_t kCoarsestExtent = 8;

/// Admits work while its memory fits; work larger than all memory runs alone.
class MemoryGate {
 public:
  explicit MemoryGate(std::uint64_t capacity) : capacity_(capacity) {}

  std::uint64_t enter(std::uint64_t bytes) {
    const std::uint64_t share = std::min(bytes, capacity_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return used_ + share <= capacity_; });
    used_ += share;
    return share;
  }
  void leave(std::uint64_t share) {
    {
      const std::lock_guard lock(mutex_);
      used_ -= share;
    }
    changed_.notify_all();
  }

 private:
  const std::uint64_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t used_ = 0;  // guarded by mutex_
};

class MemoryShare {
 public:
  MemoryShare(MemoryGate& gate, std::uint64_t bytes) : gate_(gate), share_(gate.enter(bytes)) {}
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;
  ~MemoryShare() { gate_.leave(share_); }

 private:
  MemoryGate& gate_;
  std::uint64_t share_;
};

std::uint64_t half_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return std::uint64_t{4} << 30;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) / 2;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; value >>= 4)
    text[i] = "0123456789abcdef"[value & 15];
  return text;
}

/// Where a converted map lies and what its file must carry to be up to date.
struct CacheEntry {
  fs::path file;
  std::string key;
};

/// The file name depends on the sources' paths alone, so that a changed source replaces its old
/// conversion.
Result<CacheEntry> cache_entry(const fs::path& folder, const std::string& material, MapKind kind,
                               const MapSource& source) {
  std::string paths;
  std::string key = "version " + std::to_string(kConversionVersion);
  for (const fs::path& path : source_files(source)) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error) return Unexpected(Problem{path, "cannot be examined: " + error.message()});
    const fs::file_time_type time = fs::last_write_time(path, error);
    if (error) return Unexpected(Problem{path, "cannot be examined: " + error.message()});
    const std::string absolute = fs::absolute(path).lexically_normal().string();
    paths += absolute + '\n';
    key += '\n' + absolute + '\n' + std::to_string(bytes) + ' ' +
           std::to_string(time.time_since_epoch().count());
  }
  if (source.flip_green) key += "\ngreen flipped";
  std::string name = material + "-" + to_string(kind);
  for (char& c : name)
    if (c == '/' || c == '\\') c = '-';
  return CacheEntry{folder / (name + "-" + hex(fnv1a(paths)) + ".ktx2"), std::move(key)};
}

bool is_current(const CacheEntry& entry) {
  std::error_code error;
  if (!fs::exists(entry.file, error)) return false;
  auto texture = TextureFile::open(entry.file);
  return texture && texture->metadata(kCacheKey) == entry.key;
}

bool suits(MapKind kind, const FormatInfo& format) {
  switch (kind) {
    case MapKind::albedo:
      return format.channels >= 3;
    case MapKind::normal:
      return format.channels >= 2 && !format.srgb;
    case MapKind::surface:
      return format.channels >= 3 && !format.srgb;
  }
  return false;
}

bool is_ktx2(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending.size() == 5 && (ending[1] | 32) == 'k' && (ending[2] | 32) == 't' &&
         (ending[3] | 32) == 'x' && ending[4] == '2';
}

/// Whether a KTX2 file can be uploaded as it is; an error when it can be of no use for this map.
Result<bool> usable_in_place(MapKind kind, const MapSource& source) {
  if (source.main.empty() || !is_ktx2(source.main)) return false;
  auto texture = TextureFile::open(source.main);
  if (!texture) return Unexpected(texture.error());
  const TextureInfo& info = texture->info();
  const FormatInfo& format = *find_format(info.format);
  if (!suits(kind, format))
    return Unexpected(Problem{source.main, std::string("has the format ") + format.name +
                                               ", which does not suit a map of the kind " +
                                               to_string(kind)});
  const std::uint32_t coarsest = mip_extent(std::max(info.width, info.height), info.mips - 1);
  return !source.flip_green && coarsest <= kCoarsestExtent;
}

/// Converts one map into its place in the cache.
Status convert_into_cache(MapKind kind, const MapSource& source, const CacheEntry& entry,
                          MemoryGate& gate, unsigned threads) {
  auto bytes = conversion_bytes(source);
  if (!bytes) return Unexpected(bytes.error());
  const MemoryShare share(gate, *bytes);
  try {
    auto chain = convert_map(kind, source, threads);
    if (!chain) return Unexpected(chain.error());
    return chain->write(entry.file, {{kCacheKey, entry.key}});
  } catch (const std::bad_alloc&) {
    return Unexpected(
        Problem{source_files(source).front(), "needs more memory to convert than there is"});
  }
}

PreparedMap prepare_map(const Material& material, MapKind kind, const PrepareOptions& options,
                        MemoryGate& gate, unsigned threads) {
  const MapSource& source = material.map(kind);
  if (source.empty()) return {};
  auto in_place = usable_in_place(kind, source);
  if (!in_place) return {std::nullopt, in_place.error()};
  if (*in_place) return {source.main, std::nullopt};
  auto entry = cache_entry(options.cache_folder, material.name, kind, source);
  if (!entry) return {std::nullopt, entry.error()};
  if (!is_current(*entry))
    if (Status status = convert_into_cache(kind, source, *entry, gate, threads); !status)
      return {std::nullopt, status.error()};
  return {entry->file, std::nullopt};
}

}  // namespace

std::vector<PreparedMaterial> prepare_materials(const std::vector<Material>& materials,
                                                const PrepareOptions& options) {
  std::vector<PreparedMaterial> prepared(materials.size());
  const std::size_t total = materials.size() * kMapKinds;
  const unsigned threads = thread_count(options.threads);
  const unsigned inner =
      std::max(1u, threads / static_cast<unsigned>(std::clamp<std::size_t>(total, 1, threads)));
  std::error_code ignored;  // a folder that cannot be made shows when a file is written into it
  fs::create_directories(options.cache_folder, ignored);
  MemoryGate gate(half_of_memory());
  std::mutex progress_mutex;
  std::size_t done = 0;
  parallel_for(total, threads, [&](std::size_t i) {
    const Material& material = materials[i / kMapKinds];
    const auto kind = static_cast<MapKind>(i % kMapKinds);
    PreparedMap& map = prepared[i / kMapKinds].maps[i % kMapKinds];
    if (options.cancelled && options.cancelled())
      map.problem = Problem{material.name, "was not prepared: the work was ended"};
    else
      map = prepare_map(material, kind, options, gate, inner);
    const std::lock_guard lock(progress_mutex);
    ++done;
    if (options.progress) options.progress(done, total, material.name + " " + to_string(kind));
  });
  for (std::size_t i = 0; i < materials.size(); ++i)
    prepared[i].name = materials[i].name;
  return prepared;
}

fs::path default_cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return fs::path(cache) / "quarry" / "materials";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache" / "quarry" / "materials";
  std::error_code error;
  return fs::temp_directory_path(error) / "quarry-materials";
}

}  // namespace quarry::materials
