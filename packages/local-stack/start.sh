#!/bin/sh
# Starts start.js with the Node.js that npm has installed in the project, or, where that cannot run, with the one that
# runs npm: the former is linked with libatomic, which a minimal Debian or Ubuntu lacks, and its loader then ends it.
if ! node --version >/dev/null 2>&1; then
  missing="npm start: the Node.js of this project cannot run here, probably because libatomic is missing (apt-get install libatomic1)"
  if ! "$npm_node_execpath" -e 'process.exit(parseInt(process.versions.node) < 24 ? 1 : 0)'; then
    echo "$missing, and $npm_node_execpath is older than 24." >&2
    exit 1
  fi
  echo "$missing; using $npm_node_execpath instead." >&2
  PATH=$(dirname "$npm_node_execpath"):$PATH
  export PATH
fi
exec node "$(dirname "$0")/start.js" "$@"
