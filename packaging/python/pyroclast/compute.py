"""Compute shaders on NumPy arrays, by the driver in this process: no loader, and no copy where addresses allow it.

An array's pages are imported as device memory (VK_EXT_external_memory_host) if the array starts at a multiple of the
alignment that buffers need, and is writable and contiguous; those of `zeros` always do. Others are copied before and after.
"""

import contextlib
import ctypes
import pathlib
from ctypes import byref, c_uint32, c_uint64, c_void_p

from . import structures as vk
from .loader import LIBRARY

PAGE = 4096
HOST_ALLOCATION = 0x80  # VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT
STORAGE, UNIFORM = 7, 6  # VK_DESCRIPTOR_TYPE_*
COMPUTE = 0x20  # VK_SHADER_STAGE_COMPUTE_BIT
COHERENT = 0x6  # HOST_VISIBLE and HOST_COHERENT
NO_TIMEOUT = 0xFFFF_FFFF_FFFF_FFFF
MAGIC = 0x07230203


class VulkanError(RuntimeError):
    """A command that failed: its name and its VkResult."""

    def __init__(self, command, result):
        super().__init__(f"{command} failed: VkResult {result} (PYROCLAST_MESSAGES=1 prints the reason)")
        self.command, self.result = command, result


def zeros(shape, dtype):
    """An array of zeros that shaders use without a copy."""
    import numpy

    count = int(numpy.prod(shape)) * numpy.dtype(dtype).itemsize
    raw = numpy.zeros(count + PAGE, numpy.uint8)
    start = -raw.ctypes.data % PAGE
    return raw[start : start + count].view(dtype).reshape(shape)


def words_of(shader):
    """A shader's words, from SPIR-V in bytes or an array, or a file of it."""
    if isinstance(shader, (str, pathlib.Path)):
        shader = pathlib.Path(shader).read_bytes()
    data = bytes(shader)
    if len(data) % 4 or len(data) < 20 or int.from_bytes(data[:4], "little") != MAGIC:
        raise ValueError("the shader is not SPIR-V: bytes, an array of its words, or the path of a .spv file")
    return (c_uint32 * (len(data) // 4)).from_buffer_copy(data)


def array_of(kind, items):
    """A C array and its address; null for none."""
    items = list(items)
    made = (kind * len(items))(*items)
    return made, ctypes.cast(made, c_void_p) if items else None


class Device:
    """The device, open in this process. A context manager; `close` ends it."""

    def __init__(self):
        library = ctypes.CDLL(str(LIBRARY))
        self._lookup = library.vk_icdGetInstanceProcAddr
        self._lookup.restype, self._lookup.argtypes = c_void_p, [c_void_p, ctypes.c_char_p]
        self._commands, self._instance, self._device = {}, None, None
        application = vk.ApplicationInfo(pEngineName=b"pyroclast", apiVersion=(1 << 22) | (3 << 12))
        info = vk.InstanceCreateInfo(pApplicationInfo=ctypes.addressof(application))
        instance = c_void_p()
        self._check("vkCreateInstance", byref(info), None, byref(instance))
        self._instance = instance
        self._open()

    def _open(self):
        """The physical device, the device with all its features, the queue, a pool of command buffers."""
        physical, count = c_void_p(), c_uint32(1)
        self._check("vkEnumeratePhysicalDevices", self._instance, byref(count), byref(physical))
        self._properties = vk.PhysicalDeviceProperties()
        self._call("vkGetPhysicalDeviceProperties", physical, byref(self._properties))
        newest = vk.Vulkan13Features()
        newer = vk.Vulkan12Features(pNext=ctypes.addressof(newest))
        new = vk.Vulkan11Features(pNext=ctypes.addressof(newer))
        features = vk.Features2(pNext=ctypes.addressof(new))
        self._call("vkGetPhysicalDeviceFeatures2", physical, byref(features))
        priority = ctypes.c_float(1)
        queue = vk.DeviceQueueCreateInfo(queueCount=1, pQueuePriorities=ctypes.addressof(priority))
        extension = ctypes.c_char_p(b"VK_EXT_external_memory_host")
        info = vk.DeviceCreateInfo(
            pNext=ctypes.addressof(features),
            queueCreateInfoCount=1,
            pQueueCreateInfos=ctypes.addressof(queue),
            enabledExtensionCount=1,
            ppEnabledExtensionNames=ctypes.addressof(extension),
        )
        self._device, self._queue, self._pool = c_void_p(), c_void_p(), c_uint64()
        self._check("vkCreateDevice", physical, byref(info), None, byref(self._device))
        self._call("vkGetDeviceQueue", self._device, 0, 0, byref(self._queue))
        self._pool = self._made("CommandPool", vk.CommandPoolCreateInfo())
        memory = vk.PhysicalDeviceMemoryProperties()
        self._call("vkGetPhysicalDeviceMemoryProperties", physical, byref(memory))
        types = enumerate(memory.memoryTypes[: memory.memoryTypeCount])
        self._memory_type = next(index for index, one in types if one.propertyFlags & COHERENT == COHERENT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the device."""
        if self._device:
            self._destroy("CommandPool", self._pool)
            self._call("vkDestroyDevice", self._device, None)
            self._device = None
        if self._instance:
            self._call("vkDestroyInstance", self._instance, None)
            self._instance = None

    @property
    def name(self):
        """The device's name."""
        return self._properties.deviceName.decode()

    @property
    def api_version(self):
        """Major, minor and patch of the Vulkan version."""
        version = self._properties.apiVersion
        return version >> 22, version >> 12 & 0x3FF, version & 0xFFF

    def _call(self, name, *arguments):
        command = self._commands.get(name)
        if command is None:
            address = self._lookup(self._instance, name.encode())
            if not address:
                raise VulkanError(name, "unknown command")
            command = self._commands[name] = ctypes.CFUNCTYPE(ctypes.c_int32)(address)
        return command(*arguments)

    def _check(self, name, *arguments):
        result = self._call(name, *arguments)
        if result < 0:
            raise VulkanError(name, result)

    def _made(self, kind, info):
        handle = c_uint64()
        self._check(f"vkCreate{kind}", self._device, byref(info), None, byref(handle))
        return handle

    def _destroy(self, kind, handle):
        self._call(f"vkDestroy{kind}", self._device, handle, None)

    def _scoped(self, stack, kind, info):
        """An object that is destroyed at the end of the stack."""
        handle = self._made(kind, info)
        stack.callback(self._destroy, kind, handle)
        return handle

    def _buffer(self, stack, array):
        """A buffer over the array's memory, or over memory with a copy of it."""
        external = vk.ExternalMemoryBufferCreateInfo(handleTypes=HOST_ALLOCATION)
        info = vk.BufferCreateInfo(
            pNext=ctypes.addressof(external), size=max(array.nbytes, 4), usage=0x30  # storage and uniform
        )
        buffer = self._scoped(stack, "Buffer", info)
        needs = vk.MemoryRequirements()
        self._call("vkGetBufferMemoryRequirements", self._device, buffer, byref(needs))
        address = array.ctypes.data
        is_shared = array.flags.writeable and array.nbytes >= 4 and address % needs.alignment == 0
        start = address - address % PAGE if is_shared else None
        offset = address - start if is_shared else 0
        size = (offset + array.nbytes + PAGE - 1) // PAGE * PAGE if is_shared else needs.size
        # Whole pages: what else lies in them is not touched, since the buffer is bound to the array's part.
        pages = vk.ImportMemoryHostPointerInfo(handleType=HOST_ALLOCATION, pHostPointer=start)
        info = vk.MemoryAllocateInfo(allocationSize=size, memoryTypeIndex=self._memory_type)
        if is_shared:
            info.pNext = ctypes.addressof(pages)
        memory = c_uint64()
        self._check("vkAllocateMemory", self._device, byref(info), None, byref(memory))
        stack.callback(self._call, "vkFreeMemory", self._device, memory, None)
        self._check("vkBindBufferMemory", self._device, buffer, memory, c_uint64(offset))
        if not is_shared:
            mapped = c_void_p()
            whole = c_uint64(vk.WHOLE_SIZE)
            self._check("vkMapMemory", self._device, memory, c_uint64(0), whole, 0, byref(mapped))
            ctypes.memmove(mapped, address, array.nbytes)
            if array.flags.writeable:
                # Callbacks run in reverse: before the memory is freed.
                stack.callback(ctypes.memmove, address, mapped.value, array.nbytes)
        return buffer

    def _sets(self, stack, arrays, kinds):
        """Layouts and descriptor sets of the arrays."""
        layouts = []
        for number in range(1 + max((set_number for set_number, _ in arrays), default=-1)):
            of_set = [binding for set_number, binding in arrays if set_number == number]
            items = [
                vk.DescriptorSetLayoutBinding(binding, kinds[number, binding], 1, COMPUTE, None) for binding in of_set
            ]
            bindings, first = array_of(vk.DescriptorSetLayoutBinding, items)
            info = vk.DescriptorSetLayoutCreateInfo(bindingCount=len(bindings), pBindings=first)
            layouts.append(self._scoped(stack, "DescriptorSetLayout", info))
        if not layouts:
            return [], []
        sizes, first = array_of(
            vk.DescriptorPoolSize, [vk.DescriptorPoolSize(kind, len(arrays)) for kind in (STORAGE, UNIFORM)]
        )
        info = vk.DescriptorPoolCreateInfo(maxSets=len(layouts), poolSizeCount=len(sizes), pPoolSizes=first)
        pool = self._scoped(stack, "DescriptorPool", info)
        handles, first = array_of(c_uint64, [layout.value for layout in layouts])
        info = vk.DescriptorSetAllocateInfo(
            descriptorPool=pool.value, descriptorSetCount=len(layouts), pSetLayouts=first
        )
        sets = (c_uint64 * len(layouts))()
        self._check("vkAllocateDescriptorSets", self._device, byref(info), sets)
        for (number, binding), array in arrays.items():
            buffer = self._buffer(stack, array)
            whole = vk.DescriptorBufferInfo(buffer.value, 0, vk.WHOLE_SIZE)
            write = vk.WriteDescriptorSet(
                dstSet=sets[number],
                dstBinding=binding,
                descriptorCount=1,
                descriptorType=kinds[number, binding],
                pBufferInfo=ctypes.addressof(whole),
            )
            self._call("vkUpdateDescriptorSets", self._device, 1, byref(write), 0, None)
        return layouts, sets

    def _pipeline(self, stack, shader, entry, constants, layout):
        words = words_of(shader)
        info = vk.ShaderModuleCreateInfo(codeSize=len(words) * 4, pCode=ctypes.addressof(words))
        module = self._scoped(stack, "ShaderModule", info)
        entries, first = array_of(
            vk.SpecializationMapEntry,
            [vk.SpecializationMapEntry(id, index * 4, 4) for index, id in enumerate(constants)],
        )
        data = b"".join(constants[id] for id in constants)
        values = ctypes.create_string_buffer(data, max(len(data), 1))
        specialization = vk.SpecializationInfo(len(entries), first, len(data), ctypes.addressof(values))
        stage = vk.PipelineShaderStageCreateInfo(
            stage=COMPUTE,
            module=module.value,
            pName=entry.encode(),
            pSpecializationInfo=ctypes.addressof(specialization),
        )
        info = vk.ComputePipelineCreateInfo(stage=stage, layout=layout.value)
        pipeline = c_uint64()
        arguments = (c_uint64(0), 1, byref(info), None, byref(pipeline))
        self._check("vkCreateComputePipelines", self._device, *arguments)
        stack.callback(self._destroy, "Pipeline", pipeline)
        return pipeline

    def run(self, shader, buffers=None, groups=1, push=b"", constants=None, entry="main", uniform=()):
        """Runs a compute shader and waits for its end.

        `shader` is SPIR-V: bytes, an array of words, or the path of a file. `buffers` maps bindings (of set 0), or pairs of
        set and binding, to NumPy arrays, which are storage buffers, or uniform buffers where named in `uniform`. `groups`
        are the workgroups in up to three dimensions; `push` the push constants' bytes; `constants` the values of
        specialization constants by id: integers, booleans, or floats (of 32 bits).
        """
        import numpy

        pair = lambda key: key if isinstance(key, tuple) else (0, key)
        arrays = {pair(key): array for key, array in (buffers or {}).items()}
        for key, array in arrays.items():
            if not isinstance(array, numpy.ndarray) or not array.flags.c_contiguous:
                raise TypeError(f"the buffer of binding {key} is not a contiguous NumPy array")
        uniforms = {pair(key) for key in uniform}
        kinds = {key: UNIFORM if key in uniforms else STORAGE for key in arrays}
        groups = [groups] if isinstance(groups, int) else list(groups)
        groups += [1] * (3 - len(groups))
        constants = {id: constant_bytes(value) for id, value in (constants or {}).items()}
        push = bytes(push) + b"\0" * (-len(push) % 4)
        with contextlib.ExitStack() as stack:
            layouts, sets = self._sets(stack, arrays, kinds)
            handles, first = array_of(c_uint64, [layout.value for layout in layouts])
            push_range = vk.PushConstantRange(COMPUTE, 0, len(push))
            info = vk.PipelineLayoutCreateInfo(
                setLayoutCount=len(layouts),
                pSetLayouts=first,
                pushConstantRangeCount=1 if push else 0,
                pPushConstantRanges=ctypes.addressof(push_range),
            )
            layout = self._scoped(stack, "PipelineLayout", info)
            pipeline = self._pipeline(stack, shader, entry, constants, layout)
            self._dispatch(stack, pipeline, layout, sets, push, groups)

    def _dispatch(self, stack, pipeline, layout, sets, push, groups):
        """Records one dispatch, submits it, and waits for it."""
        info = vk.CommandBufferAllocateInfo(commandPool=self._pool.value, commandBufferCount=1)
        commands = c_void_p()
        self._check("vkAllocateCommandBuffers", self._device, byref(info), byref(commands))
        stack.callback(self._call, "vkFreeCommandBuffers", self._device, self._pool, 1, byref(commands))
        begin = vk.CommandBufferBeginInfo(flags=1)
        self._check("vkBeginCommandBuffer", commands, byref(begin))
        self._call("vkCmdBindPipeline", commands, 1, pipeline)
        if len(sets):
            self._call("vkCmdBindDescriptorSets", commands, 1, layout, 0, len(sets), sets, 0, None)
        if push:
            self._call("vkCmdPushConstants", commands, layout, COMPUTE, 0, len(push), push)
        self._call("vkCmdDispatch", commands, *(c_uint32(count) for count in groups))
        self._check("vkEndCommandBuffer", commands)
        fence = self._scoped(stack, "Fence", vk.FenceCreateInfo())
        submit = vk.SubmitInfo(commandBufferCount=1, pCommandBuffers=ctypes.addressof(commands))
        self._check("vkQueueSubmit", self._queue, 1, byref(submit), fence)
        self._check("vkWaitForFences", self._device, 1, byref(fence), 1, c_uint64(NO_TIMEOUT))


def constant_bytes(value):
    """A specialization constant of 32 bits."""
    if isinstance(value, float):
        return bytes(ctypes.c_float(value))
    return (int(value) & 0xFFFF_FFFF).to_bytes(4, "little")


def run(shader, buffers=None, **options):
    """Runs one compute shader on a device that stays open: see `Device.run`."""
    if not hasattr(run, "device"):
        run.device = Device()
    run.device.run(shader, buffers, **options)
