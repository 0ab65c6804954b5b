#!/bin/bash
# Runs the broker as the compose files ask of Apache Kafka, as far as it can: it tells clients one address, the one inside
# the network, keeps its records in memory, and knows no logins.
set -euo pipefail

advertised=$(grep -oE '(PLAINTEXT|SECURE)://kafka:[0-9]+' <<<"$KAFKA_ADVERTISED_LISTENERS")
if [[ $advertised == SECURE://* ]]; then
    # The key is the server's alone, as stunnel asks.
    install -m 600 "$KAFKA_SSL_KEYSTORE_LOCATION" /tmp/kafka-store.pem
    printf '%s\n' "foreground = yes" "syslog = no" "pid =" "[kafka]" "accept = :::9094" "connect = 127.0.0.1:9092" \
        "cert = /tmp/kafka-store.pem" >/tmp/stunnel.conf
    stunnel /tmp/stunnel.conf &
fi
exec tansu broker --listener-url tcp://0.0.0.0:9092 --advertised-listener-url "tcp://${advertised#*://}" \
    --storage-engine memory://tansu/ --silent
