#!/bin/sh
# As the public image: the server runs as the user redis, with what it is given.
set -e
chown -R redis:redis /data
exec setpriv --reuid redis --regid redis --init-groups "$@" --bind 0.0.0.0 --protected-mode no --daemonize no --dir /data
