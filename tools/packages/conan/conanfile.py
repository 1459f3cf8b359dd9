# SPDX-License-Identifier: MIT
"""A Conan 2 recipe of the repository that it is in: conan create tools/packages/conan --build=missing"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

ROOT = "../../.."


class Vkmoye(ConanFile):
    name = "vkmoye"
    description = "GPU kernels described by layouts, on Vulkan"
    license = "MIT"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"c_library": [True, False], "fPIC": [True, False]}
    default_options = {"c_library": False, "fPIC": True}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, ROOT, "src/vkmoye/base/version.hpp"))
        self.version = re.search(r'VKMOYE_VERSION "(.*)"', text).group(1)

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "src/*"):
            copy(self, pattern, os.path.join(self.recipe_folder, ROOT), self.export_sources_folder)

    def requirements(self):
        self.requires("fmt/[>=9]")
        self.requires("nlohmann_json/[>=3.10]")
        self.requires("vulkan-headers/[>=1.3.275]", transitive_headers=True)
        self.requires("vulkan-memory-allocator/[>=3.0]")
        self.requires("xxhash/[>=0.8]")

    def layout(self):
        self.folders.root = ROOT
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        # The generator needs isl with its own dependencies, for which there is no package of CMake.
        toolchain.cache_variables["VKMOYE_BUILD_GENERATOR"] = False
        toolchain.cache_variables["VKMOYE_BUILD_C"] = bool(self.options.c_library)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # Programs find vkmoye by its own package of CMake.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append("lib/cmake/vkmoye")
