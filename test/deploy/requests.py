# Reads a JSON list of requests ({method, url, body}). Prints what gcloud's definitions of Google's interfaces do not have: the
# address, a parameter, or a field or value of the body. The argument is gcloud's folder.

import importlib
import json
import os
import re
import sys
from urllib.parse import parse_qs, urlsplit

lib = os.path.join(sys.argv[1], 'lib')
sys.path[:0] = [lib, os.path.join(lib, 'third_party')]
from apitools.base.protorpclite.messages import ValidationError  # noqa: E402
from apitools.base.py import encoding  # noqa: E402


def methods(api, version):
    """The methods of an interface, with the module of their messages."""
    package = f'googlecloudsdk.generated_clients.apis.{api}.{version}.{api}_{version}'
    client = importlib.import_module(package + '_client')
    messages = importlib.import_module(package + '_messages')
    services = [one for one in vars(client).values() if isinstance(one, type)]
    services += [inner for one in services for inner in vars(one).values() if isinstance(inner, type)]
    for service in services:
        for function in vars(service).values():
            if hasattr(function, 'method_config'):
                yield function.method_config(), messages


def problems(method, url, body=None):
    parts = urlsplit(url)
    api = parts.hostname.split('.')[0]
    path = parts.path.removeprefix('/storage').strip('/')
    version, _, rest = path.partition('/')
    for config, messages in methods(api, version):
        template = (config.flat_path or config.relative_path).removeprefix(version + '/')
        pattern = re.sub(r'\\{.*?\\}', r'[^/:]+', re.escape(template))
        if config.http_method != method or not re.fullmatch(pattern, rest):
            continue
        for name in parse_qs(parts.query):
            if name not in config.query_params:
                yield f'{config.method_id} has no parameter {name}'
        if not body:
            return
        message = getattr(messages, config.request_type_name)
        if config.request_field == '<request>':
            # This message has the parts of the address too.
            body = body | {name: 'x' for name in config.path_params}
        elif config.request_field:
            message = message.field_by_name(config.request_field).type
        try:
            parsed = encoding.JsonToMessage(message, json.dumps(body))
        except ValidationError as error:
            yield f'{config.method_id}: {error}'
            return
        for edges, fields in encoding.UnrecognizedFieldIter(parsed):
            for field in fields:
                yield '.'.join([message.__name__, *(str(edge) for edge in edges), field])
        return
    yield f'{method} {url} is unknown'


for request in json.load(sys.stdin):
    for problem in problems(**request):
        print(problem)
