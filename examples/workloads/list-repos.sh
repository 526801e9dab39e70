#!/bin/sh
# Lists the repos of the platform. The agent renews the file, so it is read before each request.
set -eu
request() {
  curl --silent --show-error --fail-with-body ${MUSTER_PLATFORM_CA:+--cacert "$MUSTER_PLATFORM_CA"} \
    --header "Authorization: Bearer $(cat "$MUSTER_TOKEN_FILE")" "$MUSTER_PLATFORM_URL$1"
}
request /registry/v2beta1/repos
