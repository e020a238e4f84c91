# shellcheck shell=bash
# The scheduled audit: its image, the Cloud Run job and the Cloud Scheduler job that starts it.
# Sourced by apply.sh.

heading 'Daily audit of the mirror'
if [[ -z $program ]]; then
  printf 'Skipped. Give the attestation program with --program to schedule the audit.\n'
  return
fi

list artifacts repositories list --location "$region" --format 'value(name.basename())'
upsert poh ::create artifacts repositories create poh --location "$region" --repository-format docker
gc artifacts repositories set-cleanup-policies poh --location "$region" --no-dry-run --policy image-cleanup.json --format none
mkdir "$work/image"
cp image/* "$work/image"
run npm run --silent build:jobs -- "$work/image/admin.mjs"
# A new tag, and so a build, for each change and once a month, to include the fixes of the base image.
tag=$(date -u +%Y-%m)-$(cat "$work"/image/* | sha256sum | cut -c1-12)
repository=$region-docker.pkg.dev/$project/poh
list artifacts docker images list "$repository" --include-tags --flatten 'tags[]' --format 'value(tags)'
upsert "$tag" ::create builds submit "$work/image" --config image/cloudbuild.yaml \
  --substitutions "_IMAGE=$repository/admin:$tag"

printf "The URL of the chain's RPC endpoint often contains a key. Store it once, by hand (versions add changes it):\n"
# shellcheck disable=SC2016
printf '  read -rs URL; printf %%s "$URL" | gcloud secrets create poh-rpc-url --data-file=- --project %s\n' "$project"
gc secrets add-iam-policy-binding poh-rpc-url --member "serviceAccount:$(account poh-audit)" \
  --role roles/secretmanager.secretAccessor --format none
gc run jobs deploy poh-audit --region "$region" --image "$repository/admin:$tag" --flags-file jobs/poh-audit.yaml \
  --service-account "$(account poh-audit)" --set-secrets RPC_URL=poh-rpc-url:latest \
  --set-env-vars "GOOGLE_CLOUD_PROJECT=$project,PROGRAM=$program"
gc run jobs add-iam-policy-binding poh-audit --region "$region" --role roles/run.invoker \
  --member "serviceAccount:$(account poh-scheduler)" --format none
list scheduler jobs list --location "$region" --format 'value(name.basename())'
schedule=(poh-audit --location "$region" --flags-file jobs/poh-audit.schedule.yaml
  --uri "https://run.googleapis.com/v2/projects/$project/locations/$region/jobs/poh-audit:run"
  --oauth-service-account-email "$(account poh-scheduler)")
upsert poh-audit \
  ::create scheduler jobs create http "${schedule[@]}" ::update scheduler jobs update http "${schedule[@]}"
