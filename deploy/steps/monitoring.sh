# shellcheck shell=bash
# Monitoring: where alerts are sent, the alerts and the dashboard.
# Sourced by apply.sh.

heading 'Where alerts are sent'
find_channel=(beta monitoring channels list --filter "type=email AND labels.email_address=$alert_email"
  --format 'value(name)')
upsert "${find_channel[@]}" ::create beta monitoring channels create --type email \
  --display-name 'PoH operators' --channel-labels "email_address=$alert_email"
look_up "${find_channel[@]}"
channel=${found:-CHANNEL}

heading 'Alerts'
for file in alerts/*.yaml; do
  title=$(sed -n "s/^displayName: '\(.*\)'\$/\1/p" "$file")
  upsert alpha monitoring policies list --filter "displayName=\"$title\"" --format 'value(name)' \
    ::create alpha monitoring policies create --policy-from-file "$file" \
    --notification-channels "$channel" \
    ::update alpha monitoring policies update '{}' --policy-from-file "$file" \
    --set-notification-channels "$channel"
done

heading 'The dashboard'
# An update must name the version that it replaces.
look_up monitoring dashboards list --filter 'displayName="PoH attestations"' --format 'value(etag)'
cp dashboard.yaml "$work/dashboard.yaml"
[[ -z $found ]] || printf 'etag: %s\n' "$found" >>"$work/dashboard.yaml"
upsert monitoring dashboards list --filter 'displayName="PoH attestations"' --format 'value(name)' \
  ::create monitoring dashboards create --config-from-file dashboard.yaml \
  ::update monitoring dashboards update '{}' --config-from-file "$work/dashboard.yaml"
