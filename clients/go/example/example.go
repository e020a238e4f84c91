// What the guide does with failures, votes, many lookups and evidence.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"

	"example/poh"
)

func main() {
	client, err := poh.New(os.Getenv("POH_URL"), os.Getenv("POH_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	for _, example := range []func(context.Context, *poh.Client) error{votes, many, failures, evidence} {
		if err := example(context.Background(), client); err != nil {
			log.Fatal(err)
		}
	}
}

func votes(ctx context.Context, client *poh.Client) error {
	result, err := client.LookUp(ctx, poh.Subject{Token: os.Getenv("TOKEN")})
	if err != nil {
		return err
	}
	// An invalid address or hash is an error, so that it does not look like a "false".
	voted, first := result.VotedIn(os.Getenv("PROPOSAL"))
	supports, second := result.Supports(os.Getenv("PROPOSAL"))
	inPoll, third := result.CastPollVote(os.Getenv("NULLIFIER_HASH"))
	for _, err := range []error{first, second, third} {
		if err != nil {
			return err
		}
	}
	fmt.Printf("voted: %t, supports: %t, in the poll: %t\n", voted, supports, inPoll)
	return nil
}

func many(ctx context.Context, client *poh.Client) error {
	waiting := []poh.Subject{{Wallet: os.Getenv("WALLET")}, {Wallet: "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"}}
	var humans []poh.Subject
	for round := 1; round <= 3; round++ {
		var again []poh.Subject
		err := client.LookUpMany(ctx, waiting, 16, func(found poh.Found) {
			log.Printf("round %d: %d of %d", round, found.Done, found.Total)
			var unavailable *poh.Unavailable
			if errors.As(found.Err, &unavailable) {
				again = append(again, found.Subject)
			} else if found.Err != nil {
				log.Printf("%s: %v", found.Subject.Wallet, found.Err)
			} else if found.Result.HasVerifiedHuman {
				humans = append(humans, found.Subject)
			}
		})
		if err != nil {
			return err
		}
		waiting = again
	}
	fmt.Printf("verified humans: %d, not looked up: %d\n", len(humans), len(waiting))
	return nil
}

func failures(ctx context.Context, client *poh.Client) error {
	_, err := client.LookUp(ctx, poh.Subject{Token: "00000000-0000-0000-0000-000000000000"})
	var unavailable *poh.Unavailable
	var refused *poh.Refused
	if errors.As(err, &unavailable) {
		fmt.Println("try again later")
	} else if errors.As(err, &refused) && refused.Code == "token_not_found" {
		fmt.Println("ask for a new token")
	} else {
		return err
	}
	return nil
}

func evidence(ctx context.Context, client *poh.Client) error {
	_, evidence, err := client.LookUpWithEvidence(ctx, poh.Subject{Token: os.Getenv("TOKEN")})
	if err != nil {
		return err
	}
	if evidence == nil {
		return errors.New("the platform does not sign its responses")
	}
	keys, err := client.PublicKeys(ctx)
	if err != nil {
		return err
	}
	stored, err := json.Marshal(map[string]any{"evidence": evidence, "keys": keys})
	if err != nil {
		return err
	}
	var kept struct{ Evidence poh.Evidence }
	if err := json.Unmarshal(stored, &kept); err != nil {
		return err
	}
	if keys, err = client.PublicKeys(ctx); err != nil {
		return err
	}
	signedAt, err := poh.VerifyEvidence(kept.Evidence, keys)
	if err != nil {
		return err
	}
	fmt.Println("signed:", signedAt)
	return nil
}
