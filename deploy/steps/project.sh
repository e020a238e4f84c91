# shellcheck shell=bash
# The project: its APIs, its database, and the accounts with what each may do.
# Sourced by apply.sh.

heading 'APIs'
mapfile -t services <services.txt
gc services enable "${services[@]}"

heading 'Firestore: the database, seven days of point-in-time recovery, a backup a day kept for four weeks'
upsert firestore databases list --filter 'name:databases/\(default\)' --format 'value(name)' \
  ::create firestore databases create --database '(default)' --delete-protection --enable-pitr \
  --location "${location:-LOCATION}" \
  ::update firestore databases update --database '(default)' --delete-protection --enable-pitr
upsert firestore backups schedules list --database '(default)' --filter 'dailyRecurrence:*' --format 'value(name)' \
  ::create firestore backups schedules create --database '(default)' --recurrence daily --retention 4w

heading 'Accounts, one for each purpose'
while read -r name display; do
  upsert iam service-accounts list --filter "email=$(account "$name")" --format 'value(email)' \
    ::create iam service-accounts create "$name" --display-name "$display"
done <iam/accounts.txt

heading 'Roles of our own'
for file in iam/*.yaml; do
  role=$(basename "$file" .yaml)
  upsert iam roles list --filter "name=projects/$project/roles/$role" --format 'value(name)' \
    ::create iam roles create "$role" --file "$file" ::update iam roles update "$role" --file "$file"
done

heading 'Who may do what in the project'
while read -r name role; do
  run gcloud projects add-iam-policy-binding "$project" --member "serviceAccount:$(account "$name")" \
    --role "${role/PROJECT/$project}" --condition None --format none
done <iam/bindings.txt
