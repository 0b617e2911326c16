#!/usr/bin/env bash
# Installs the Debian packages without which stories are skipped: the browser, Prometheus with promtool, Python's gRPC
# for the quick start, and the shells for which the CLI offers completion.
# Does nothing except in CI, as root, on Debian; elsewhere the stories say why they are skipped. A failure fails CI.
set -euo pipefail
packages=(chromium-headless-shell fish zsh prometheus python3-grpcio python3-protobuf protobuf-compiler protobuf-compiler-grpc)

[ "${CI:-}" = true ] && [ "$(id -u)" = 0 ] && [ -e /etc/debian_version ] || exit 0

missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
    missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

export DEBIAN_FRONTEND=noninteractive
apt-get update --quiet=2
apt-get install --yes --quiet=2 --no-install-recommends "${missing[@]}"
