"""The structures of Vulkan that a compute shader needs, for ctypes. Names and order are the specification's."""

from ctypes import Structure, c_char, c_char_p, c_float, c_int32, c_size_t, c_uint32, c_uint64, c_uint8, c_void_p

POINTER, HANDLE, FLAGS, SIZE = c_void_p, c_uint64, c_uint32, c_uint64
WHOLE_SIZE = 0xFFFF_FFFF_FFFF_FFFF


def structure(name, *fields, type_number=None):
    """A structure; with a number it starts with `sType`, set to it, and `pNext`."""
    head = [] if type_number is None else [("sType", c_int32), ("pNext", POINTER)]
    made = type(name, (Structure,), {"_fields_": head + list(fields)})
    if type_number is None:
        return made

    def new(**values):
        return made(sType=type_number, **values)

    new.type = made
    return new


ApplicationInfo = structure(
    "ApplicationInfo",
    ("pApplicationName", c_char_p),
    ("applicationVersion", c_uint32),
    ("pEngineName", c_char_p),
    ("engineVersion", c_uint32),
    ("apiVersion", c_uint32),
    type_number=0,
)
InstanceCreateInfo = structure(
    "InstanceCreateInfo",
    ("flags", FLAGS),
    ("pApplicationInfo", POINTER),
    ("enabledLayerCount", c_uint32),
    ("ppEnabledLayerNames", POINTER),
    ("enabledExtensionCount", c_uint32),
    ("ppEnabledExtensionNames", POINTER),
    type_number=1,
)
DeviceQueueCreateInfo = structure(
    "DeviceQueueCreateInfo",
    ("flags", FLAGS),
    ("queueFamilyIndex", c_uint32),
    ("queueCount", c_uint32),
    ("pQueuePriorities", POINTER),
    type_number=2,
)
DeviceCreateInfo = structure(
    "DeviceCreateInfo",
    ("flags", FLAGS),
    ("queueCreateInfoCount", c_uint32),
    ("pQueueCreateInfos", POINTER),
    ("enabledLayerCount", c_uint32),
    ("ppEnabledLayerNames", POINTER),
    ("enabledExtensionCount", c_uint32),
    ("ppEnabledExtensionNames", POINTER),
    ("pEnabledFeatures", POINTER),
    type_number=3,
)
SubmitInfo = structure(
    "SubmitInfo",
    ("waitSemaphoreCount", c_uint32),
    ("pWaitSemaphores", POINTER),
    ("pWaitDstStageMask", POINTER),
    ("commandBufferCount", c_uint32),
    ("pCommandBuffers", POINTER),
    ("signalSemaphoreCount", c_uint32),
    ("pSignalSemaphores", POINTER),
    type_number=4,
)
MemoryAllocateInfo = structure(
    "MemoryAllocateInfo", ("allocationSize", SIZE), ("memoryTypeIndex", c_uint32), type_number=5
)
ImportMemoryHostPointerInfo = structure(
    "ImportMemoryHostPointerInfo", ("handleType", FLAGS), ("pHostPointer", POINTER), type_number=1000178000
)
ExternalMemoryBufferCreateInfo = structure(
    "ExternalMemoryBufferCreateInfo", ("handleTypes", FLAGS), type_number=1000072000
)
FenceCreateInfo = structure("FenceCreateInfo", ("flags", FLAGS), type_number=8)
BufferCreateInfo = structure(
    "BufferCreateInfo",
    ("flags", FLAGS),
    ("size", SIZE),
    ("usage", FLAGS),
    ("sharingMode", c_int32),
    ("queueFamilyIndexCount", c_uint32),
    ("pQueueFamilyIndices", POINTER),
    type_number=12,
)
ShaderModuleCreateInfo = structure(
    "ShaderModuleCreateInfo", ("flags", FLAGS), ("codeSize", c_size_t), ("pCode", POINTER), type_number=16
)
PipelineShaderStageCreateInfo = structure(
    "PipelineShaderStageCreateInfo",
    ("flags", FLAGS),
    ("stage", FLAGS),
    ("module", HANDLE),
    ("pName", c_char_p),
    ("pSpecializationInfo", POINTER),
    type_number=18,
)
ComputePipelineCreateInfo = structure(
    "ComputePipelineCreateInfo",
    ("flags", FLAGS),
    ("stage", PipelineShaderStageCreateInfo.type),
    ("layout", HANDLE),
    ("basePipelineHandle", HANDLE),
    ("basePipelineIndex", c_int32),
    type_number=29,
)
PipelineLayoutCreateInfo = structure(
    "PipelineLayoutCreateInfo",
    ("flags", FLAGS),
    ("setLayoutCount", c_uint32),
    ("pSetLayouts", POINTER),
    ("pushConstantRangeCount", c_uint32),
    ("pPushConstantRanges", POINTER),
    type_number=30,
)
DescriptorSetLayoutCreateInfo = structure(
    "DescriptorSetLayoutCreateInfo",
    ("flags", FLAGS),
    ("bindingCount", c_uint32),
    ("pBindings", POINTER),
    type_number=32,
)
DescriptorPoolCreateInfo = structure(
    "DescriptorPoolCreateInfo",
    ("flags", FLAGS),
    ("maxSets", c_uint32),
    ("poolSizeCount", c_uint32),
    ("pPoolSizes", POINTER),
    type_number=33,
)
DescriptorSetAllocateInfo = structure(
    "DescriptorSetAllocateInfo",
    ("descriptorPool", HANDLE),
    ("descriptorSetCount", c_uint32),
    ("pSetLayouts", POINTER),
    type_number=34,
)
WriteDescriptorSet = structure(
    "WriteDescriptorSet",
    ("dstSet", HANDLE),
    ("dstBinding", c_uint32),
    ("dstArrayElement", c_uint32),
    ("descriptorCount", c_uint32),
    ("descriptorType", c_int32),
    ("pImageInfo", POINTER),
    ("pBufferInfo", POINTER),
    ("pTexelBufferView", POINTER),
    type_number=35,
)
CommandPoolCreateInfo = structure(
    "CommandPoolCreateInfo", ("flags", FLAGS), ("queueFamilyIndex", c_uint32), type_number=39
)
CommandBufferAllocateInfo = structure(
    "CommandBufferAllocateInfo",
    ("commandPool", HANDLE),
    ("level", c_int32),
    ("commandBufferCount", c_uint32),
    type_number=40,
)
CommandBufferBeginInfo = structure(
    "CommandBufferBeginInfo", ("flags", FLAGS), ("pInheritanceInfo", POINTER), type_number=42
)
# A list of VkBool32 after the header, all of which are copied as they come.
Features2 = structure("Features2", ("values", c_uint32 * 55), type_number=1000059000)
Vulkan11Features = structure("Vulkan11Features", ("values", c_uint32 * 12), type_number=49)
Vulkan12Features = structure("Vulkan12Features", ("values", c_uint32 * 47), type_number=51)
Vulkan13Features = structure("Vulkan13Features", ("values", c_uint32 * 15), type_number=53)

DescriptorSetLayoutBinding = structure(
    "DescriptorSetLayoutBinding",
    ("binding", c_uint32),
    ("descriptorType", c_int32),
    ("descriptorCount", c_uint32),
    ("stageFlags", FLAGS),
    ("pImmutableSamplers", POINTER),
)
DescriptorPoolSize = structure("DescriptorPoolSize", ("type", c_int32), ("descriptorCount", c_uint32))
DescriptorBufferInfo = structure("DescriptorBufferInfo", ("buffer", HANDLE), ("offset", SIZE), ("range", SIZE))
PushConstantRange = structure("PushConstantRange", ("stageFlags", FLAGS), ("offset", c_uint32), ("size", c_uint32))
SpecializationMapEntry = structure(
    "SpecializationMapEntry", ("constantID", c_uint32), ("offset", c_uint32), ("size", c_size_t)
)
SpecializationInfo = structure(
    "SpecializationInfo",
    ("mapEntryCount", c_uint32),
    ("pMapEntries", POINTER),
    ("dataSize", c_size_t),
    ("pData", POINTER),
)
MemoryRequirements = structure(
    "MemoryRequirements", ("size", SIZE), ("alignment", SIZE), ("memoryTypeBits", c_uint32)
)
# The head of VkPhysicalDeviceProperties; limits and sparse properties follow, which nobody reads here.
PhysicalDeviceProperties = structure(
    "PhysicalDeviceProperties",
    ("apiVersion", c_uint32),
    ("driverVersion", c_uint32),
    ("vendorID", c_uint32),
    ("deviceID", c_uint32),
    ("deviceType", c_int32),
    ("deviceName", c_char * 256),
    ("pipelineCacheUUID", c_uint8 * 16),
    ("rest", c_float * 256),
)
MemoryType = structure("MemoryType", ("propertyFlags", FLAGS), ("heapIndex", c_uint32))
MemoryHeap = structure("MemoryHeap", ("size", SIZE), ("flags", FLAGS))
PhysicalDeviceMemoryProperties = structure(
    "PhysicalDeviceMemoryProperties",
    ("memoryTypeCount", c_uint32),
    ("memoryTypes", MemoryType * 32),
    ("memoryHeapCount", c_uint32),
    ("memoryHeaps", MemoryHeap * 16),
)
