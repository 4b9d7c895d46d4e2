package engine

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/trinodb/trino-go-client/trino"
)

// A Target says how to reach the engine.
type Target struct {
	// User is the engine's user who runs the statements. Required.
	User string
	// Host is host:port of the coordinator. Required.
	Host string
	// Catalog is the engine's catalog that has the raw tables' schemas. Required.
	Catalog string
	// Plain turns TLS off.
	Plain bool
	// Roots must have signed the coordinator's certificate. Defaults to the system's.
	Roots *x509.CertPool
	// The first line of PasswordFile is the user's password, that of TokenFile a JSON web token. Either requires TLS.
	PasswordFile, TokenFile string
	// Session has the engine's session properties for every statement, such as retry_policy. May be nil.
	Session map[string]string
}

// ParseURL parses trino://user@host:port/catalog?tls=on. TLS is on by default unless the engine
// is on this machine; the default port is 8443 with TLS and 8080 without.
func ParseURL(text string) (*Target, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is no URL, must be trino://user@host:port/catalog") // url's error may contain a password
	}
	if _, ok := u.User.Password(); ok {
		return nil, errors.New("it has a password in it, which others see: name a file that has it (--engine-password-file)")
	}
	catalog := strings.Trim(u.Path, "/")
	if u.Scheme != "trino" || u.User.Username() == "" || u.Hostname() == "" || catalog == "" || strings.Contains(catalog, "/") || u.Fragment != "" {
		return nil, fmt.Errorf("it is %q, must be trino://user@host:port/catalog", text)
	}
	t := &Target{User: u.User.Username(), Catalog: catalog, Plain: isLocal(u.Hostname())}
	for name, values := range u.Query() {
		if name != "tls" || len(values) != 1 || values[0] != "on" && values[0] != "off" {
			return nil, fmt.Errorf("it has the parameter %s=%s, must be tls=on or tls=off", name, strings.Join(values, ","))
		}
		t.Plain = values[0] == "off"
	}
	port := u.Port()
	switch {
	case port == "" && t.Plain:
		port = "8080"
	case port == "":
		port = "8443"
	}
	t.Host = net.JoinHostPort(u.Hostname(), port)
	return t, nil
}

// isLocal reports whether a host is this machine's loopback interface.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Address returns host:port, as in error messages.
func (t *Target) Address() string { return t.Host }

// ReadRoots reads the certificates of a PEM file.
func ReadRoots(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s has no certificate in PEM", file)
	}
	return pool, nil
}

// check returns what is wrong with a target.
func (t *Target) check() error {
	switch {
	case t.User == "" || t.Host == "" || t.Catalog == "":
		return errors.New("an engine needs a user, host:port and a catalog")
	case t.PasswordFile != "" && t.TokenFile != "":
		return errors.New("the engine takes a password or a token, not both")
	case t.Plain && (t.PasswordFile != "" || t.TokenFile != ""):
		return errors.New("a password or token goes to the engine over TLS only: say tls=on in its URL")
	case t.Plain && t.Roots != nil:
		return errors.New("certificates are for TLS: say tls=on in the engine's URL")
	}
	_, err := t.authorization()
	return err
}

// patience is the time for which a request that finds no coordinator is repeated. A restarted coordinator has forgotten the statement.
const patience = 5 * time.Second

// longest limits statements whose context has no deadline. Trino's client would end them after ten hours.
const longest = 30 * 24 * time.Hour

// config returns the target for Trino's client, without secrets: transport adds them to requests.
func (t *Target) config() (*trino.Config, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	scheme := "https"
	if t.Plain {
		scheme = "http"
	}
	retry, most := patience, longest
	return &trino.Config{
		ServerURI:           (&url.URL{Scheme: scheme, User: url.User(t.User), Host: t.Host}).String(),
		Source:              "anonsql",
		Catalog:             t.Catalog,
		TimeZone:            "UTC",
		SessionProperties:   t.Session,
		QueryTimeout:        &most,
		RequestRetryTimeout: &retry,
		HTTPClient:          &http.Client{Transport: t.transport()},
	}, nil
}

func (t *Target) transport() *transport {
	under := http.DefaultTransport.(*http.Transport).Clone()
	under.Proxy = nil // connect directly to the URL's host
	under.DialContext = (&net.Dialer{Timeout: patience}).DialContext
	under.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: t.Roots}
	return &transport{target: t, under: under}
}
