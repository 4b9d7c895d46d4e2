package console

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// A fakeSocket is of an address, and remembers that it was closed.
type fakeSocket struct {
	net.Conn
	from   string
	closed bool
}

func (f *fakeSocket) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(f.from), 1))
}

func (f *fakeSocket) Close() error {
	f.closed = true
	return nil
}

// Of one address the oldest socket that waits gives way, or the newest where all are busy; others, and the loopback interface, are left alone.
func TestCrowd(t *testing.T) {
	c := newCrowd()
	arrive := func(from string, state http.ConnState) *fakeSocket {
		s := &fakeSocket{from: from}
		c.state(s, http.StateNew)
		c.state(s, state)
		return s
	}
	other := arrive("10.0.0.2", http.StateIdle)
	busy, idle := arrive("10.0.0.1", http.StateActive), arrive("10.0.0.1", http.StateIdle)
	var sockets []*fakeSocket
	for range maxPerAddress - 2 {
		sockets = append(sockets, arrive("10.0.0.1", http.StateActive))
	}
	if idle.closed {
		t.Fatal("a socket was closed too early")
	}
	late := arrive("10.0.0.1", http.StateActive)
	if !idle.closed || late.closed {
		t.Errorf("the one that waited is closed: %v; the newest: %v", idle.closed, late.closed)
	}
	if last := arrive("10.0.0.1", http.StateNew); !last.closed || busy.closed || other.closed {
		t.Error("where all are busy the newest has to go")
	}
	c.state(sockets[0], http.StateClosed)
	if last := arrive("10.0.0.1", http.StateNew); last.closed {
		t.Error("one that has gone is still counted")
	}
	here := arrive("127.0.0.1", http.StateIdle)
	for len(c.sockets) < maxSockets {
		if s := arrive("::1", http.StateActive); s.closed {
			t.Fatal("a socket of this machine was closed")
		}
	}
	if arrive("::1", http.StateActive); !here.closed && !other.closed && len(c.sockets) > maxSockets {
		t.Errorf("there are %d sockets", len(c.sockets))
	}
}

// Four passwords of one address are tried at once, of others as well.
func TestTriesOfOneAddress(t *testing.T) {
	c := newCrowd()
	one, two := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("10.0.0.2")
	var done func()
	for range maxTryingPerAddress {
		var ok bool
		if done, ok = c.tries(one); !ok {
			t.Fatal("refused too early")
		}
	}
	if _, ok := c.tries(one); ok {
		t.Error("a fifth is tried")
	}
	if _, ok := c.tries(two); !ok {
		t.Error("another address has to wait")
	}
	done()
	if _, ok := c.tries(one); !ok {
		t.Error("a place that is free is not given")
	}
}

// A session is for the address that it began at; addresses of the loopback interface are one.
func TestSessionsStayWhereTheyBegan(t *testing.T) {
	all := newSessions(nil, nil)
	s := newSession(t, all, "a")
	s.from = addressOf("10.0.0.1:1")
	if err := all.add(s); err != nil {
		t.Fatal(err)
	}
	for from, found := range map[string]bool{"10.0.0.1:2": true, "[::ffff:10.0.0.1]:3": true, "10.0.0.2:1": false, "127.0.0.1:1": false} {
		if (all.find(s.id, addressOf(from)) != nil) != found {
			t.Errorf("from %s: not %v", from, found)
		}
	}
	if addressOf("[::1]:1") != addressOf("127.0.0.2:1") {
		t.Error("the loopback interface has several addresses")
	}
}

// HSTS is said where somebody else has signed the certificate. Beyond loopback the Host is a name in it, one that was given, or the address that was connected to.
func TestHostsOfACertificate(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	made := func(issuer string) *x509.Certificate {
		of := func(name string) *x509.Certificate {
			return &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{"db.example", "*.wide.example"}}
		}
		der, err := x509.CreateCertificate(rand.Reader, of("anonsql"), of(issuer), &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		certificate, err := x509.ParseCertificate(der)
		if err != nil {
			t.Fatal(err)
		}
		return certificate
	}
	if !selfMade(made("anonsql")) || selfMade(made("an authority")) {
		t.Error("who has signed is not seen")
	}
	c := &console{port: "8080", secure: made("an authority"), hosts: []string{"given.example", "public.example:443"}}
	for host, own := range map[string]bool{"db.example:8080": true, "a.wide.example:8080": true, "given.example": true, "given.example:9": true, "public.example": true,
		"192.0.2.7:8080": true, "db.example": false, "192.0.2.8:8080": false, "public.example:8080": false, "evil.example:8080": false, "localhost:8080": false} {
		r := (&http.Request{Host: host}).WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP("192.0.2.7"), Port: 8080})))
		if c.ownHost(r) != own {
			t.Errorf("%s: not %v", host, own)
		}
	}
}

// On a loopback interface the Host is its name, or the address that was connected to.
func TestHostsOnLoopback(t *testing.T) {
	c := &console{port: "8080"}
	for host, own := range map[string]bool{"127.0.0.2:8080": true, "127.0.0.1:8080": true, "localhost:8080": true, "[::1]:8080": true,
		"127.0.0.3:8080": false, "127.0.0.2:9": false, "evil.example:8080": false} {
		r := (&http.Request{Host: host}).WithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.ParseIP("127.0.0.2"), Port: 8080})))
		if c.ownHost(r) != own {
			t.Errorf("%s: not %v", host, own)
		}
	}
}

// A link to a question stays in the form to sign in, and nothing but pages of the console does.
func TestLinksPassTheSignIn(t *testing.T) {
	c := &console{sessions: newSessions(nil, nil)}
	answer := httptest.NewRecorder()
	c.signedIn(c.askForm).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/ask?statement=SELECT+1", nil))
	if page := answer.Body.String(); !strings.Contains(page, `name="to" value="/ask?statement=SELECT+1"`) && !strings.Contains(page, `name="to" value="/ask?statement=SELECT&#43;1"`) {
		t.Errorf("status %d, the form is %s", answer.Code, page)
	}
	for _, to := range []string{"", "/", "//evil.example/ask?", "https://evil.example/ask?a=1", "/askew?", "/sign-out?a=1"} {
		if destination(to) != "" {
			t.Errorf("signing in leads to %q", to)
		}
	}
}

// What is sent to the fields or as a file after the session's end is answered, not forgotten.
func TestAfterTheSession(t *testing.T) {
	c := &console{sessions: newSessions(nil, nil)}
	for path, h := range map[string]http.Handler{"/ask/compose": c.signedIn(c.compose), uploadPath: http.HandlerFunc(c.upload)} {
		r := httptest.NewRequest(http.MethodPost, path, nil)
		r.PostForm = url.Values{"statement": {"SELECT 4711"}}
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, r)
		page := answer.Body.String()
		if answer.Code != http.StatusUnauthorized || !strings.Contains(page, "Your session has ended") || strings.Contains(page, "SELECT 4711") != (path != uploadPath) {
			t.Errorf("%s: status %d, %s", path, answer.Code, page)
		}
	}
}
