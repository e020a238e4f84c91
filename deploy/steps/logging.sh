# shellcheck shell=bash
# Logging: the exclusion of request URLs, and the metrics from log lines.

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
