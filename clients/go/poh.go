// Copyright (c) 2026 The PoH attestations authors.
// SPDX-License-Identifier: MIT

// Package poh looks up Proof-of-Humanity attestations. It needs only the standard library of Go 1.19
// or later.
//
//	client, err := poh.New("https://PROJECT.web.app", key)
//	result, err := client.LookUp(ctx, poh.Subject{Token: token})
//	if err == nil && result.HasVerifiedHuman { ... }
package poh

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Version is the version of this client.
const Version = "1.2.11"

// Attestation is an object of the contract.
type Attestation struct {
	// The attestation type: 0 VERIFIED_HUMAN, 1 VOTED, 2 SUPPORTED_PROPOSAL, 3 RECEIVED_SHARE,
	// 4 POLL_VOTED. Types have been added before, so ignore entries of a type that you do not
	// know.
	AttestationType int `json:"attestationType"`
	// What the attestation is about: 32 bytes as 64 lower-case hexadecimal characters. For
	// type 0 they are all zero, for types 1 and 2 they are the proposal account address, and
	// for type 4 they are the poll vote's nullifier hash.
	ContextHashHex string `json:"contextHashHex"`
	// `confirmed` means on the chain and mirrored. `pending` means minted by the platform and
	// awaiting confirmation on the chain. A pending attestation is in `attestations`
	// and `count`, but sets no flag. Treat a status that you do not know as not confirmed.
	Status string `json:"status"`
	// Address of the attestation account on the chain. It is derived from the holder, the type
	// and the context hash. So the address of a type-0 attestation is the same in every lookup
	// of a wallet, and differs between wallets.
	OnChainAddress string `json:"onChainAddress"`
	// When the mirror's copy of the attestation was last updated from the chain, in ISO 8601,
	// UTC, with milliseconds.
	SyncedAt string `json:"syncedAt"`
	// When the attestation was made, in ISO 8601, UTC, with milliseconds.
	CreatedAt string `json:"createdAt"`
}

// LookupResult is an object of the contract.
type LookupResult struct {
	// The wallet that was looked up. Present in wallet mode only; absent in e-mail and token
	// mode.
	Wallet string `json:"wallet,omitempty"`
	// The attestations of the subject's wallet, including pending ones, sorted by `createdAt`,
	// then `onChainAddress`. Empty if the wallet has none.
	Attestations []Attestation `json:"attestations"`
	// The length of `attestations`, including pending ones.
	Count int `json:"count"`
	// True when at least one attestation of type 0 is confirmed. The primary signal for
	// humanity gating.
	HasVerifiedHuman bool `json:"hasVerifiedHuman"`
	// True when at least one attestation of type 1 is confirmed.
	HasVoted bool `json:"hasVoted"`
	// Number of confirmed type-1 attestations, one per proposal.
	VotedCount int `json:"votedCount"`
	// True when at least one attestation of type 2 is confirmed.
	HasSupportedProposal bool `json:"hasSupportedProposal"`
	// Number of confirmed type-2 attestations, one per proposal.
	SupportedCount int `json:"supportedCount"`
	// The id of the response, which the client adds. Quote it when you ask for help; empty if the
	// response has none.
	RequestID string `json:"requestId" from:"client"`
}

// UnmarshalJSON refuses an attestation that lacks a field of the contract.
func (a *Attestation) UnmarshalJSON(text []byte) error { return decode(text, a) }

// UnmarshalJSON refuses a result that lacks a field of the contract.
func (r *LookupResult) UnmarshalJSON(text []byte) error { return decode(text, r) }

// decode decodes an object, which must have each field of a struct that is not marked omitempty or from the client.
// The names must match exactly, although json.Unmarshal also accepts another case.
func decode(text []byte, target any) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	fields := reflect.ValueOf(target).Elem()
	for index := 0; index < fields.NumField(); index++ {
		tag := fields.Type().Field(index).Tag
		name, option, _ := strings.Cut(tag.Get("json"), ",")
		value, exists := members[name]
		isMissing := !exists || string(value) == "null"
		if isMissing && (option == "omitempty" || tag.Get("from") == "client") {
			continue
		}
		if isMissing {
			return fmt.Errorf("the member %s is missing", name)
		}
		if err := json.Unmarshal(value, fields.Field(index).Addr().Interface()); err != nil {
			return err
		}
	}
	return nil
}

// Refused says that the service refused the request, and that a retry would not help. Branch on Code.
type Refused struct {
	// The HTTP status; 0 if nothing was sent because the subject is empty.
	Status int
	// A code of the contract; not_the_service if the response did not come from the service.
	Code string
	// Quote it when you ask for help; empty if the response has none.
	RequestID string
	message   string
}

func (r *Refused) Error() string { return r.message }

// IsAboutSubject says whether the same client may succeed with another subject.
func (r *Refused) IsAboutSubject() bool {
	isOurs := r.Code != "not_the_service" && r.Code != "not_found"
	return isTooLong(r.Status) || isOurs && (r.Status == 0 || r.Status == 400 || r.Status == 404)
}

// Unavailable says that no attempt succeeded. Admit nobody, and try again later.
type Unavailable struct {
	// The HTTP status of the last attempt; 0 if it got no complete response.
	Status int
	// The code of the last response, such as "internal"; empty if it has none.
	Code string
	// The id of the last response. Quote it when you ask for help; empty if the response has none.
	RequestID string
	// How long the service asked to wait; 0 if it did not.
	RetryAfter time.Duration
	message    string
}

func (u *Unavailable) Error() string { return u.message }

// Subject is the person to look up. Exactly one field must be set.
type Subject struct {
	Wallet, Email, Token string
}

// Found is one of many lookups, with its result or its error. Done is how many of the Total lookups are
// finished so far.
type Found struct {
	Subject     Subject
	Result      *LookupResult
	Err         error
	Done, Total int
}

// Evidence is the part of a signed response to store. It contains the subject, so treat it as personal data.
type Evidence struct {
	URL            string `json:"url"`
	Body           string `json:"body"`
	RequestID      string `json:"requestId"`
	SignatureInput string `json:"signatureInput"`
	Signature      string `json:"signature"`
}

// UnmarshalJSON decodes stored evidence. What is missing or not a string stays empty, and VerifyEvidence then says
// that it is malformed.
func (e *Evidence) UnmarshalJSON(text []byte) error {
	_ = decode(text, e)
	return nil
}

// PublicKey is a public key of the platform (JWK). Store it as it is.
type PublicKey = json.RawMessage

const (
	attempts     = 4
	bodyMaxBytes = 64 << 20 // Google Cloud sends at most 32 MB
	// If the service asks for a longer pause, the lookup fails immediately.
	retryAfterMax = 30 * time.Second
)

// Client looks up attestations. It is safe for concurrent use.
type Client struct {
	// Timeout is the time limit of an attempt; 15 seconds by default.
	Timeout time.Duration
	// Pause is the wait before the second attempt, doubled before each further attempt; 1 second by default.
	Pause time.Duration
	// HTTP sends the requests. Replace it for a proxy or certificates of your own.
	HTTP    *http.Client
	address *url.URL
	key     string
}

// New creates a client for the platform's address, such as https://PROJECT.web.app, with the API key of
// your project. It returns an error if the address or the key is unusable.
func New(address, key string) (*Client, error) {
	parsed, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	key = trimmed(key)
	if key == "" {
		return nil, errors.New("the API key is missing; get one from an admin of the platform")
	}
	if strings.IndexFunc(key, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return nil, errors.New("the API key contains a line break or another character that keys do not have; copy it again")
	}
	return &Client{
		Timeout: 15 * time.Second,
		Pause:   time.Second,
		address: parsed,
		key:     key,
		HTTP: &http.Client{Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			ForceAttemptHTTP2:   true,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     90 * time.Second,
		}},
	}, nil
}

// Format keeps the key out of a printed client.
func (c Client) Format(state fmt.State, _ rune) { fmt.Fprintf(state, "poh.Client(%s)", c.address) }

// LookUp looks up one subject. If it fails, with *Refused, *Unavailable or the context's error, admit
// nobody.
func (c *Client) LookUp(ctx context.Context, subject Subject) (*LookupResult, error) {
	result, _, err := c.LookUpWithEvidence(ctx, subject)
	return result, err
}

// LookUpWithEvidence looks up one subject, and returns the result with evidence that proves it later. The
// evidence is nil if the platform does not sign its responses.
func (c *Client) LookUpWithEvidence(ctx context.Context, subject Subject) (*LookupResult, *Evidence, error) {
	return c.lookUp(ctx, subject, &gate{})
}

func (c *Client) lookUp(ctx context.Context, subject Subject, shared *gate) (*LookupResult, *Evidence, error) {
	mode, value := subject.first()
	if value == "" {
		return nil, nil, &Refused{Code: "missing_subject", message: "the wallet, e-mail address or token is missing"}
	}
	// The service reads "+" as a plus sign, so encode a space as "%20".
	encoded := strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
	address := c.address.String() + "/pohAttestationsEndpoint?" + mode + "=" + encoded
	var result LookupResult
	var evidence *Evidence
	err := c.exchange(ctx, address, shared, []string{c.key, value, encoded}, func(body []byte, header http.Header) bool {
		result = LookupResult{}
		if json.Unmarshal(body, &result) != nil || (mode == "wallet" && result.Wallet != value) {
			return false
		}
		result.RequestID = header.Get("X-Request-Id")
		if signature := joined(header, "Signature"); signature != "" {
			evidence = &Evidence{address, string(body), result.RequestID, joined(header, "Signature-Input"), signature}
		}
		return true
	})
	if err != nil {
		return nil, nil, err
	}
	return &result, evidence, nil
}

// LookUpMany looks up many subjects concurrently, and passes each outcome to found as soon as it is known, one
// call at a time. To stop, cancel the context. It fails if the service refuses every lookup, for example
// because the key is not valid.
func (c *Client) LookUpMany(ctx context.Context, subjects []Subject, atOnce int, found func(Found)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	shared := &gate{}
	queue := make(chan Subject, len(subjects))
	for _, subject := range subjects {
		queue <- subject
	}
	close(queue)
	ended := make(chan Found)
	var workers sync.WaitGroup
	for worker := 0; worker < atOnce || worker < 1; worker++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for subject := range queue {
				result, _, err := c.lookUp(ctx, subject, shared)
				ended <- Found{Subject: subject, Result: result, Err: err, Total: len(subjects)}
			}
		}()
	}
	go func() { workers.Wait(); close(ended) }()
	var failure error
	done := 0
	for one := range ended {
		var refused *Refused
		isFinal := errors.As(one.Err, &refused) && !refused.IsAboutSubject()
		switch {
		case failure != nil:
			// Once the context is cancelled, the other lookups end at once.
		case isFinal:
			failure = one.Err
			cancel()
		case ctx.Err() != nil:
			failure = ctx.Err()
		default:
			done++
			one.Done = done
			found(one)
		}
	}
	return failure
}

// PublicKeys returns the platform's current and former public keys, which verify evidence.
func (c *Client) PublicKeys(ctx context.Context) ([]PublicKey, error) {
	address := c.address.Scheme + "://" + c.address.Host + "/.well-known/http-message-signatures-directory"
	var keys []PublicKey
	err := c.exchange(ctx, address, &gate{}, nil, func(body []byte, _ http.Header) bool {
		var set map[string]json.RawMessage
		return json.Unmarshal(body, &set) == nil && json.Unmarshal(set["keys"], &keys) == nil && keys != nil
	})
	return keys, err
}

// gate holds the earliest time of the next request. The lookups of one call share it.
type gate struct {
	mutex   sync.Mutex
	opensAt time.Time
}

func (g *gate) closeFor(pause time.Duration) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if until := time.Now().Add(pause); until.After(g.opensAt) {
		g.opensAt = until
	}
}

// wait waits for the pause, then until the gate opens. Another lookup may close it meanwhile.
func (g *gate) wait(ctx context.Context, pause time.Duration) error {
	until := time.Now().Add(pause)
	for {
		g.mutex.Lock()
		if g.opensAt.After(until) {
			until = g.opensAt
		}
		g.mutex.Unlock()
		left := time.Until(until)
		if left <= 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		timer := time.NewTimer(left)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// exchange sends a request in up to four attempts. It sends the key unless secrets is empty.
func (c *Client) exchange(ctx context.Context, address string, shared *gate, secrets []string, accept func([]byte, http.Header) bool) error {
	var pause time.Duration
	for attempt := 1; ; attempt++ {
		if err := shared.wait(ctx, pause); err != nil {
			return err
		}
		err := c.attempt(ctx, address, secrets, accept)
		var failed *Unavailable
		if !errors.As(err, &failed) {
			return err
		}
		shared.closeFor(failed.RetryAfter)
		if attempt == attempts || failed.RetryAfter > retryAfterMax {
			after := "later"
			if failed.RetryAfter > 0 {
				after = fmt.Sprintf("in %.0f s", math.Ceil(failed.RetryAfter.Seconds()))
			}
			failed.message = fmt.Sprintf("attempt %d of %d failed (%s); try again %s", attempt, attempts, failed.message, after)
			return failed
		}
		// Before Go 1.20, the global source gives each process the same numbers.
		random := rand.New(rand.NewSource(time.Now().UnixNano()))
		pause = c.Pause<<(attempt-1) + time.Duration(random.Int63n(int64(c.Pause)+1))
	}
}

// attempt returns *Unavailable if a retry may help.
func (c *Client) attempt(
	ctx context.Context, address string, secrets []string, accept func([]byte, http.Header) bool,
) error {
	limited, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("the address of the service is not a URL")
	}
	request.Header.Set("User-Agent", "poh-attestations-go/"+Version)
	if len(secrets) > 0 {
		request.Header.Set("X-PoH-API-Key", c.key)
	}
	// Redirects are not followed, because they would send the key and the subject to another server.
	client := *c.HTTP
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(request)
	var body []byte
	if err == nil {
		defer response.Body.Close()
		body, err = io.ReadAll(io.LimitReader(response.Body, bodyMaxBytes+1))
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil && limited.Err() != nil:
		return &Unavailable{message: fmt.Sprintf("no response within %s", c.Timeout)}
	case err != nil:
		return &Unavailable{message: reasonOf(err)}
	case len(body) > bodyMaxBytes:
		return &Unavailable{message: "a response of more than 64 MiB"}
	case response.StatusCode == http.StatusOK && utf8.Valid(body) && accept(body, response.Header):
		return nil
	}
	return failureOf(response, body, secrets)
}

func (s Subject) first() (string, string) {
	for _, field := range [][2]string{{"wallet", s.Wallet}, {"email", s.Email}, {"token", s.Token}} {
		if value := trimmed(field[1]); value != "" {
			return field[0], value
		}
	}
	return "", ""
}

// trimmed removes white space and byte order marks around a text.
func trimmed(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
}

var loopback = regexp.MustCompile(`^(localhost|127(\.\d{1,3}){3}|::1)$`)

func parseAddress(text string) (*url.URL, error) {
	address, err := url.Parse(trimmed(text))
	switch {
	case err != nil || address.Hostname() == "" || !isPort(address.Port()):
		return nil, errors.New("the address of the service is missing or not a URL; set it to https://…")
	case address.Scheme != "https" && !(address.Scheme == "http" && loopback.MatchString(address.Hostname())):
		return nil, errors.New("the address of the service must begin with https:// to keep the key secret; " +
			"http:// is allowed only for this machine (127.0.0.1, localhost)")
	case address.User != nil || address.RawQuery != "" || address.ForceQuery || address.Fragment != "":
		return nil, errors.New(`the address of the service must not contain a user name, "?" or "#"`)
	}
	address.Path = strings.TrimRight(address.Path, "/")
	address.RawPath = ""
	return address, nil
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return text == "" || (err == nil && port > 0)
}

// failureOf describes a response that is not a result: *Refused, or *Unavailable if a retry may help.
func failureOf(response *http.Response, body []byte, secrets []string) error {
	// Remove secrets and control characters, since the text may come from another server.
	clean := func(text string) string {
		for _, secret := range secrets {
			text = strings.ReplaceAll(text, secret, "…")
		}
		shown := []rune(strings.Map(func(r rune) rune {
			if unicode.IsPrint(r) {
				return r
			}
			return ' '
		}, text))
		if len(shown) > 300 {
			shown = shown[:300]
		}
		return string(shown)
	}
	status, header := response.StatusCode, response.Header
	var fields map[string]any
	_ = json.Unmarshal(body, &fields) // Without an object, all members are empty.
	sentence, hasError := fields["error"].(string)
	code, hasCode := fields["code"].(string)
	if !hasError || !hasCode {
		code = ""
	}
	requestID, _ := fields["requestId"].(string)
	if requestID == "" {
		requestID = header.Get("X-Request-Id")
	}
	// A code of the service is kept, because a subject may be as short as "t".
	if cleaned := clean(code); cleaned == "…" || !codePattern.MatchString(code) {
		code = cleaned
	}
	requestID = clean(requestID)
	what := "not from the service"
	switch {
	case status == http.StatusOK:
		return &Unavailable{status, "", requestID, retryAfter(header), "HTTP 200, not from the service"}
	case status < 300 || status >= 500 || status == http.StatusTooManyRequests:
		reason := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, code))
		if requestID != "" {
			reason += ", request " + requestID
		}
		return &Unavailable{status, code, requestID, retryAfter(header), reason}
	case isTooLong(status):
		message := fmt.Sprintf("HTTP %d, the subject is too long; check it", status)
		return &Refused{status, "not_the_service", requestID, message}
	case status < 400:
		what = "a redirect, which is not followed"
	case code != "":
		shown := requestID
		if shown == "" {
			shown = "unknown"
		}
		message := fmt.Sprintf("%d %s: %s (request %s)", status, code, clean(sentence), shown)
		return &Refused{status, code, requestID, message}
	}
	message := fmt.Sprintf("HTTP %d, %s; check the address of the service", status, what)
	return &Refused{status, "not_the_service", requestID, message}
}

// isTooLong says whether a server on the way has refused a long URL.
func isTooLong(status int) bool {
	return status == http.StatusRequestURITooLong || status == http.StatusRequestHeaderFieldsTooLarge
}

var codePattern = regexp.MustCompile("^[a-z_]+$")

// retryAfter returns 0 if the response has no Retry-After.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	// A number out of range becomes the largest one.
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(seconds) * time.Second
	}
	if moment, err := http.ParseTime(value); err == nil && time.Until(moment) > 0 {
		return time.Until(moment)
	}
	return 0
}

// reasonOf describes a failure in a few words. It omits text from the server, which may repeat the request.
func reasonOf(err error) string {
	var operation *net.OpError
	var unknown x509.UnknownAuthorityError
	var other x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown), errors.As(err, &other), errors.As(err, &invalid):
		return "the certificate is not valid"
	case errors.As(err, &operation):
		return operation.Op + ": " + operation.Err.Error()
	}
	return "the connection failed"
}

func joined(header http.Header, name string) string { return strings.Join(header.Values(name), ", ") }

const (
	typeVerifiedHuman = 0
	typeVoted         = 1
	typeSupported     = 2
	typePollVoted     = 4
)

// VotedIn says whether the person voted on a proposal, as confirmed by the chain. The proposal is the base58
// address of its account. VotedIn fails if the address is invalid.
func (r *LookupResult) VotedIn(proposal string) (bool, error) { return r.names(typeVoted, proposal) }

// Supports says whether the person supports a proposal, as confirmed by the chain. See VotedIn.
func (r *LookupResult) Supports(proposal string) (bool, error) {
	return r.names(typeSupported, proposal)
}

// CastPollVote says whether the person cast a vote in a poll, as confirmed by the chain. It fails if the
// nullifier hash, as the poll published it, is not 64 hex digits.
func (r *LookupResult) CastPollVote(nullifierHash string) (bool, error) {
	raw, err := hex.DecodeString(trimmed(nullifierHash))
	if err != nil || len(raw) != 32 {
		return false, errors.New("the nullifier hash of a poll vote must have 64 hex digits")
	}
	return r.confirmed(typePollVoted, raw) != nil, nil
}

// WalletMark identifies a wallet, without containing its address. The chain's public transactions may show the
// address. Every lookup of the wallet returns the same mark, in every mode and for every project. The mark is
// empty if the wallet's holder is not a verified human.
func (r *LookupResult) WalletMark() string {
	if attestation := r.confirmed(typeVerifiedHuman, make([]byte, 32)); attestation != nil {
		return attestation.OnChainAddress
	}
	return ""
}

func (r *LookupResult) names(attestationType int, proposal string) (bool, error) {
	raw := addressBytes(trimmed(proposal))
	if raw == nil {
		return false, errors.New("a proposal's address must be base58 of 32 bytes")
	}
	return r.confirmed(attestationType, raw) != nil, nil
}

func (r *LookupResult) confirmed(attestationType int, context []byte) *Attestation {
	for index, entry := range r.Attestations {
		isOf := entry.AttestationType == attestationType && strings.EqualFold(entry.ContextHashHex, hex.EncodeToString(context))
		if isOf && entry.Status == "confirmed" {
			return &r.Attestations[index]
		}
	}
	return nil
}

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

// addressBytes returns the 32 bytes of a base58 address, or nil.
func addressBytes(address string) []byte {
	number := new(big.Int)
	zeros := len(address) - len(strings.TrimLeft(address, "1"))
	for _, digit := range address {
		place := strings.IndexRune(alphabet, digit)
		if place < 0 || len(address) > 44 {
			return nil
		}
		number.Mul(number, big.NewInt(58)).Add(number, big.NewInt(int64(place)))
	}
	raw := append(make([]byte, zeros), number.Bytes()...)
	if len(raw) != 32 {
		return nil
	}
	return raw
}

const covered = `("@status" "content-type" "content-digest" "x-request-id" "@method";req "@query";req)`

var (
	signatureInput = regexp.MustCompile(`(?:^|, *)poh=((\([^)]*\));created=(\d{1,12});keyid="([\w-]{43})";alg="ed25519";tag="poh-attestations")(?:$| *,)`)
	// A member poh with any value. The platform sends exactly one.
	signatureMember = regexp.MustCompile(`^[ \t]*poh(?:$|[^a-z0-9_.*-])`)
	signatureValue  = regexp.MustCompile(`(?:^|, *)poh=:([A-Za-z0-9+/]{86}==):(?:$| *,)`)
)

// The tolerated difference between the clocks of two machines.
const clockSkewSeconds = 300

// Reasons says why evidence is not valid, and what to do about it. No other reasons exist.
var Reasons = map[string]string{
	"malformed":    "there is no signature in this service's form; only a complete 200 from a platform that signs has one",
	"invalid_keys": "the keys are not a list, or two of them have the same id; fetch them again from the platform",
	"unknown_key":  "no usable key has the id of the key that signed; fetch the current keys from the platform",
	"changed": "the body, the query, the request id or the time differs from the signed one; check first that the URL " +
		"is exactly the requested one",
	"key_leaked": "the key has leaked, so others may have signed this; if you can prove that you had it before the leak, " +
		"give the earliest time that you can prove",
	"key_retired": "it was signed after its key was retired, so somebody else may have signed it",
	"key_not_yet": "it was signed before its key was created, so its time or its key is wrong",
	"clock":       "it was signed in the future; check this machine's clock; if the clock is right, somebody forged the time",
}

// InvalidEvidence says that the evidence proves nothing.
type InvalidEvidence struct {
	// One of Reasons.
	Reason string
}

func (i *InvalidEvidence) Error() string { return Reasons[i.Reason] }

// VerifyEvidence verifies that the platform returned this body for this request (RFC 9421, Ed25519). Pass the
// current result of PublicKeys, because an older copy does not show later leaks. It returns the time of the
// signature, or *InvalidEvidence with the reason.
func VerifyEvidence(evidence Evidence, keys []PublicKey) (time.Time, error) {
	return VerifyEvidenceKeptSince(evidence, keys, time.Time{})
}

// VerifyEvidenceKeptSince is VerifyEvidence with the earliest time at which you can prove that you had the
// evidence, which is not before it was signed. It is needed if the key has leaked since, because whoever has the
// key can choose the signed time.
func VerifyEvidenceKeptSince(evidence Evidence, keys []PublicKey, keptSince time.Time) (time.Time, error) {
	created, reason := evidence.verify(keys, keptSince)
	if reason != "" {
		return time.Time{}, &InvalidEvidence{reason}
	}
	return time.Unix(created, 0).UTC(), nil
}

// verify returns the signed time, and why the evidence is not valid.
func (e Evidence) verify(keys []PublicKey, keptSince time.Time) (int64, string) {
	input := signatureInput.FindStringSubmatch(e.SignatureInput)
	value := signatureValue.FindStringSubmatch(e.Signature)
	isComplete := e.URL != "" && e.Body != "" && e.RequestID != ""
	if !isComplete || input == nil || value == nil || input[2] != covered {
		return 0, "malformed"
	}
	// With two members, the result would depend on their order.
	for _, field := range []string{e.SignatureInput, e.Signature} {
		members := 0
		for _, part := range strings.Split(field, ",") {
			if signatureMember.MatchString(part) {
				members++
			}
		}
		if members != 1 {
			return 0, "malformed"
		}
	}
	// Accept only canonical base64, because unused bits at its end are not signed.
	signature, err := base64.StdEncoding.Strict().DecodeString(value[1])
	if err != nil {
		return 0, "malformed"
	}
	key, reason := findKey(keys, input[4])
	if reason != "" {
		return 0, reason
	}
	digest := sha256.Sum256([]byte(e.Body))
	_, query, _ := strings.Cut(e.URL, "?")
	base := strings.Join([]string{
		`"@status": 200`,
		`"content-type": application/json; charset=utf-8`,
		`"content-digest": sha-256=:` + base64.StdEncoding.EncodeToString(digest[:]) + `:`,
		`"x-request-id": ` + e.RequestID,
		`"@method";req: GET`,
		`"@query";req: ?` + query,
		`"@signature-params": ` + input[1],
	}, "\n")
	if !ed25519.Verify(key.x, []byte(base), signature) {
		return 0, "changed"
	}
	created, _ := strconv.ParseInt(input[3], 10, 64)
	return created, key.reasonAt(created, keptSince)
}

// usableKey is a key with its times, in seconds since 1970. leakedAt is 0 if the time of the leak is unknown.
type usableKey struct {
	x                  ed25519.PublicKey
	nbf, exp, leakedAt *int64
}

// reasonAt says why the time of a signature is not valid. Anybody with the private key can choose the time.
func (key *usableKey) reasonAt(created int64, keptSince time.Time) string {
	if leak := key.leakedAt; leak != nil {
		kept := keptSince.Unix()
		// Nobody had the response before it was signed.
		if created >= *leak || kept >= *leak || kept < created-clockSkewSeconds {
			return "key_leaked"
		}
	}
	switch {
	case key.exp != nil && created > *key.exp:
		return "key_retired"
	case key.nbf != nil && created < *key.nbf-clockSkewSeconds:
		return "key_not_yet"
	case created > time.Now().Unix()+clockSkewSeconds:
		return "clock"
	}
	return ""
}

func findKey(keys []PublicKey, keyID string) (*usableKey, string) {
	named := map[string]map[string]any{}
	for _, raw := range keys {
		var members map[string]any
		if json.Unmarshal(raw, &members) != nil {
			continue
		}
		id, hasID := members["kid"].(string)
		// With two keys of one id, the result would depend on their order.
		if _, isKnown := named[id]; hasID && isKnown {
			return nil, "invalid_keys"
		}
		if hasID {
			named[id] = members
		}
	}
	if key := parseKey(named[keyID]); key != nil {
		return key, ""
	}
	return nil, "unknown_key"
}

// parseKey returns nil if a member is missing or has another type.
func parseKey(members map[string]any) *usableKey {
	use, hasUse := members["use"]
	if members["kty"] != "OKP" || members["crv"] != "Ed25519" || (hasUse && use != "sig") {
		return nil
	}
	text, _ := members["x"].(string)
	x, err := base64.RawURLEncoding.Strict().DecodeString(text)
	// Go ignores line breaks in Base64.
	if err != nil || len(x) != ed25519.PublicKeySize || len(text) != 43 {
		return nil
	}
	key := &usableKey{x: x}
	isSound := timeOf(members, "nbf", &key.nbf) && timeOf(members, "exp", &key.exp)
	if revoked, isLeaked := members["revoked"]; isLeaked {
		leak, isObject := revoked.(map[string]any)
		isSound = isSound && isObject && timeOf(leak, "revoked_at", &key.leakedAt)
		if key.leakedAt == nil {
			key.leakedAt = new(int64)
		}
	}
	if !isSound {
		return nil
	}
	return key
}

// timeOf sets the target if the member exists. It returns false if the member is not an integer.
func timeOf(members map[string]any, name string, target **int64) bool {
	value, exists := members[name]
	if !exists {
		return true
	}
	number, isNumber := value.(float64)
	if !isNumber || number != math.Trunc(number) || math.Abs(number) >= 1<<53 {
		return false
	}
	seconds := int64(number)
	*target = &seconds
	return true
}
