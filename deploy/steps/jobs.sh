# shellcheck shell=bash
# The scheduled jobs: their image, the jobs, and what starts them.
# Sourced by apply.sh.

# The image's tag is the hash of what is in it: the same content is built once.
heading 'The image of the scheduled jobs'
repository=$region-docker.pkg.dev/$project/poh
upsert artifacts repositories list --location "$region" --filter "name:repositories/poh" --format 'value(name)' \
  ::create artifacts repositories create poh --location "$region" --repository-format docker
mkdir "$work/image"
cp image/* "$work/image"
run npm run --silent build:jobs -- "$work/image/admin.mjs"
# Known once it is built.
tag=HASH
"$dry_run" || tag=$(cat "$work"/image/* | git hash-object --stdin | cut -c1-12)
image=$repository/admin:$tag
upsert artifacts docker images list "$repository" --include-tags --filter "tags:$tag" --format 'value(tags)' \
  ::create builds submit "$work/image" --config image/cloudbuild.yaml --substitutions "_IMAGE=$image"

# job NAME FLAG...: a Cloud Run job and the Cloud Scheduler job that starts it.
job() {
  local name=$1 uri="https://run.googleapis.com/v2/projects/$project/locations/$region/jobs/$1:run"
  shift
  gc run jobs deploy "$name" --region "$region" --image "$image" --flags-file "jobs/$name.yaml" "$@"
  gc run jobs add-iam-policy-binding "$name" --region "$region" --role roles/run.invoker \
    --member "serviceAccount:$(account poh-scheduler)" --format none
  local -a schedule=("$name" --location "$region" --flags-file "jobs/$name.schedule.yaml" --uri "$uri"
    --oauth-service-account-email "$(account poh-scheduler)")
  upsert scheduler jobs list --location "$region" --filter "name~/$name\$" --format 'value(name)' \
    ::create scheduler jobs create http "${schedule[@]}" ::update scheduler jobs update http "${schedule[@]}"
}

heading 'The purge of expired tokens, once a day'
job poh-token-purge --service-account "$(account poh-token-purge)" --set-env-vars "GOOGLE_CLOUD_PROJECT=$project"

heading 'The audit of the mirror, once a day'
if [[ -z $program ]]; then
  printf 'Left out: name the attestation program with --program to schedule it.\n'
else
  printf "The endpoint's URL often contains a key, so it is a secret that you make by hand, once:\n"
  printf '  printf %%s URL | gcloud secrets create poh-rpc-url --data-file=- --project %s\n' "$project"
  gc secrets add-iam-policy-binding poh-rpc-url --member "serviceAccount:$(account poh-audit)" \
    --role roles/secretmanager.secretAccessor --format none
  job poh-audit --service-account "$(account poh-audit)" --set-secrets RPC_URL=poh-rpc-url:latest \
    --set-env-vars "GOOGLE_CLOUD_PROJECT=$project,PROGRAM=$program"
fi
