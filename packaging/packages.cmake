# Binary packages by CPack: `cpack -G DEB` (or TGZ) in the build directory.
#
# One package for everybody, syncopate: the command and the injected library, neither of which links an MPI.
set(CPACK_PACKAGE_NAME syncopate)
set(CPACK_PACKAGE_VENDOR "the syncopate authors")
set(CPACK_PACKAGE_CONTACT "the syncopate authors <syncopate@localhost.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler for MPI collectives with synchronized clocks")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES TRUE)
set(CPACK_COMPONENTS_ALL syncopate)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SYNCOPATE_PACKAGE_NAME syncopate)
set(CPACK_DEBIAN_SYNCOPATE_PACKAGE_RECOMMENDS "openmpi-bin | mpich, libhwloc15")
set(CPACK_DEBIAN_SYNCOPATE_DESCRIPTION
    "profiler for MPI collectives with synchronized clocks
 Records the collectives of any unmodified MPI program on one synchronized clock and says where their time went, who was
 late and why, each figure with its uncertainty.")
include(CPack)
