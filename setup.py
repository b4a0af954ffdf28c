"""The optional C extension; everything else about the package is in pyproject.toml.

Without a compiler the package installs and works; the rotor layer then runs on plain torch.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

NATIVE = Path("geomlin/native")


class BuildNative(build_ext):
    """Builds with OpenMP where the compiler and the linker have it."""

    def build_extension(self, extension: Extension) -> None:
        """Add the flags this compiler accepts, then build."""
        if self.compiler.compiler_type != "msvc":
            extension.extra_compile_args += ["-O3", "-g0"]
            if self.accepts("-fopenmp"):
                extension.extra_compile_args += ["-fopenmp"]
                extension.extra_link_args += ["-fopenmp"]
        super().build_extension(extension)

    def accepts(self, flag: str) -> bool:
        """Whether a program that uses OpenMP compiles and links with this flag."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "probe.c"
            source.write_text(
                "#include <omp.h>\nint main(void) { return omp_get_num_threads(); }\n"
            )
            try:
                objects = self.compiler.compile(
                    [str(source)], output_dir=folder, extra_postargs=[flag]
                )
                self.compiler.link_executable(
                    objects, "probe", output_dir=folder, extra_postargs=[flag]
                )
            except (CompileError, LinkError):
                return False
        return True


setup(
    ext_modules=[
        Extension(
            "geomlin.native._rotor",
            sorted(str(path) for path in NATIVE.glob("*.c")),
            depends=sorted(str(path) for path in NATIVE.glob("*.h")),
            define_macros=[("Py_LIMITED_API", "0x030B0000")],
            py_limited_api=True,
            optional=True,
        )
    ],
    cmdclass={"build_ext": BuildNative},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
