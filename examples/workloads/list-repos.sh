#!/bin/sh
# Lists the repos of the platform. The agent renews the file, so it is read before each request.
set -eu
token=$(cat "$MUSTER_TOKEN_FILE")
curl --silent --show-error --fail-with-body --header "Authorization: Bearer $token" \
  "$MUSTER_PLATFORM_URL/registry/v2beta1/repos"
