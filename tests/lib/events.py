# SPDX-License-Identifier: Apache-2.0
"""Lines of events, each held to docs/events.schema.json."""
import json

import jsonschema

from lab import TREE

SCHEMA = json.loads((TREE / "docs" / "events.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def parse(data):
    """Bytes or text of whole lines as a list of objects."""
    text = data.decode("ascii") if isinstance(data, bytes) else data
    assert not text or text.endswith("\n"), text[-200:]
    found = [json.loads(line) for line in text.split("\n")[:-1]]
    for event in found:
        VALIDATOR.validate(event)
    return found
