// Runs jobs with the client in Go. See drivers.ts.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"time"

	"example/poh"
)

type job struct {
	Action         string
	URL, Key       string
	Through        string
	Subject        poh.Subject
	Subjects       []poh.Subject
	Groups         [][]poh.Subject
	AtOnce         int
	Timeout, Pause float64
	Cases          []evidenceCase
	Result         poh.LookupResult
	Proposal, Hash string
}

type evidenceCase struct {
	Evidence  poh.Evidence
	Keys      []poh.PublicKey
	KeptSince *int64
}

type object = map[string]any

func seconds(value, usual float64) time.Duration {
	if value == 0 {
		value = usual
	}
	return time.Duration(value * float64(time.Second))
}

func read(j job) (any, error) {
	voted, err := j.Result.VotedIn(j.Proposal)
	if err != nil {
		return nil, err
	}
	supports, err := j.Result.Supports(j.Proposal)
	if err != nil {
		return nil, err
	}
	poll, err := j.Result.CastPollVote(j.Hash)
	var mark any
	if found := j.Result.WalletMark(); found != "" {
		mark = found
	}
	return object{"votedIn": voted, "supports": supports, "castPollVote": poll, "walletMark": mark}, err
}

func many(client *poh.Client, j job) (any, error) {
	list := []object{}
	err := client.LookUpMany(context.Background(), j.Subjects, j.AtOnce, func(found poh.Found) {
		one := object{"token": found.Subject.Token, "done": found.Done, "total": found.Total, "isHuman": nil, "code": nil}
		if found.Result != nil {
			one["isHuman"] = found.Result.HasVerifiedHuman
		}
		var refused *poh.Refused
		if errors.As(found.Err, &refused) {
			one["code"] = refused.Code
		}
		list = append(list, one)
	})
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return object{"found": list, "peakKiB": usage.Maxrss}, err
}

// together looks up each group in a goroutine, with one client. Go cannot fork.
func together(client *poh.Client, groups [][]poh.Subject) (any, error) {
	found := make([][]bool, len(groups))
	ended := make(chan error)
	for index := range groups {
		go func(index int) {
			for _, subject := range groups[index] {
				result, err := client.LookUp(context.Background(), subject)
				if err != nil {
					ended <- err
					return
				}
				found[index] = append(found[index], result.HasVerifiedHuman)
			}
			ended <- nil
		}(index)
	}
	for range groups {
		if err := <-ended; err != nil {
			return nil, err
		}
	}
	return found, nil
}

func run(j job) (any, error) {
	switch j.Action {
	case "verify":
		verdicts := []string{}
		for _, one := range j.Cases {
			moment, err := poh.VerifyEvidence(one.Evidence, one.Keys)
			if one.KeptSince != nil {
				moment, err = poh.VerifyEvidenceKeptSince(one.Evidence, one.Keys, time.UnixMilli(*one.KeptSince))
			}
			var invalid *poh.InvalidEvidence
			if errors.As(err, &invalid) {
				verdicts = append(verdicts, invalid.Reason)
			} else {
				verdicts = append(verdicts, moment.Format("2006-01-02T15:04:05.000Z"))
			}
		}
		return verdicts, nil
	case "read":
		return read(j)
	}
	client, err := poh.New(j.URL, j.Key)
	if err != nil {
		return nil, err
	}
	client.Timeout, client.Pause = seconds(j.Timeout, 15), seconds(j.Pause, 0.01)
	if j.Through != "" {
		client.HTTP = &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, j.Through)
			},
		}}
	}
	switch j.Action {
	case "processes":
		return together(client, j.Groups)
	case "many":
		return many(client, j)
	}
	result, evidence, err := client.LookUpWithEvidence(context.Background(), j.Subject)
	printed := fmt.Sprintf("%v %+v %#v %s %v %q", client, client, client, client, *client, *client)
	return object{"result": result, "evidence": evidence, "printed": printed}, err
}

func outcome(j job) object {
	value, err := run(j)
	if err == nil {
		return object{"kind": "ok", "text": "", "value": value}
	}
	var refused *poh.Refused
	var unavailable *poh.Unavailable
	one := object{"kind": "invalid", "text": fmt.Sprintf("%v %+v %#v", err, err, err)}
	if errors.As(err, &refused) {
		one["kind"], one["status"], one["code"], one["requestId"] = "refused", refused.Status, refused.Code, refused.RequestID
		one["isAboutSubject"] = refused.IsAboutSubject()
	}
	if errors.As(err, &unavailable) {
		one["kind"], one["status"], one["code"], one["requestId"] = "unavailable", unavailable.Status, unavailable.Code, unavailable.RequestID
		if unavailable.RetryAfter > 0 {
			one["retryAfter"] = math.Ceil(unavailable.RetryAfter.Seconds())
		}
	}
	return one
}

func main() {
	var jobs []job
	if err := json.NewDecoder(os.Stdin).Decode(&jobs); err != nil {
		panic(err)
	}
	outcomes := make([]object, len(jobs))
	var running sync.WaitGroup
	for index := range jobs {
		running.Add(1)
		go func(index int) {
			defer running.Done()
			outcomes[index] = outcome(jobs[index])
		}(index)
	}
	running.Wait()
	json.NewEncoder(os.Stdout).Encode(outcomes)
}
