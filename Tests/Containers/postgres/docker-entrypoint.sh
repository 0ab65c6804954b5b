#!/bin/sh
# Like the public image, starts the server as the user postgres. Before the first start, creates the user and database
# of POSTGRES_USER, POSTGRES_PASSWORD and POSTGRES_DB, and runs the SQL files on a server without TCP.
set -e
user=${POSTGRES_USER:-postgres}
database=${POSTGRES_DB:-$user}
as_postgres() { setpriv --reuid postgres --regid postgres --init-groups "$@"; }

chown postgres: "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    printf '%s\n' "$POSTGRES_PASSWORD" >/tmp/password
    chown postgres: /tmp/password
    as_postgres initdb --username "$user" --pwfile /tmp/password --encoding UTF8 --auth-host scram-sha-256 \
        --auth-local trust
    rm /tmp/password
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    as_postgres pg_ctl --wait --options "-c listen_addresses=" start
    [ "$database" = postgres ] || as_postgres createdb --username "$user" "$database"
    for file in /docker-entrypoint-initdb.d/*.sql; do
        [ ! -f "$file" ] || psql --username "$user" --dbname "$database" --set ON_ERROR_STOP=1 --file "$file"
    done
    as_postgres pg_ctl --wait --mode fast stop
fi
exec setpriv --reuid postgres --regid postgres --init-groups "$@" -c listen_addresses='*'
