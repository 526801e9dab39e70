#!/bin/sh
# Runs muster from a checkout, where `npm i -g .` or npx links to this file, with the Node.js 24 that npm ci installed, because
# the Node.js of the PATH may be older and cannot run TypeScript. It replaces itself with Node.js, so that signals and the
# exit code are those of muster.
set -eu

# The name says whether kubectl called it as its plugin.
export MUSTER_CALLED_AS="${0##*/}"

file=$0
while [ -h "$file" ]; do
  target=$(readlink "$file")
  case $target in
    /*) file=$target ;;
    *) file=$(dirname "$file")/$target ;;
  esac
done
root=$(cd "$(dirname "$file")/.." && pwd -P)

if [ ! -d "$root/node_modules" ]; then
  echo "muster: the packages that it needs are not installed. Run: cd $root && npm ci" >&2
  exit 1
fi
node=$root/node_modules/.bin/node
if [ ! -x "$node" ]; then
  node=node
  version=$(node --version 2>/dev/null) || version=none
  major=${version#v}
  if ! [ "${major%%.*}" -ge 24 ] 2>/dev/null; then
    echo "muster: Node.js 24 or later is required, and the PATH has $version. Install it from https://nodejs.org" >&2
    exit 1
  fi
fi
exec "$node" "$root/src/main.ts" "$@"
