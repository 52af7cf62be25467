"""The `vulkan` package: every call by hand from Python, buffer copies, fills and queries included."""

import struct

import vulkan as vk

app = vk.VkApplicationInfo(pApplicationName="bindings", apiVersion=vk.VK_MAKE_VERSION(1, 0, 0))
instance = vk.vkCreateInstance(vk.VkInstanceCreateInfo(pApplicationInfo=app), None)
physical = vk.vkEnumeratePhysicalDevices(instance)[0]
properties = vk.vkGetPhysicalDeviceProperties(physical)
families = vk.vkGetPhysicalDeviceQueueFamilyProperties(physical)
family = next(i for i, f in enumerate(families) if f.queueFlags & vk.VK_QUEUE_COMPUTE_BIT)
queue_info = vk.VkDeviceQueueCreateInfo(queueFamilyIndex=family, queueCount=1, pQueuePriorities=[1.0])
device = vk.vkCreateDevice(physical, vk.VkDeviceCreateInfo(pQueueCreateInfos=[queue_info]), None)
queue = vk.vkGetDeviceQueue(device, family, 0)
memory_types = vk.vkGetPhysicalDeviceMemoryProperties(physical).memoryTypes
wanted = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT

SIZE = 4096


def make_buffer():
    usage = vk.VK_BUFFER_USAGE_TRANSFER_SRC_BIT | vk.VK_BUFFER_USAGE_TRANSFER_DST_BIT
    info = vk.VkBufferCreateInfo(size=SIZE, usage=usage, sharingMode=vk.VK_SHARING_MODE_EXCLUSIVE)
    buffer = vk.vkCreateBuffer(device, info, None)
    needs = vk.vkGetBufferMemoryRequirements(device, buffer)
    index = next(
        i
        for i, kind in enumerate(memory_types)
        if needs.memoryTypeBits & (1 << i) and kind.propertyFlags & wanted == wanted
    )
    allocation = vk.VkMemoryAllocateInfo(allocationSize=needs.size, memoryTypeIndex=index)
    memory = vk.vkAllocateMemory(device, allocation, None)
    vk.vkBindBufferMemory(device, buffer, memory, 0)
    return buffer, memory


first, first_memory = make_buffer()
second, second_memory = make_buffer()
pool = vk.vkCreateCommandPool(device, vk.VkCommandPoolCreateInfo(queueFamilyIndex=family), None)
info = vk.VkCommandBufferAllocateInfo(
    commandPool=pool, level=vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY, commandBufferCount=1
)
commands = vk.vkAllocateCommandBuffers(device, info)[0]
vk.vkBeginCommandBuffer(commands, vk.VkCommandBufferBeginInfo())
vk.vkCmdFillBuffer(commands, first, 0, SIZE, 0x01020304)
barrier = vk.VkMemoryBarrier(
    srcAccessMask=vk.VK_ACCESS_TRANSFER_WRITE_BIT,
    dstAccessMask=vk.VK_ACCESS_TRANSFER_READ_BIT | vk.VK_ACCESS_TRANSFER_WRITE_BIT,
)
transfer = vk.VK_PIPELINE_STAGE_TRANSFER_BIT
vk.vkCmdPipelineBarrier(commands, transfer, transfer, 0, 1, [barrier], 0, None, 0, None)
vk.vkCmdCopyBuffer(commands, first, second, 1, [vk.VkBufferCopy(srcOffset=16, dstOffset=32, size=64)])
vk.vkEndCommandBuffer(commands)
fence = vk.vkCreateFence(device, vk.VkFenceCreateInfo(), None)
vk.vkQueueSubmit(queue, 1, [vk.VkSubmitInfo(pCommandBuffers=[commands])], fence)
vk.vkWaitForFences(device, 1, [fence], True, 10_000_000_000)
words = struct.unpack("<1024I", vk.vkMapMemory(device, second_memory, 0, SIZE, 0)[:])
assert all(word == 0x01020304 for word in words[8:24]), words[8:24]
vk.vkUnmapMemory(device, second_memory)

vk.vkDestroyFence(device, fence, None)
vk.vkDestroyCommandPool(device, pool, None)
for buffer, memory in ((first, first_memory), (second, second_memory)):
    vk.vkDestroyBuffer(device, buffer, None)
    vk.vkFreeMemory(device, memory, None)
vk.vkDestroyDevice(device, None)
vk.vkDestroyInstance(instance, None)
print("vulkan bindings on", properties.deviceName)
