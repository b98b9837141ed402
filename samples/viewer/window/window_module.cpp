// SPDX-License-Identifier: MIT
// The window, through GLFW. Built as a module of its own; see window_api.h.
#include <dlfcn.h>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <vulkan/vulkan_core.h>

#include "viewer/window/window_api.h"

struct QuarryWindow {
  GLFWwindow* handle = nullptr;
  int toggled_overlay = 0;
  int budget_steps = 0;
  float wheel = 0.0f;
  bool lost = false;
};

namespace {

/// Xlib ends the program when the connection to the display breaks, unless it is told otherwise.
/// Its functions are looked up, because GLFW may run on another window system.
void survive_loss_of_display(QuarryWindow* window) {
  using IoErrorHandler = int (*)(void*);
  using ExitHandler = void (*)(void*, void*);
  const auto display = reinterpret_cast<void* (*)()>(dlsym(RTLD_DEFAULT, "glfwGetX11Display"));
  const auto set_handler = reinterpret_cast<IoErrorHandler (*)(IoErrorHandler)>(
      dlsym(RTLD_DEFAULT, "XSetIOErrorHandler"));
  const auto set_exit = reinterpret_cast<void (*)(void*, ExitHandler, void*)>(
      dlsym(RTLD_DEFAULT, "XSetIOErrorExitHandler"));
  if (display == nullptr || set_handler == nullptr || set_exit == nullptr) return;
  void* const connection = display();
  if (connection == nullptr) return;
  set_handler([](void*) { return 0; });
  set_exit(
      connection, [](void*, void* user) { static_cast<QuarryWindow*>(user)->lost = true; }, window);
}

void on_key(GLFWwindow* handle, int key, int, int action, int) {
  auto* window = static_cast<QuarryWindow*>(glfwGetWindowUserPointer(handle));
  if (action != GLFW_PRESS) return;
  if (key == GLFW_KEY_F1) ++window->toggled_overlay;
  if (key == GLFW_KEY_EQUAL || key == GLFW_KEY_KP_ADD) ++window->budget_steps;
  if (key == GLFW_KEY_MINUS || key == GLFW_KEY_KP_SUBTRACT) --window->budget_steps;
  if (key == GLFW_KEY_ESCAPE) glfwSetWindowShouldClose(handle, GLFW_TRUE);
}

void on_scroll(GLFWwindow* handle, double, double y) {
  static_cast<QuarryWindow*>(glfwGetWindowUserPointer(handle))->wheel += static_cast<float>(y);
}

const char* glfw_problem(const char* otherwise) {
  const char* text = nullptr;
  glfwGetError(&text);
  return text != nullptr ? text : otherwise;
}

QuarryWindow* open_window(int width, int height, const char* title, const char** problem) {
  if (glfwInit() != GLFW_TRUE) {
    *problem = glfw_problem("there is no display");
    return nullptr;
  }
  if (glfwVulkanSupported() != GLFW_TRUE) {
    *problem = glfw_problem("no Vulkan loader or driver was found");
    return nullptr;
  }
  glfwWindowHint(GLFW_CLIENT_API, GLFW_NO_API);
  GLFWwindow* handle = glfwCreateWindow(width, height, title, nullptr, nullptr);
  if (handle == nullptr) {
    *problem = glfw_problem("the window cannot be made");
    return nullptr;
  }
  auto* window = new QuarryWindow{handle};
  glfwSetWindowUserPointer(handle, window);
  glfwSetKeyCallback(handle, on_key);
  glfwSetScrollCallback(handle, on_scroll);
  survive_loss_of_display(window);
  return window;
}

const char* const* extensions(QuarryWindow*, unsigned* count) {
  return glfwGetRequiredInstanceExtensions(count);
}

VkResult surface(QuarryWindow* window, VkInstance instance, VkSurfaceKHR* made) {
  using Create = VkResult (*)(VkInstance, GLFWwindow*, const VkAllocationCallbacks*, VkSurfaceKHR*);
  // glfw3.h declares it only after vulkan.h, which would bring every prototype.
  const auto create = reinterpret_cast<Create>(dlsym(RTLD_DEFAULT, "glfwCreateWindowSurface"));
  return create != nullptr ? create(instance, window->handle, nullptr, made)
                           : VK_ERROR_EXTENSION_NOT_PRESENT;
}

float axis(GLFWwindow* handle, int positive, int negative) {
  const auto held = [handle](int key) {
    return glfwGetKey(handle, key) == GLFW_PRESS ? 1.0f : 0.0f;
  };
  return held(positive) - held(negative);
}

void poll(QuarryWindow* window, QuarryWindowState* state) {
  *state = {};
  if (!window->lost) glfwPollEvents();
  if (window->lost) {
    state->closing = 1;
    return;
  }
  glfwGetFramebufferSize(window->handle, &state->width, &state->height);
  state->closing = glfwWindowShouldClose(window->handle);
  double x = 0.0;
  double y = 0.0;
  glfwGetCursorPos(window->handle, &x, &y);
  state->mouse_x = static_cast<float>(x);
  state->mouse_y = static_cast<float>(y);
  for (int i = 0; i < 3; ++i) {
    state->buttons[i] = glfwGetMouseButton(window->handle, i) == GLFW_PRESS;
  }
  state->move[0] = axis(window->handle, GLFW_KEY_D, GLFW_KEY_A);
  state->move[1] = axis(window->handle, GLFW_KEY_E, GLFW_KEY_Q);
  state->move[2] = axis(window->handle, GLFW_KEY_W, GLFW_KEY_S);
  state->toggled_overlay = window->toggled_overlay;
  state->budget_steps = window->budget_steps;
  state->wheel = window->wheel;
  window->toggled_overlay = 0;
  window->budget_steps = 0;
  window->wheel = 0.0f;
}

void wait(QuarryWindow* window, double seconds) {
  if (!window->lost) glfwWaitEventsTimeout(seconds);
}

void close_window(QuarryWindow* window) {
  // Without its display GLFW would talk into a broken connection.
  if (!window->lost) {
    glfwDestroyWindow(window->handle);
    glfwTerminate();
  }
  delete window;
}

constexpr QuarryWindowApi kApi{
    QUARRY_WINDOW_API_VERSION, open_window, extensions, surface, poll, wait, close_window};

}  // namespace

extern "C" __attribute__((visibility("default"))) const QuarryWindowApi* quarry_window_api() {
  return &kApi;
}
