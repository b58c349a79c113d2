#!/bin/sh
# What drills need beside the project, from Debian's packages. Run as root.
set -eu
apt-get install --yes --no-install-recommends pgbouncer
