-- A module file for Lmod: put it where MODULEPATH looks, as syncopate/0.2.0.lua, and set the prefix.
local prefix = "/opt/syncopate"
help([[Profiler for MPI collectives: syncopate record -- mpirun -n 4 ./program; syncopate report syncopate-trace]])
whatis("Name: syncopate")
whatis("Version: 0.2.0")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man"))
