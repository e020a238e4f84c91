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
	wallets := []poh.Subject{{Wallet: os.Getenv("WALLET")}, {Wallet: "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi"}}
	humans := 0
	err = client.LookUpMany(context.Background(), wallets, 16, func(found poh.Found) {
		if found.Err != nil {
			log.Printf("%d of %d: %v", found.Done, found.Total, found.Err)
		} else if found.Result.HasVerifiedHuman {
			humans++
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d are verified humans\n", humans, len(wallets))
}
