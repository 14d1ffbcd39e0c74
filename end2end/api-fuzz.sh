#!/bin/bash
# Serves a demo project and asks its API whatever its document allows, and more, for so many seconds: api-fuzz.sh BINARY SECONDS.
set -euo pipefail
binary=$(realpath "$1")
seconds=$2
place=$(mktemp -d)
cd "$place"
export TOUCHSTONE_DB="$place/touchstone.db"
"$binary" demo
"$binary" anchor-set freeze --project demo gold --size 60
"$binary" user create ada --admin <<< "a stone on which gold is rubbed"
token=$("$binary" token create fuzz --user ada --scope read,gate,judge,score,import)
"$binary" serve --listen 127.0.0.1:0 2> served.txt &
server=$!
trap 'kill "$server" 2> /dev/null || true; rm -rf "$place"' EXIT
until grep -q "Touchstone serves" served.txt; do
  kill -0 "$server"
  sleep 0.2
done
origin=$(grep -oE 'http://[0-9.:]+' served.txt | tail -1)
curl --fail --silent --show-error "$origin/api/v1/openapi.json" > openapi.json
openapi-spec-validator openapi.json
# Where a project is asked for it is mostly the one that is there: strangers' names end at the door.
cat > schemathesis.toml <<TOML
[parameters]
project = "demo"
TOML
code=0
timeout "$seconds" schemathesis run "$origin/api/v1/openapi.json" --header "Authorization: Bearer $token" \
  --checks not_a_server_error --max-failures 1 --workers 1 --max-examples 2000 --request-timeout 40 || code=$?
# 124: the time is over, and nothing was found.
[ "$code" -eq 0 ] || [ "$code" -eq 124 ]
kill -0 "$server"
! grep -E "ERROR|panicked" served.txt
