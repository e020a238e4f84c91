# shellcheck shell=bash
# The daily job: its image, its bucket, the Cloud Run job and the Cloud Scheduler job that starts it.

heading 'The image of the daily job'
list artifacts repositories list --location "$region" --format 'value(name.basename())'
upsert poh ::create artifacts repositories create poh --location "$region" --repository-format docker
gc artifacts repositories set-cleanup-policies poh --location "$region" --no-dry-run --policy image-cleanup.json --format none
mkdir "$work/image"
cp image/* "$work/image"
run npm run --silent build -- "$work/image" --jobs
# A new tag, and so a build, for each change and once a month, to include the fixes of the base image.
tag=$(date -u +%Y-%m)-$(cat "$work"/image/* | sha256sum | cut -c1-12)
repository=$region-docker.pkg.dev/$project/poh
list artifacts docker images list "$repository" --include-tags --flatten 'tags[]' --format 'value(tags)'
upsert "$tag" ::create builds submit "$work/image" --config image/cloudbuild.yaml \
  --substitutions "_IMAGE=$repository/admin:$tag"

heading 'The bucket of daily copies, which are kept for 28 days'
list storage buckets list --format 'value(name)'
upsert "$project-poh-copies" ::create storage buckets create "gs://$project-poh-copies" --location "$region" \
  --uniform-bucket-level-access --public-access-prevention --soft-delete-duration 0
gc storage buckets update "gs://$project-poh-copies" --lifecycle-file copies-lifecycle.json
gc storage buckets add-iam-policy-binding "gs://$project-poh-copies" \
  --member "serviceAccount:$(account poh-audit)" --role roles/storage.objectUser --format none

heading 'The daily job: copies, and the audit of the mirror'
secrets=(--clear-secrets)
if [[ -z $program ]]; then
  printf 'Without the audit. To schedule it too, give the attestation program with --program.\n'
else
  # docs/deploy.md says how to store it, because it often contains a key.
  gc secrets add-iam-policy-binding poh-rpc-url --member "serviceAccount:$(account poh-audit)" \
    --role roles/secretmanager.secretAccessor --format none
  secrets=(--set-secrets RPC_URL=poh-rpc-url:latest)
fi
gc run jobs deploy poh-audit --region "$region" --image "$repository/admin:$tag" --flags-file jobs/poh-audit.yaml \
  --service-account "$(account poh-audit)" "${secrets[@]}" \
  --set-env-vars "GOOGLE_CLOUD_PROJECT=$project,COPIES=/copies,PROGRAM=$program" \
  --add-volume "name=copies,type=cloud-storage,bucket=$project-poh-copies"
gc run jobs add-iam-policy-binding poh-audit --region "$region" --role roles/run.invoker \
  --member "serviceAccount:$(account poh-scheduler)" --format none
list scheduler jobs list --location "$region" --format 'value(name.basename())'
schedule=(poh-audit --location "$region" --flags-file jobs/poh-audit.schedule.yaml
  --uri "https://run.googleapis.com/v2/projects/$project/locations/$region/jobs/poh-audit:run"
  --oauth-service-account-email "$(account poh-scheduler)")
upsert poh-audit \
  ::create scheduler jobs create http "${schedule[@]}" ::update scheduler jobs update http "${schedule[@]}"
