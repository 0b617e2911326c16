#!/bin/sh
# Makes a substitute for the official Node image, for machines that can reach Debian and npm but no image registry:
# Debian's minimal system with Node from the npm package `node`. Needs root, mmdebstrap, buildah, runc and npm.
# Prints the name of the image; an existing image is reused.
# Usage: tools/containers/base.sh [tag]
set -eu
version=$(sed -n 's/^ARG NODE_IMAGE=node:\([0-9.]*\)-.*/\1/p' "$(dirname "$0")/../../Dockerfile")
tag=${1:-localhost/daycare-node:$version}
if [ -n "$(buildah images --quiet "$tag" 2> /dev/null)" ]; then
  echo "$tag"
  exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$work/root.tar"
npm install --silent --no-audit --no-fund --prefix "$work/node" "node@$version" "npm@11"
container=$(buildah from scratch)
buildah add --quiet "$container" "$work/root.tar" /
# The package `node` only links to the binary, which is in a package for this platform.
binary=$(find "$work/node/node_modules" -path '*/bin/node' -type f -size +1M | head -n 1)
buildah copy --quiet --chmod 755 "$container" "$binary" /usr/local/bin/node
buildah copy --quiet "$container" "$work/node/node_modules/npm" /usr/local/lib/node_modules/npm
# Copies the certificate authorities that this machine trusts, because the npm registry may be behind a proxy with its
# own authority.
buildah copy --quiet "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah run --runtime runc --network host "$container" -- sh -c '
  ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm &&
  chmod 755 /usr/local/lib/node_modules/npm/bin/npm-cli.js &&
  useradd --uid 1000 --create-home node && node --version && npm --version'
buildah commit --quiet "$container" "$tag" > /dev/null
buildah rm "$container" > /dev/null
echo "$tag"
