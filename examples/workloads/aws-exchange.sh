#!/bin/sh
# Prints a token of the platform. The AWS credentials are in the environment.
set -eu
subject=$(python3 "$(dirname "$0")/aws_subject_token.py")
response=$(printf 'Authorization: Bearer %s' "$subject" | curl --silent --show-error --fail-with-body --get \
  --data-urlencode "aud=$MUSTER_PLATFORM_URL" --data-urlencode "identity=$MUSTER_IDENTITY" \
  --header @- "$MUSTER_AUTH_URL") || { echo "$response" >&2; exit 1; }
printf '%s\n' "$response" | jq --raw-output .token
