"""Pyroclast, a Vulkan driver that runs on the CPU: for other Vulkan libraries, and for compute shaders on NumPy arrays."""

from .compute import Device, VulkanError, run, zeros
from .loader import LIBRARY, MANIFEST, activate, environment

__all__ = ["LIBRARY", "MANIFEST", "Device", "VulkanError", "activate", "environment", "run", "zeros"]
__version__ = "@VERSION@"
