package main

import (
	"context"
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
	result, err := client.LookUp(context.Background(), poh.Subject{Token: os.Getenv("TOKEN")})
	if err != nil {
		log.Fatal(err)
	}
	// An invalid address or hash is an error, so that it does not look like a "false".
	voted, first := result.VotedIn(os.Getenv("PROPOSAL"))
	supports, second := result.Supports(os.Getenv("PROPOSAL"))
	inPoll, third := result.CastPollVote(os.Getenv("NULLIFIER_HASH"))
	for _, err := range []error{first, second, third} {
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("voted: %t, supports: %t, in the poll: %t\n", voted, supports, inPoll)
}
