// SPDX-License-Identifier: MIT
#include "vkmoye/runtime/vk/instance.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "vkmoye/base/error.hpp"
#include "vkmoye/runtime/vk/check.hpp"
#include "vkmoye/system/library.hpp"

namespace vkmoye::vk {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

VKAPI_ATTR VkBool32 VKAPI_CALL forward_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                               VkDebugUtilsMessageTypeFlagsEXT,
                                               const VkDebugUtilsMessengerCallbackDataEXT* data,
                                               void* user) {
  const auto& on_message = *static_cast<std::function<void(const std::string&)>*>(user);
  try {
    if (on_message) on_message(data->pMessage);
  } catch (...) {  // an exception must not cross the driver's frames
  }
  return VK_FALSE;
}

// Validation messages only: the loader's remarks about other drivers come as "general".
VkDebugUtilsMessengerCreateInfoEXT messenger_info(std::function<void(const std::string&)>* user) {
  VkDebugUtilsMessengerCreateInfoEXT info = {};
  info.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  info.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                         VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  info.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  info.pfnUserCallback = forward_message;
  info.pUserData = user;
  return info;
}

bool has_layer(const GlobalTable& vk, const char* name) {
  const auto layers = enumerate<VkLayerProperties>(
      "vkEnumerateInstanceLayerProperties",
      [&](auto* count, auto* items) { return vk.EnumerateInstanceLayerProperties(count, items); });
  return std::any_of(layers.begin(), layers.end(), [&](const VkLayerProperties& layer) {
    return std::strcmp(layer.layerName, name) == 0;
  });
}

// `layer`: null means the loader and the drivers.
bool layer_has_extension(const GlobalTable& vk, const char* layer, const char* name) {
  const auto extensions = enumerate<VkExtensionProperties>(
      "vkEnumerateInstanceExtensionProperties", [&](auto* count, auto* items) {
        return vk.EnumerateInstanceExtensionProperties(layer, count, items);
      });
  return std::any_of(extensions.begin(), extensions.end(), [&](const auto& extension) {
    return std::strcmp(extension.extensionName, name) == 0;
  });
}

}  // namespace

Loader::Loader() {
  const char* name = system::vulkan_loader_name();
  std::string why;
  library_ = system::open_library(name, why);
  if (library_ == nullptr) {
    throw DeviceError(DeviceError::Kind::kNoDevice, "no Vulkan loader: " + why);
  }
  get_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(
      system::symbol_in(library_, "vkGetInstanceProcAddr"));
  if (get_ == nullptr) {
    system::close_library(library_);
    throw DeviceError(DeviceError::Kind::kNoDevice,
                      std::string("no Vulkan loader: ") + name + " lacks vkGetInstanceProcAddr");
  }
}

Loader::~Loader() { system::close_library(library_); }

Instance::Instance(PFN_vkGetInstanceProcAddr get, const Validation& validation)
    : on_message_(validation.on_message), owned_(true) {
  const GlobalTable vk = load_global_table(get);
  std::uint32_t loader_version = 0;
  check(vk.EnumerateInstanceVersion(&loader_version), "vkEnumerateInstanceVersion");
  api_version_ = std::min(loader_version, kApiVersion);

  VkApplicationInfo application = {};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "vkmoye";
  application.apiVersion = api_version_;
  VkInstanceCreateInfo info = {};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;

  std::vector<const char*> layers;
  std::vector<const char*> extensions;
  VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(&on_message_);
  const VkValidationFeatureEnableEXT enable =
      VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features = {};
  features.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &enable;
#ifdef VK_EXT_layer_settings
  const VkBool32 on = VK_TRUE;
  const auto setting = [&](const char* name) {
    return VkLayerSettingEXT{kValidationLayer, name, VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &on};
  };
  // Without the heuristic, hazards between two dispatches are not reported.
  const VkLayerSettingEXT settings[] = {setting("validate_sync"),
                                        setting("syncval_shader_accesses_heuristic")};
  VkLayerSettingsCreateInfoEXT layer_settings = {};
  layer_settings.sType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT;
  layer_settings.settingCount = 2;
  layer_settings.pSettings = settings;
#endif
  if (validation.enabled) {
    if (!has_layer(vk, kValidationLayer)) {
      throw DeviceError(DeviceError::Kind::kOther,
                        std::string("validation was requested, but the layer ") + kValidationLayer +
                            " is not installed");
    }
    layers.push_back(kValidationLayer);
    debug_utils_ = true;
    info.pNext = &messenger;  // also reports creation and destruction of the instance
#ifdef VK_EXT_layer_settings
    if (layer_has_extension(vk, kValidationLayer, VK_EXT_LAYER_SETTINGS_EXTENSION_NAME)) {
      extensions.push_back(VK_EXT_LAYER_SETTINGS_EXTENSION_NAME);
      messenger.pNext = &layer_settings;
    }
#endif
    if (messenger.pNext == nullptr &&
        layer_has_extension(vk, kValidationLayer, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME)) {
      extensions.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
      messenger.pNext = &features;
    }
  }
  if (validation.names && layer_has_extension(vk, nullptr, VK_EXT_DEBUG_UTILS_EXTENSION_NAME)) {
    debug_utils_ = true;
  }
  if (debug_utils_) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  info.enabledLayerCount = static_cast<std::uint32_t>(layers.size());
  info.ppEnabledLayerNames = layers.data();
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  const VkResult created = vk.CreateInstance(&info, nullptr, &handle_);
  if (created == VK_ERROR_INCOMPATIBLE_DRIVER) {
    throw DeviceError(DeviceError::Kind::kNoDevice,
                      "no Vulkan device: vkCreateInstance -> VK_ERROR_INCOMPATIBLE_DRIVER, the "
                      "loader found no driver");
  }
  check(created, "vkCreateInstance");

  try {
    table_ = load_instance_table(get, handle_);
    if (validation.enabled && table_.CreateDebugUtilsMessengerEXT != nullptr) {
      const VkDebugUtilsMessengerCreateInfoEXT again = messenger_info(&on_message_);
      check(table_.CreateDebugUtilsMessengerEXT(handle_, &again, nullptr, &messenger_),
            "vkCreateDebugUtilsMessengerEXT");
    }
  } catch (...) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyInstance>(get(handle_, "vkDestroyInstance"));
    if (destroy != nullptr) destroy(handle_, nullptr);
    throw;
  }
}

Instance::Instance(PFN_vkGetInstanceProcAddr get, VkInstance instance, std::uint32_t api_version)
    : handle_(instance),
      api_version_(std::min(api_version, kApiVersion)),
      table_(load_instance_table(get, instance)) {}

Instance::~Instance() {
  if (!owned_) return;
  if (messenger_ != VK_NULL_HANDLE) {
    table_.DestroyDebugUtilsMessengerEXT(handle_, messenger_, nullptr);
  }
  table_.DestroyInstance(handle_, nullptr);
}

}  // namespace vkmoye::vk
