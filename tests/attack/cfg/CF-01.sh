#!/bin/sh
# id: CF-01
# title: secrets in the caller's environment (GITHUB_TOKEN, AWS_SECRET_ACCESS_KEY, *_API_KEY) visible inside
# class: hardening
# expect: not in env by default (allow-list env)
# layer: env allow-list
. "$(dirname "$0")/../lib/atk.sh"
env | grep -E 'GITHUB_TOKEN|AWS_SECRET_ACCESS_KEY|OPENAI_API_KEY|NPM_TOKEN'
blocked
