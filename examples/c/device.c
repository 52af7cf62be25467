/* Opens Pyroclast twice: without a loader, and through the system's loader by VK_LUNARG_direct_driver_loading. Prints
 * the device's name each time. Build:
 *   cc device.c -I../../crates/pyroclast/include -L../../target/release -lpyroclast_icd -lvulkan -o device
 */
#include <stdio.h>
#include <string.h>

#include "pyroclast.h"

/* Prints the first device of a new instance; 0 when there is one. */
static int show_device(const char *how, PFN_vkGetInstanceProcAddr lookup, const VkInstanceCreateInfo *info)
{
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)lookup(NULL, "vkCreateInstance");
    VkInstance instance;
    VkResult result = create(info, NULL, &instance);
    if (result != VK_SUCCESS) {
        fprintf(stderr, "%s: vkCreateInstance: %d\n", how, result);
        return 1;
    }
    PFN_vkEnumeratePhysicalDevices enumerate =
        (PFN_vkEnumeratePhysicalDevices)lookup(instance, "vkEnumeratePhysicalDevices");
    PFN_vkGetPhysicalDeviceProperties get_properties =
        (PFN_vkGetPhysicalDeviceProperties)lookup(instance, "vkGetPhysicalDeviceProperties");
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)lookup(instance, "vkDestroyInstance");
    uint32_t count = 1;
    VkPhysicalDevice device;
    enumerate(instance, &count, &device);
    if (count == 1) {
        VkPhysicalDeviceProperties properties;
        get_properties(device, &properties);
        printf("%s: %s\n", how, properties.deviceName);
    }
    destroy(instance, NULL);
    return count == 1 ? 0 : 1;
}

/* Whether the system's loader takes drivers from programs; those of before 2023 do not. */
static int loader_takes_drivers(void)
{
    VkExtensionProperties known[64];
    uint32_t count = sizeof known / sizeof *known;
    if (vkEnumerateInstanceExtensionProperties(NULL, &count, known) < 0)
        return 0;
    while (count-- > 0)
        if (strcmp(known[count].extensionName, VK_LUNARG_DIRECT_DRIVER_LOADING_EXTENSION_NAME) == 0)
            return 1;
    return 0;
}

int main(void)
{
    VkInstanceCreateInfo info;
    memset(&info, 0, sizeof info);
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    int failed = show_device("without a loader", pyroclast_get_instance_proc_addr, &info);

    if (!loader_takes_drivers()) {
        printf("through the loader: it has no VK_LUNARG_direct_driver_loading\n");
        return failed;
    }
    VkDirectDriverLoadingInfoLUNARG driver = pyroclast_direct_driver();
    VkDirectDriverLoadingListLUNARG list;
    memset(&list, 0, sizeof list);
    list.sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG;
    list.mode = VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG;
    list.driverCount = 1;
    list.pDrivers = &driver;
    const char *extension = VK_LUNARG_DIRECT_DRIVER_LOADING_EXTENSION_NAME;
    info.pNext = &list;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    return show_device("through the loader", vkGetInstanceProcAddr, &info) || failed;
}
