# Builds the image of any app: docker build --build-arg APP=identity --tag daycare/identity .
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# Keeps only the files that npm reads, so that the install below stays cached until a dependency changes.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /workspace
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete \
  && find . -type d -empty -delete

FROM ${NODE_IMAGE} AS build
WORKDIR /workspace
COPY --from=manifests /workspace ./
# No install script is needed: esbuild and buf ship their binaries in separate packages.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY buf.yaml buf.gen.yaml ./
COPY proto proto
COPY tools/generate-contracts.mjs tools/
RUN node tools/generate-contracts.mjs
COPY tsconfig.base.json tsconfig.json ./
COPY tools/bundle.mjs tools/start-bundle.cjs tools/
COPY tools/cli/empty-server.mjs tools/cli/pack-bundle.mjs tools/cli/
COPY tools/client tools/client
COPY libs libs
COPY apps apps
# Declared here and not earlier, so that everything above is built once for all apps.
ARG APP
# The gateway serves the console.
RUN if [ "${APP}" = gateway ]; then node tools/client/build-console.mjs; fi
RUN node tools/bundle.mjs "${APP}"
# sharp, with which a child program of agent-runtime scales images, and its dependencies. sharp has native parts, so it is
# not in the bundle.
RUN if [ "${APP}" = agent-runtime ]; then \
  cp -r --parents node_modules/sharp node_modules/@img node_modules/detect-libc node_modules/semver dist/agent-runtime/programs/; \
  fi

FROM ${NODE_IMAGE} AS runtime
ARG APP
ENV NODE_ENV=production
ENV DAYCARE_LISTEN=0.0.0.0:50051
ENV DAYCARE_HTTP_LISTEN=0.0.0.0:9464
WORKDIR /app
# The sandbox for agents' programs, which only agent-runtime runs.
RUN if [ "${APP}" = agent-runtime ]; then \
  apt-get update && apt-get install --yes --no-install-recommends bubblewrap && rm -r /var/lib/apt/lists/*; \
  fi
# Without the source map, which would cost 45 MB of memory in every process.
COPY --from=build /workspace/dist/${APP}/main.js /workspace/dist/${APP}/bundle.js /workspace/dist/${APP}/bundle.cache ./
COPY --from=build /workspace/dist/${APP}/programs ./programs
COPY --from=build /workspace/dist/${APP}/console ./console
# A new volume inherits the owner and mode of the folder at its mount point.
RUN install --directory --owner node --group node --mode 700 /var/lib/daycare/users
USER node
EXPOSE 50051 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "const port = process.env.DAYCARE_HTTP_LISTEN.split(':').pop(); require('node:http').get({ host: '127.0.0.1', port, path: '/readyz' }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# The size of V8's semi-spaces in MB: see service-catalog.ts in libs/local-stack.
ENTRYPOINT ["node", "--min-semi-space-size=16", "--max-semi-space-size=32", "main.js"]
