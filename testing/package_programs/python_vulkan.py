"""The PyPI package `vulkan` after `pyroclast.activate()`."""

import pyroclast

pyroclast.activate()
import vulkan as vk

instance = vk.vkCreateInstance(vk.VkInstanceCreateInfo(), None)
for device in vk.vkEnumeratePhysicalDevices(instance):
    print(vk.vkGetPhysicalDeviceProperties(device).deviceName)
