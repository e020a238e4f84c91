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
	_, evidence, err := client.LookUpWithEvidence(context.Background(), poh.Subject{Token: os.Getenv("TOKEN")})
	if err != nil || evidence == nil {
		log.Fatal("no evidence: ", err)
	}
	keys, err := client.PublicKeys(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	signedAt, err := poh.VerifyEvidence(*evidence, keys)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("signed:", signedAt)
}
