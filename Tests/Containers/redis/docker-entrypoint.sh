#!/bin/sh
# Like the public image: runs the given command as the user redis.
set -e
chown -R redis:redis /data
exec setpriv --reuid redis --regid redis --init-groups "$@" --bind 0.0.0.0 --protected-mode no --daemonize no --dir /data
