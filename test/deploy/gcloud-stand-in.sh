#!/usr/bin/env bash
# Stands in for gcloud, under that name on PATH. In the directory GCLOUD_STAND_IN it records each call
# (calls), remembers what was created (there), and fails the call whose number is in fail_at.
# Like gcloud it refuses to create what is there and to update what is not.
set -euo pipefail
cd_from=$PWD
cd "$GCLOUD_STAND_IN"
touch calls there
printf '%s\x1f' "$@" >>calls
printf '\n' >>calls
if [[ -f fail_at && $(wc -l <calls) -eq $(cat fail_at) ]]; then
  echo 'ERROR: (gcloud) PERMISSION_DENIED: the caller does not have permission' >&2
  exit 7
fi

# The value of a flag among the arguments.
flag() {
  local name=$1
  shift
  while (($# > 1)); do
    if [[ $1 == "$name" ]]; then
      printf '%s' "$2"
      return
    fi
    shift
  done
}

# What the call is about, the same for a look-up, a creation and an update.
thing() {
  local filter file
  filter=$(flag --filter "$@")
  file=$(flag --policy-from-file "$@")$(flag --config-from-file "$@")
  case "$*" in
    "iam service-accounts list"*) filter=${filter#email=} && echo "account ${filter%@*}" ;;
    "iam service-accounts create"*) echo "account $4" ;;
    "iam roles list"*) echo "role ${filter##*/}" ;;
    "iam roles"*) echo "role $4" ;;
    "logging sinks"*) echo exclusion ;;
    "logging metrics list"*) echo "metric ${filter#name=}" ;;
    "logging metrics"*) echo "metric $4" ;;
    "artifacts docker images list"*) echo "image ${filter#tags:}" ;;
    "builds submit"*) echo "image $(flag --substitutions "$@" | sed 's/.*://')" ;;
    "scheduler jobs list"*) filter=${filter#name~/} && echo "schedule ${filter%\$}" ;;
    "scheduler jobs"*) echo "schedule $5" ;;
    "firestore databases"*) echo database ;;
    "firestore backups"*) echo backups ;;
    "artifacts repositories"*) echo repository ;;
    "beta monitoring channels"*) echo channel ;;
    "alpha monitoring policies list"*) filter=${filter#displayName=\"} && echo "policy ${filter%\"}" ;;
    "alpha monitoring policies"*) echo "policy $(sed -n "s/^displayName: '\(.*\)'/\1/p" "$cd_from/$file")" ;;
    "monitoring dashboards"*) echo dashboard ;;
  esac
}

thing=$(thing "$@")
case " $* " in
  *' list '*) ! grep -qxF -- "$thing" there || echo "found-$(wc -w <<<"$thing")" ;;
  *' create '* | *' --add-exclusion '* | ' builds submit '*)
    if grep -qxF -- "$thing" there; then echo "ERROR: (gcloud) ALREADY_EXISTS: $thing" >&2 && exit 1; fi
    echo "$thing" >>there
    ;;
  *' update '*)
    grep -qxF -- "$thing" there || { echo "ERROR: (gcloud) NOT_FOUND: $thing" >&2 && exit 1; }
    ;;
esac
