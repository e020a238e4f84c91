// What the guide does with votes, many lookups and evidence.
package main

import (
	"context"
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
	for _, example := range []func(context.Context, *poh.Client) error{votes, many, evidence} {
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
	wallets := []poh.Subject{{Wallet: os.Getenv("WALLET")}, {Wallet: "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"}}
	humans := 0
	err := client.LookUpMany(ctx, wallets, 16, func(found poh.Found) {
		if found.Err != nil {
			log.Printf("%d of %d: %v", found.Done, found.Total, found.Err)
		} else if found.Result.HasVerifiedHuman {
			humans++
		}
	})
	fmt.Printf("%d of %d are verified humans\n", humans, len(wallets))
	return err
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
	signedAt, err := poh.VerifyEvidence(*evidence, keys)
	if err != nil {
		return err
	}
	fmt.Println("signed:", signedAt)
	return nil
}
