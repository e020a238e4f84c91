import os
from poh_attestations import Client, cast_poll_vote, supports, voted_in

poh = Client(os.environ["POH_URL"], os.environ["POH_KEY"])
result = poh.look_up(token=os.environ["TOKEN"])
voted = voted_in(result, os.environ["PROPOSAL"])
supported = supports(result, os.environ["PROPOSAL"])
in_poll = cast_poll_vote(result, os.environ["NULLIFIER_HASH"])
print(f"voted: {voted}, supports: {supported}, in the poll: {in_poll}")
