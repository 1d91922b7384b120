#!/bin/sh
# Prints the address of the Debian mirror in this machine's own apt sources. apt reads them, so their form does not matter.
# Exit status 1, and nothing printed, where there is none or its lists were never fetched.
apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' 2>/dev/null | grep -m 1 .
