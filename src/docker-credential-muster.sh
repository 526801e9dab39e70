#!/bin/sh
# Docker runs a program of this name for the registries that ~/.docker/config.json gives to the helper "muster".
exec muster credential-helper docker "$@"
