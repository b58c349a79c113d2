#!/bin/sh
# What drills need beside the project, from Debian's packages. Run as root. Debian starts some of them as services, which no drill uses.
set -eu
apt-get install --yes --no-install-recommends pgbouncer faketime postgresql libpq-dev patroni etcd-server haproxy
