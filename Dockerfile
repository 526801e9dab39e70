# The image of all commands: `muster operator` and `muster platform` are the same program.
# Both stages are Debian 12, so the node binary of the first stage runs unchanged in the second.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY scripts/build.ts scripts/
COPY src src
# The commit of the sources, which the program reports: --build-arg MUSTER_COMMIT=$(git rev-parse HEAD)
ARG MUSTER_COMMIT
RUN node scripts/build.ts

FROM debian:bookworm-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY LICENSE /usr/share/doc/muster/
COPY --from=build /build/dist/NOTICES.txt /usr/share/doc/muster/
COPY --from=build /build/dist/muster /usr/local/lib/muster
COPY --from=build --chmod=755 /build/dist/muster.mjs /usr/local/lib/muster.mjs
RUN ln -s ../lib/muster.mjs /usr/local/bin/muster
ENV NODE_ENV=production
# Limits V8 to half of the container's memory limit for its heap, a small young generation and one helper thread.
ENV NODE_OPTIONS="--max-old-space-size-percentage=50 --max-semi-space-size=3 --v8-pool-size=1"
# glibc keeps freed memory per thread, so a burst of requests would occupy memory for ever. One arena that is trimmed avoids it.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=131072
# Numeric, so that Kubernetes can verify runAsNonRoot. The user owns no file in the image and writes to none.
USER 65532:65532
ENTRYPOINT ["muster"]
CMD ["--help"]
