# A Spack recipe. Copy it to a repository of your own as packages/syncopate/package.py, or:
#   spack repo create my && cp package.py my/packages/syncopate/ && spack install syncopate
from spack.package import *


class Syncopate(CMakePackage):
    """Profiler for MPI collectives with synchronized clocks: where their time
    went, who was late and why, each figure with its uncertainty."""

    license("BSD-3-Clause")
    version("0.2.0")

    variant("otf2", default=True, description="export to OTF2")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi")
    depends_on("zstd")
    depends_on("xxhash")
    depends_on("libunwind")
    depends_on("hwloc@2:")
    depends_on("elfutils")
    depends_on("r")  # libRmath
    depends_on("otf2@3:", when="+otf2")

    def cmake_args(self):
        return ["-DSYN_TESTS=OFF"]
