# The image of every part: `muster operator` and `muster platform` are one program.
# Both stages are Debian 12, so the Node that the first one brings runs in the second one as it is.

FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc tsconfig.json ./
RUN npm ci --ignore-scripts
COPY scripts/build.ts scripts/
COPY src src
RUN node scripts/build.ts

FROM debian:bookworm-slim
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY LICENSE /usr/share/doc/muster/
COPY --from=build /build/dist/NOTICES.txt /usr/share/doc/muster/
# By this name it is a module without a package.json beside it, and a command without one.
COPY --from=build --chmod=755 /build/dist/muster.js /usr/local/lib/muster.mjs
RUN ln -s ../lib/muster.mjs /usr/local/bin/muster
ENV NODE_ENV=production
# V8 takes what it is given: half of the container's memory limit for objects, a small nursery, one helper thread.
ENV NODE_OPTIONS="--max-old-space-size-percentage=50 --max-semi-space-size=3 --v8-pool-size=1"
# glibc keeps what each thread has freed, and a burst of requests would be held for ever: one arena, trimmed.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 MALLOC_MMAP_THRESHOLD_=131072
# A number, so that Kubernetes can see that it is not root. It owns nothing in the image and writes nowhere in it.
USER 65532:65532
ENTRYPOINT ["muster"]
CMD ["--help"]
