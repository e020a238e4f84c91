# Reads a JSON list of requests. Prints the fields and enum values that gcloud's definitions of
# Google's messages do not contain. gcloud itself sends them without a warning. The argument is gcloud's folder.

import importlib
import json
import os
import sys

lib = os.path.join(sys.argv[1], 'lib')
sys.path[:0] = [lib, os.path.join(lib, 'third_party')]
from apitools.base.py import encoding  # noqa: E402

for request in json.load(sys.stdin):
    module = importlib.import_module('googlecloudsdk.generated_clients.apis.' + request['module'])
    definition = getattr(module, request['message'])
    message = encoding.JsonToMessage(definition, json.dumps(request['body']))
    for edges, fields in encoding.UnrecognizedFieldIter(message):
        for field in fields:
            print('.'.join([request['message'], *(str(edge) for edge in edges), field]))
