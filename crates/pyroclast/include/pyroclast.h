/* Pyroclast, a Vulkan driver that runs on the CPU, opened by a program without manifest or installation.
 *
 * Link with -lpyroclast_icd, then either
 *   - call pyroclast_get_instance_proc_addr(NULL, "vkCreateInstance") and go on without a loader, or
 *   - give the system's loader pyroclast_direct_driver(), by VK_LUNARG_direct_driver_loading.
 */
#ifndef PYROCLAST_H
#define PYROCLAST_H

#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The driver's entry for loaders; exported by libpyroclast_icd. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);

/* The address of a command by its name, or NULL for a name that the driver does not know. Global commands, such as
 * vkCreateInstance, need no instance. */
static inline PFN_vkVoidFunction pyroclast_get_instance_proc_addr(VkInstance instance, const char *name)
{
    return vk_icdGetInstanceProcAddr(instance, name);
}

#ifdef VK_LUNARG_direct_driver_loading
/* The driver for VkDirectDriverLoadingListLUNARG::pDrivers. */
static inline VkDirectDriverLoadingInfoLUNARG pyroclast_direct_driver(void)
{
    VkDirectDriverLoadingInfoLUNARG driver = {
        VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_INFO_LUNARG, NULL, 0,
        (PFN_vkGetInstanceProcAddrLUNARG)vk_icdGetInstanceProcAddr
    };
    return driver;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
