# shellcheck shell=bash
# Logging: what is kept out of the log, and the metrics that are made of it.
# Sourced by apply.sh.

heading "The request log: the platform's own lines contain the URL, and with it the subject"
filter=$(cat logging/request-urls.filter)
exclusion="^;^name=poh-request-urls;filter=$filter"
upsert logging sinks list --filter 'name=_Default AND exclusions.name=poh-request-urls' \
  --format 'value(name)' \
  ::create logging sinks update _Default --add-exclusion "$exclusion" \
  ::update logging sinks update _Default --update-exclusion "$exclusion"

heading 'Metrics made of the log'
for file in logging/metrics/*.yaml; do
  metric=$(basename "$file" .yaml)
  upsert logging metrics list --filter "name=$metric" --format 'value(name)' \
    ::create logging metrics create "$metric" --config-from-file "$file" \
    ::update logging metrics update "$metric" --config-from-file "$file"
done
