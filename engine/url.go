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

// A Target says how the engine is reached.
type Target struct {
	// User is whom statements run as. Required.
	User string
	// Host is host:port of the coordinator. Required.
	Host string
	// Catalog is the engine's catalog whose schemas have the raw tables. Required.
	Catalog string
	// Plain is that requests are not encrypted. Defaults to TLS.
	Plain bool
	// Roots are whom the coordinator's certificate must be signed by. Defaults to the system's.
	Roots *x509.CertPool
	// PasswordFile and TokenFile hold the user's password, or a JSON web token, on their first line. Either may be given, with TLS.
	PasswordFile, TokenFile string
	// Session are the engine's session properties of every statement, such as retry_policy. May be nil.
	Session map[string]string
}

// ParseURL reads trino://user@host:port/catalog?tls=on. TLS is on unless the engine is on this machine; the port is 8443 with TLS and
// 8080 without.
func ParseURL(text string) (*Target, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is no URL, must be trino://user@host:port/catalog") // url's error may have a password in it
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

// isLocal tells this machine's loopback interface.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Address is host:port, as errors name the engine.
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

// check says what is wrong with a target.
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

// patience is how long a request is repeated that found no coordinator. One that starts again has forgotten the statement.
const patience = 5 * time.Second

// longest is how long a statement may run whose context has no deadline. Trino's client would end it after ten hours.
const longest = 30 * 24 * time.Hour

// config is the target as Trino's client takes it. It has no secret: those are added to requests (transport).
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
	under.Proxy = nil // the engine is where the URL says
	under.DialContext = (&net.Dialer{Timeout: patience}).DialContext
	under.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: t.Roots}
	return &transport{target: t, under: under}
}
