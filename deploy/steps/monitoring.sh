# shellcheck shell=bash
# What is logged and watched: the exclusion of request URLs, the metrics, the recipient of alerts, the uptime check, the
# alerts and the dashboard.

heading 'Exclusion of the request log, whose URLs contain the subject'
filter=$(cat logging/request-urls.filter)
exclusion="^;^name=poh-request-urls;filter=$filter"
list logging sinks describe _Default --flatten 'exclusions[]' --format 'value(exclusions.name)'
upsert poh-request-urls \
  ::create logging sinks update _Default --add-exclusion "$exclusion" \
  ::update logging sinks update _Default --update-exclusion "$exclusion"

heading 'Metrics from the log'
list logging metrics list --format 'value(name)'
for file in logging/metrics/*.yaml; do
  metric=$(basename "$file" .yaml)
  upsert "$metric" \
    ::create logging metrics create "$metric" --config-from-file "$file" \
    ::update logging metrics update "$metric" --config-from-file "$file"
done

heading 'Recipient of the alerts'
list_channels=(beta monitoring channels list --format 'value(labels.email_address,name)')
list "${list_channels[@]}"
upsert "$alert_email" ::create beta monitoring channels create --type email \
  --display-name 'PoH operators' --channel-labels "email_address=$alert_email"
# The server chooses the channel's name, so list again.
[[ -n $found ]] || list "${list_channels[@]}"
find_listed "$alert_email"
channel=$(column 2)

heading 'Uptime check of the endpoint, through Hosting'
if [[ -z $site ]]; then
  printf 'Skipped. Once the function is deployed, give the Hosting address with --site HOST.\n'
else
  check="PoH: $site"
  list_checks=(monitoring uptime list-configs --format 'value(displayName,name.basename())')
  list "${list_checks[@]}"
  find_listed "$check"
  # A lookup of a wallet that nobody can have, with a key of its own, reads Firestore like every other lookup.
  options=(--path '/pohAttestationsEndpoint?wallet=11111111111111111111111111111111' --period 5 --timeout 30)
  if [[ -n $uptime_key ]]; then
    # The key is in files, because anyone on this machine can read the arguments of a command.
    for flag in headers update-headers; do
      printf -- '--%s: {X-PoH-API-Key: "%s"}\n' "$flag" "$uptime_key" >"$work/$flag.yaml"
    done
    upsert "$check" ::create monitoring uptime create "$check" --resource-type uptime-url \
      --resource-labels "host=$site,project_id=$project" --protocol https --status-codes 200 \
      "${options[@]}" --mask-headers true --flags-file "$work/headers.yaml" \
      ::update monitoring uptime update '{}' --set-status-codes 200 "${options[@]}" --flags-file "$work/update-headers.yaml"
    [[ -n $found ]] || list "${list_checks[@]}"
    find_listed "$check"
  elif [[ -n $found ]]; then
    # gcloud replaces the whole check, and cannot read the key, which would be lost.
    printf 'Kept as it is. To change it, give its key with --uptime-key-file FILE.\n'
  else
    "$dry_run" || stop 'the uptime check does not exist yet, and needs an API key.' \
      'Create the key as in docs/deploy.md, "For the first time", and add --uptime-key-file FILE.'
  fi
  check_id=$(column 2)
fi

heading 'Alerts'
mkdir "$work/alerts"
list alpha monitoring policies list --format 'value(displayName,name,notificationChannels.list(),enabled)'
for file in alerts/*.yaml; do
  [[ -n $program || $file != *audit* ]] || continue
  if grep -q UPTIME_CHECK_ID "$file"; then
    [[ -n $site ]] || continue
    sed "s/UPTIME_CHECK_ID/${check_id:-UPTIME_CHECK_ID}/" "$file" >"$work/$file"
    file=$work/$file
  fi
  title=$(sed -n "s/^displayName: '\(.*\)'\$/\1/p" "$file")
  # An update replaces the whole policy. Keep other recipients and the enabled state, which may have been
  # changed by hand.
  find_listed "$title"
  channels=$(column 3)
  [[ ,$channels, == *,"$channel",* ]] || channels=${channels:+$channels,}$channel
  enabled=--enabled
  [[ $(column 4) != False ]] || enabled=--no-enabled
  upsert "$title" ::create alpha monitoring policies create --policy-from-file "$file" \
    --notification-channels "${channel:-CHANNEL}" \
    ::update alpha monitoring policies update '{}' --policy-from-file "$file" "$enabled" \
    --set-notification-channels "${channels:-CHANNELS}"
done

heading 'The dashboard'
list monitoring dashboards list --format 'value(displayName,name,etag)'
find_listed 'PoH attestations'
cap=$({ cat ../.env "../.env.$project" 2>/dev/null || true; } | sed -n 's/^LOOKUP_MAX_INSTANCES=//p' | tail -n 1)
sed "s/value: 10\$/value: $cap/" dashboard.yaml >"$work/dashboard.yaml"
# An update must contain the etag of the version that it replaces.
[[ -z $found ]] || printf "etag: '%s'\n" "$(column 3)" >>"$work/dashboard.yaml"
upsert 'PoH attestations' \
  ::create monitoring dashboards create --config-from-file "$work/dashboard.yaml" \
  ::update monitoring dashboards update '{}' --config-from-file "$work/dashboard.yaml"
