# shellcheck shell=bash
# The scheduled jobs: their image, the Cloud Run jobs and the Cloud Scheduler jobs that start them.
# Sourced by apply.sh.

heading 'The image of the scheduled jobs'
list artifacts repositories list --location "$region" --format 'value(name.basename())'
upsert poh ::create artifacts repositories create poh --location "$region" --repository-format docker
gc artifacts repositories set-cleanup-policies poh --location "$region" --no-dry-run --policy image-cleanup.json --format none
mkdir "$work/image"
cp image/* "$work/image"
run npm run --silent build:jobs -- "$work/image/admin.mjs"
# Built on each run to include the fixes of the base image.
image=$region-docker.pkg.dev/$project/poh/admin:$(date -u +%Y-%m-%d-%H%M%S)
gc builds submit "$work/image" --config image/cloudbuild.yaml --substitutions "_IMAGE=$image"

list scheduler jobs list --location "$region" --format 'value(name.basename())'

# job NAME FLAG...: a Cloud Run job and the Cloud Scheduler job that starts it.
job() {
  local name=$1 uri="https://run.googleapis.com/v2/projects/$project/locations/$region/jobs/$1:run"
  shift
  gc run jobs deploy "$name" --region "$region" --image "$image" --flags-file "jobs/$name.yaml" "$@"
  gc run jobs add-iam-policy-binding "$name" --region "$region" --role roles/run.invoker \
    --member "serviceAccount:$(account poh-scheduler)" --format none
  local -a schedule=("$name" --location "$region" --flags-file "jobs/$name.schedule.yaml" --uri "$uri"
    --oauth-service-account-email "$(account poh-scheduler)")
  upsert "$name" \
    ::create scheduler jobs create http "${schedule[@]}" ::update scheduler jobs update http "${schedule[@]}"
}

heading 'Daily purge of expired tokens'
job poh-token-purge --service-account "$(account poh-token-purge)" --set-env-vars "GOOGLE_CLOUD_PROJECT=$project"

heading 'Daily audit of the mirror'
if [[ -z $program ]]; then
  printf 'Skipped. Give the attestation program with --program to schedule the audit.\n'
else
  printf "The URL of the chain's RPC endpoint often contains a key. Store it once, by hand (versions add changes it):\n"
  # shellcheck disable=SC2016
  printf '  read -rs URL; printf %%s "$URL" | gcloud secrets create poh-rpc-url --data-file=- --project %s\n' "$project"
  gc secrets add-iam-policy-binding poh-rpc-url --member "serviceAccount:$(account poh-audit)" \
    --role roles/secretmanager.secretAccessor --format none
  job poh-audit --service-account "$(account poh-audit)" --set-secrets RPC_URL=poh-rpc-url:latest \
    --set-env-vars "GOOGLE_CLOUD_PROJECT=$project,PROGRAM=$program"
fi
