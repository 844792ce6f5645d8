#!/bin/sh
# Creates a database for each service, its owner, who migrates, and the program's role, which may connect and nothing else.
# The official image of Postgres runs it, or reads it into its own shell, when its volume is empty. SERVICE_PASSWORD is the
# password of all six roles.
(
  set -eu
  for service in workspace environment identity; do
    psql --set ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres \
      --set service="$service" --set owner="${service}_owner" --set password="$SERVICE_PASSWORD" <<'SQL'
create role :"service" login password :'password';
create role :"owner" login password :'password';
create database :"service" owner :"owner";
revoke all on database :"service" from public;
grant connect on database :"service" to :"service";
SQL
  done
)
