#!/bin/sh
# kubectl runs a program of this name to complete the words after "kubectl muster".
exec kubectl-muster complete -- "$@"
