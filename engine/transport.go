package engine

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
)

// A transport sends requests to the engine's address only. It reads the credentials from their
// file for each request, so a renewed token takes effect at once.
type transport struct {
	target *Target
	under  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host != t.target.Host {
		return nil, fmt.Errorf(
			"the engine at %s sends its clients to %s, which gets no request: behind a proxy, set http-server.process-forwarded=true on the coordinator",
			t.target.Host,
			request.URL.Host,
		)
	}
	authorization, err := t.target.authorization()
	if err != nil {
		return nil, err
	}
	request = request.Clone(request.Context())
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	request.Header.Set("X-Trino-User", t.target.User) // Trino's client omits it in requests for rows
	// The coordinator sends the rows; it must not refer to files elsewhere.
	request.Header.Del("X-Trino-Query-Data-Encoding")
	response, err := t.under.RoundTrip(request)
	if err == nil && request.Method == http.MethodPost && response.StatusCode == http.StatusOK {
		accepted(request.Context())
	}
	return response, err
}

// authorization returns the header Authorization, "" for an account without a password.
func (t *Target) authorization() (string, error) {
	switch {
	case t.PasswordFile != "":
		password, err := secret(t.PasswordFile)
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(t.User+":"+password)), err
	case t.TokenFile != "":
		token, err := secret(t.TokenFile)
		return "Bearer " + token, err
	}
	return "", nil
}

// secret returns the first line of a file.
func secret(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line = strings.TrimRight(line, "\r"); line == "" {
		return "", fmt.Errorf("%s is empty, must have the secret on its first line", file)
	}
	return line, nil
}

// sent is the context key of a statement's note that the engine has accepted it.
type sent struct{}

func watched(ctx context.Context) (context.Context, *atomic.Bool) {
	taken := new(atomic.Bool)
	return context.WithValue(ctx, sent{}, taken), taken
}

func accepted(ctx context.Context) {
	if taken, ok := ctx.Value(sent{}).(*atomic.Bool); ok {
		taken.Store(true)
	}
}
