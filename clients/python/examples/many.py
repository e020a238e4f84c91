import os, sys
from poh_attestations import Client

poh = Client(os.environ["POH_URL"], os.environ["POH_KEY"])
wallets = [{"wallet": wallet} for wallet in (os.environ["WALLET"], "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi")]
humans = 0
for found in poh.look_up_many(wallets):
    if found.error:
        print(f"{found.done} of {found.total}: {found.error}", file=sys.stderr)
    elif found.result["hasVerifiedHuman"]:
        humans += 1
print(f"{humans} of {len(wallets)} are verified humans")
