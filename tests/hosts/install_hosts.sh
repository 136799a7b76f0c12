#!/bin/sh
# Installs the agent hosts that need no login into FOLDER (a gigabyte) for test_real_hosts.py:
#   tests/hosts/install_hosts.sh FOLDER && HOST_PROGRAMS=FOLDER/node_modules/.bin pytest tests/hosts
set -eu
folder=$1
mkdir -p "$folder/home"
cd "$folder"
[ -f package.json ] || echo '{"private": true}' > package.json
env -i PATH="$PATH" HOME="$folder/home" ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"} \
    npm install --no-audit --no-fund --save-exact \
    @anthropic-ai/claude-code@2.1.332 @google/gemini-cli@0.61.0 @openai/codex@0.171.0
