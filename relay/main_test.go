package relay

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	dbsql "database/sql"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/mariadbtest"
)

// The suite shares one MariaDB with accounts and TLS; who ends its server starts one of their own.
var (
	certificates string // a directory
	shared       = sync.OnceValues(func() (*mariadbtest.Server, error) { return mariadbtest.Launch(options()) })
	started      atomic.Bool
)

func options() mariadbtest.Options {
	return mariadbtest.Options{Arguments: []string{"--ssl-cert=" + filepath.Join(certificates, "certificate"), "--ssl-key=" + filepath.Join(certificates, "key"),
		"--plugin-load-add=auth_ed25519", "--local-infile=1", "--max-allowed-packet=64M", "--max-connections=400"}}
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	var err error
	if certificates, err = os.MkdirTemp("", "anonsql-relay-*"); err != nil {
		panic(err)
	}
	defer os.RemoveAll(certificates)
	writeCertificate()
	defer func() {
		if started.Load() {
			if s, err := shared(); err == nil {
				s.Kill()
			}
		}
	}()
	return m.Run()
}

// writeCertificate creates a self-signed certificate for 127.0.0.1.
func writeCertificate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "relay test"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		panic(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	for name, block := range map[string]*pem.Block{"certificate": {Type: "CERTIFICATE", Bytes: der}, "key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(certificates, name), pem.EncodeToMemory(block), 0o600); err != nil {
			panic(err)
		}
	}
}

// serverTLS shows the test's certificate, and trusting believes it.
func serverTLS(t testing.TB) *tls.Config {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(certificates, "certificate"), filepath.Join(certificates, "key"))
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}
}

func trusting(t testing.TB) *tls.Config {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(certificates, "certificate"))
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return &tls.Config{RootCAs: pool}
}

// mariaDB is the shared server.
func mariaDB(t testing.TB) *mariadbtest.Server {
	t.Helper()
	started.Store(true)
	s, err := shared()
	mariadbtest.Need(t, err)
	return s
}

// startRelay relays to a TCP address and returns its own. At the end of the test it must leave nothing behind.
func startRelay(t testing.TB, upstream string, change func(*Config)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serveRelay(t, upstream, listener, change)
	return listener.Addr().String()
}

func serveRelay(t testing.TB, upstream string, listener net.Listener, change func(*Config)) {
	t.Helper()
	config := Config{Network: "tcp", Address: upstream, LoginTimeout: patience}
	if change != nil {
		change(&config)
	}
	r, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	live.Add(1)
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- r.Serve(ctx, listener) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-served:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Errorf("the relay does not end:\n%s", stacks())
		}
		if live.Add(-1) == 0 {
			eventually(t, "no goroutine of the relay is left", func() bool { return relaying() == 0 })
		}
	})
}

var live atomic.Int32 // relays of this test that serve

// patience bounds every wait; a test that hangs fails.
const patience = time.Minute

func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s\n%s", patience, what, stacks())
		}
	}
}

func stacks() string {
	p := make([]byte, 1<<20)
	return string(p[:runtime.Stack(p, true)])
}

// relaying counts the goroutines that run a session.
func relaying() int {
	n := 0
	for _, stack := range bytes.Split([]byte(stacks()), []byte("\n\n")) {
		if strings.Contains(string(stack), "relay.(*Session)") || strings.Contains(string(stack), "relay.(*Relay)") {
			n++
		}
	}
	return n
}

// open connects go-sql-driver to an address as an account.
func open(t testing.TB, address, account, password string, change func(*mysql.Config)) *dbsql.DB {
	t.Helper()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.Logger = "tcp", address, account, password, &mysql.NopLogger{}
	if change != nil {
		change(config)
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := dbsql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t testing.TB, db *dbsql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(context.Background(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
