#!/bin/sh
# Runs monoco by the Node that a clone has of its own, else by the one that npm installed the package with, else by the first
# on the PATH: a shell that has another Node at hand changes nothing.
package=$(readlink -f "$0") && package=${package%/src/launch.sh} || exit
for node in "$package/node_modules/.bin/node" "${package%/lib/node_modules/monoco}/bin/node"; do
  [ ! -x "$node" ] || exec "$node" "$package/dist/cli.js" "$@"
done
exec node "$package/dist/cli.js" "$@"
