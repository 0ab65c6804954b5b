#!/bin/bash
# Runs the broker with the listener settings of the compose files. Unlike Apache Kafka, it advertises only the address
# in the compose network, stores records in memory and has no authentication.
set -euo pipefail

advertised=$(grep -oE '(PLAINTEXT|SECURE)://kafka:[0-9]+' <<<"$KAFKA_ADVERTISED_LISTENERS")
if [[ $advertised == SECURE://* ]]; then
    # stunnel warns about a key file that other users can read.
    install -m 600 "$KAFKA_SSL_KEYSTORE_LOCATION" /tmp/kafka-store.pem
    printf '%s\n' "foreground = yes" "syslog = no" "pid =" "[kafka]" "accept = :::9094" "connect = 127.0.0.1:9092" \
        "cert = /tmp/kafka-store.pem" >/tmp/stunnel.conf
    stunnel /tmp/stunnel.conf &
fi
exec tansu broker --listener-url tcp://0.0.0.0:9092 --advertised-listener-url "tcp://${advertised#*://}" \
    --storage-engine memory://tansu/ --silent
