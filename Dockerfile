# The image of all commands: the operator, the platform, the agent and the tools are the same program.
# All stages are Debian 12, so the node binary of one runs unchanged in another. A release sets both images by digest.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
ARG BASE_IMAGE=debian:bookworm-slim

# The program is the same for every architecture, so it is built once, on that of the builder.
FROM --platform=$BUILDPLATFORM ${NODE_IMAGE} AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY scripts/build.ts scripts/bill-of-materials.ts scripts/
COPY src src
# The commit that `muster version` reports.
ARG MUSTER_COMMIT=""
RUN MUSTER_COMMIT="$MUSTER_COMMIT" node scripts/build.ts
WORKDIR /image
RUN mkdir -p usr/local/bin usr/local/lib usr/share/doc/muster \
  && mv /build/dist/NOTICES.txt /build/dist/sbom.cdx.json usr/share/doc/muster/ \
  && mv /build/dist/muster /build/dist/muster.mjs usr/local/lib/ \
  && ln -s ../lib/muster.mjs usr/local/bin/muster \
  && ln -s ../lib/muster.mjs usr/local/bin/kubectl-muster \
  && mv /build/src/docker-credential-muster.sh usr/local/bin/docker-credential-muster \
  && mv /build/src/kubectl_complete-muster.sh usr/local/bin/kubectl_complete-muster
COPY LICENSE usr/share/doc/muster/

FROM ${NODE_IMAGE} AS node

# This stage only copies, so that another architecture needs no emulation.
FROM ${BASE_IMAGE}
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=build /image/ /
ENV NODE_ENV=production
# Limits V8 to half of the container's memory limit for its heap, a small young generation and one helper thread. With half of the young
# generation, what many reconciles or pages need at the same time is copied to the old one: 10 % more CPU, for 6 MiB less. V8 rounds its size
# up to a power of two, and does not change it while it runs.
ENV NODE_OPTIONS="--max-old-space-size-percentage=50 --max-semi-space-size=8 --v8-pool-size=1"
# glibc keeps freed memory per thread, so a burst of requests would occupy memory for ever. One arena that is trimmed avoids it.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=131072
# Numeric, so that Kubernetes can verify runAsNonRoot. The user owns no file in the image and writes to none.
USER 65532:65532
ENTRYPOINT ["muster"]
CMD ["--help"]
