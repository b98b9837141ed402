// SPDX-License-Identifier: MIT
// Finds the module beside the program. It stays loaded: GLFW's libraries do not like to go.
#include "viewer/window.hpp"

#include <filesystem>
#include <system_error>

#include <dlfcn.h>

#include "viewer/device_object.hpp"

namespace quarry::viewer {

namespace {

constexpr const char* kModule = "libquarry_viewer_window.so";

void* load_module() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    // Global, because the module looks functions of its own libraries up by name.
    void* module = dlopen((program.parent_path() / kModule).c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (module != nullptr) return module;
  }
  return dlopen(kModule, RTLD_NOW | RTLD_GLOBAL);
}

}  // namespace

Outcome<std::unique_ptr<Window>> Window::open(int width, int height) {
  void* module = load_module();
  if (module == nullptr) {
    const char* reason = dlerror();
    return failure(std::string("no window: ") + (reason != nullptr ? reason : kModule) +
                   " (GLFW is missing? --headless needs none)");
  }
  const auto entry = reinterpret_cast<QuarryWindowEntry>(dlsym(module, QUARRY_WINDOW_ENTRY));
  const QuarryWindowApi* api = entry != nullptr ? entry() : nullptr;
  if (api == nullptr || api->version != QUARRY_WINDOW_API_VERSION) {
    return failure(std::string("no window: ") + kModule + " is of another version");
  }
  const char* problem = "";
  QuarryWindow* window = api->open(width, height, "Quarry viewer", &problem);
  if (window == nullptr) {
    return failure(std::string("no window: ") + problem + " (--headless needs no display)");
  }
  return std::make_unique<Window>(api, window);
}

Window::~Window() {
  api_->close(window_);
}

std::vector<std::string> Window::instance_extensions() const {
  unsigned count = 0;
  const char* const* names = api_->extensions(window_, &count);
  return {names, names + count};
}

Outcome<VkSurfaceKHR> Window::surface(VkInstance instance) {
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  const VkResult result = api_->surface(window_, instance, &surface);
  if (result != VK_SUCCESS) return failure("no window surface: " + to_string(result));
  return surface;
}

QuarryWindowState Window::poll() {
  QuarryWindowState state{};
  api_->poll(window_, &state);
  return state;
}

}  // namespace quarry::viewer
