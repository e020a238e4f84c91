#!/usr/bin/env bash
# Applies the configuration in this directory to a Google Cloud project. It can be run again: it creates
# missing resources, updates existing ones, and never deletes any.
# shellcheck source-path=SCRIPTDIR
set -euo pipefail

usage="Usage: deploy/apply.sh --project ID --alert-email ADDRESS [options]

  --project ID               the Google Cloud project, with billing enabled
  --alert-email ADDRESS      the recipient of the alerts
  --program ADDRESS          the attestation program, to schedule the audit
  --site HOST                the Hosting site, such as ID-attestations.web.app, for the uptime check
  --uptime-key-file FILE     a file with the API key of the uptime check, to create it or to replace its key
  --region REGION            the region of the scheduled jobs (default: us-central1)
  --firestore-location NAME  the location of a new database, which can never be changed
  --dry-run                  print the commands without running them"

refuse() {
  printf '%s\n\n%s\n' "$1" "$usage" >&2
  exit 2
}

project='' alert_email='' program='' site='' uptime_key_file='' region=us-central1 firestore_location='' dry_run=false
while (($# > 0)); do
  case $1 in
    --dry-run) dry_run=true && shift ;;
    --help) printf '%s\n' "$usage" && exit ;;
    --project | --alert-email | --program | --site | --uptime-key-file | --region | --firestore-location)
      [[ -n ${2-} ]] || refuse "The option $1 needs a value."
      name=${1#--}
      printf -v "${name//-/_}" %s "$2"
      shift 2
      ;;
    *) refuse "Unknown option $1." ;;
  esac
done
[[ $project =~ ^[a-z][a-z0-9-]{4,28}[a-z0-9]$ ]] || refuse 'Give the id of the project: --project ID.'
[[ $alert_email =~ ^[^@,[:space:]]+@[^@,[:space:]]+$ ]] || refuse 'Give one e-mail address for the alerts: --alert-email ADDRESS.'
[[ $program =~ ^([1-9A-HJ-NP-Za-km-z]{32,44})?$ ]] || refuse 'Give the address of the program, 32 to 44 characters of base58: --program ADDRESS.'
[[ $site =~ ^([a-z0-9-]+(\.[a-z0-9-]+)+)?$ ]] || refuse 'Give the host of the Hosting site, without https://: --site HOST.'
[[ $region =~ ^[a-z]+-[a-z]+[0-9]+$ ]] || refuse 'Give one region, such as us-central1: --region REGION.'
[[ $firestore_location =~ ^([a-z0-9-]+)?$ ]] || refuse 'Give one location, such as nam5: --firestore-location NAME.'
uptime_key=''
if [[ -n $uptime_key_file ]]; then
  [[ -r $uptime_key_file && $(<"$uptime_key_file") =~ ^[A-Za-z0-9_-]+$ ]] || refuse "There is no API key in $uptime_key_file. Create one with: keys create > FILE."
  uptime_key=${BASH_REMATCH[0]}
fi
"$dry_run" || [[ -n $(command -v gcloud) ]] || refuse 'gcloud is not installed. See https://cloud.google.com/sdk/docs/install.'

cd "$(dirname "${BASH_SOURCE[0]}")"
# shellcheck source=gcloud.sh
. ./gcloud.sh
export CLOUDSDK_CORE_DISABLE_PROMPTS=1
# gcloud would write the key of the uptime check into its log files.
export CLOUDSDK_CORE_DISABLE_FILE_LOGGING=1
account() { printf '%s@%s.iam.gserviceaccount.com' "$1" "$project"; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=steps/project.sh
. steps/project.sh
# shellcheck source=steps/jobs.sh
. steps/jobs.sh
# shellcheck source=steps/monitoring.sh
. steps/monitoring.sh

if "$dry_run"; then
  printf '\nDry run: no command was run.\n'
else
  printf '\nEverything is applied. In a new project, continue with docs/deploy.md, "For the first time", step 4.\n'
fi
