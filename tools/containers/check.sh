#!/bin/sh
# Builds the image of every app with Debian's buildah, runs the images with podman as docker-compose.yml would
# (not as root, read-only, without capabilities) and plays the demo against them.
# Needs root and: apt-get install podman buildah runc mmdebstrap
# Usage: tools/containers/check.sh [base image, if one can be pulled]
set -eu
cd "$(dirname "$0")/../.."
base=${1:-$(tools/containers/base.sh | tail -n 1)}
for app in identity social-graph agent-runtime topology gateway cli; do
  echo "building $app"
  buildah bud --quiet --layers --runtime runc --format docker --network host \
    --build-arg "NODE_IMAGE=$base" --build-arg "APP=$app" --tag "localhost/daycare/$app" .
done
DAYCARE_TEST_CONTAINERS=on node_modules/.bin/jest --config jest.config.cjs --rootDir e2e \
  --runTestsByPath e2e/deploy/containers.e2e.spec.ts
