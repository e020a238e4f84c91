import json, os
from poh_attestations import Client, verify_evidence

poh = Client(os.environ["POH_URL"], os.environ["POH_KEY"])
result, evidence = poh.look_up_with_evidence(token=os.environ["TOKEN"])
stored = json.dumps({"evidence": evidence, "keys": poh.public_keys()})

kept = json.loads(stored)
print("signed:", verify_evidence(kept["evidence"], kept["keys"]).isoformat())
