# shellcheck shell=bash
# The project: its APIs, its database, and the service accounts with their permissions.

heading 'APIs'
mapfile -t services <services.txt
# Google enables at most 20 at once.
for ((first = 0; first < ${#services[@]}; first += 20)); do gc services enable "${services[@]:first:20}"; done

heading 'Firestore: the database, seven days of point-in-time recovery, daily backups kept for four weeks'
list firestore databases list --format 'value(name.basename())'
find_listed '(default)'
"$dry_run" || [[ -n $found$firestore_location ]] || stop 'there is no Firestore database yet, and its location can never be changed later.' \
  'Choose one with --firestore-location (https://firebase.google.com/docs/firestore/locations).'
upsert '(default)' \
  ::create firestore databases create --database '(default)' --delete-protection --enable-pitr \
  --location "${firestore_location:-LOCATION}" \
  ::update firestore databases update --database '(default)' --delete-protection --enable-pitr
# A database has at most one daily schedule. Its `dailyRecurrence` is an empty message and prints nothing.
list firestore backups schedules list --database '(default)' \
  --format 'value(weeklyRecurrence.yesno(yes=weekly,no=daily),name.basename())'
upsert daily \
  ::create firestore backups schedules create --database '(default)' --recurrence daily --retention 4w \
  ::update firestore backups schedules update --database '(default)' --backup-schedule '{}' --retention 4w

heading 'Deletion of tokens, a day after they were created'
list firestore fields ttls list --collection-group verificationTokens --format 'value(name.basename())'
find_listed createdAt
if [[ -z $found ]]; then
  # Not with gcloud, because without --expiration-offset, which older versions lack, Firestore would delete valid tokens.
  # The access token is in a file, because anyone on this machine can read the arguments of a command.
  "$dry_run" || gcloud auth print-access-token | sed 's/.*/header = "Authorization: Bearer &"/' >"$work/token"
  run curl --silent --show-error --fail-with-body --config "$work/token" --request PATCH \
    --header 'Content-Type: application/json' --data '{"ttlConfig":{"expirationOffset":"86400s"}}' \
    "https://firestore.googleapis.com/v1/projects/$project/databases/(default)/collectionGroups/verificationTokens/fields/createdAt?updateMask=ttlConfig"
fi

heading 'Service accounts, one for each purpose'
list iam service-accounts list --format 'value(email)'
while read -r name display; do
  upsert "$(account "$name")" ::create iam service-accounts create "$name" --display-name "$display"
done <iam/accounts.txt

heading 'Custom roles'
list iam roles list --format 'value(name.basename())'
for name in pohKeyAdmin pohJob; do
  role=("$name" --file "iam/$name.yaml")
  upsert "$name" ::create iam roles create "${role[@]}" ::update iam roles update "${role[@]}"
done

heading 'Permissions in the project'
while read -r name role; do
  run gcloud projects add-iam-policy-binding "$project" --member "serviceAccount:$(account "$name")" \
    --role "${role/PROJECT/$project}" --condition None --format none
done <iam/bindings.txt

# Cloud Functions builds with the default compute account, and firebase-tools cannot name another one. In
# organisations created since 2024, this account has no role.
heading 'Permission of the account that builds the function'
list projects describe "$project" --format 'value(projectNumber)'
run gcloud projects add-iam-policy-binding "$project" --role roles/cloudbuild.builds.builder \
  --member "serviceAccount:${listed:-NUMBER}-compute@developer.gserviceaccount.com" --condition None --format none
