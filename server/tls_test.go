package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// certificate writes a self-signed certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"test"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, bytes []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(parsed)
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret), pool
}

func TestTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	s := servertest.Start(t, server.Config{TLSCert: cert, TLSKey: key, RequireTLS: true})
	if err := mysql.RegisterTLSConfig("anonsql-test", &tls.Config{RootCAs: pool, ServerName: "test"}); err != nil {
		t.Fatal(err)
	}
	secure := servertest.Root
	secure.TLS = "anonsql-test"
	db := s.Open(t, secure)
	servertest.Exec(t, db, "CREATE USER sha IDENTIFIED WITH caching_sha2_password BY 'long secret'")
	if one[int](t, db, "SELECT 1") != 1 {
		t.Error("no answer over TLS")
	}
	if one[int](t, s.Open(t, servertest.Account{User: "sha", Password: "long secret", TLS: "anonsql-test"}), "SELECT 1") != 1 {
		t.Error("no answer for caching_sha2_password over TLS")
	}
	if err := s.Open(t, servertest.Root).Ping(); err == nil {
		t.Error("a connection without TLS was let in")
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []struct {
		config server.Config
		want   string
	}{
		{server.Config{}, "data directory"},
		{server.Config{DataDir: "x", TLSCert: "c"}, "TLS"},
		{server.Config{DataDir: "x", RequireTLS: true}, "TLS is required"},
		{server.Config{DataDir: "x", MaxConnections: -1}, "connections is -1"},
		{server.Config{DataDir: t.TempDir(), Listen: "nowhere"}, "host:port"},
		{server.Config{DataDir: t.TempDir(), Listen: "127.0.0.1:0", TLSCert: "missing", TLSKey: "missing"}, "missing"},
	} {
		err := server.Run(t.Context(), c.config)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want a message with %q", c.config, err, c.want)
		}
	}
}

// Two servers of one process keep apart what they serve, and the directory
// of one cannot be opened by the other.
func TestTwoServers(t *testing.T) {
	extended := servertest.Start(t, server.Config{Extend: withPublished})
	plain := servertest.Start(t, server.Config{})
	servertest.Exec(t, extended.Open(t, servertest.Root), "CREATE DATABASE only_here")
	if got := all(t, plain.Open(t, servertest.Root), "SHOW DATABASES"); strings.Contains(got, "only_here") || strings.Contains(got, "published") {
		t.Errorf("the second server shows\n%s", got)
	}
	_, err := plain.Open(t, servertest.Root).Exec("SELECT test_can_read('a', 'b')")
	number(t, err, 1305)
	config := plain.Config
	if err := server.Run(t.Context(), config); err == nil || !strings.Contains(err.Error(), config.DataDir) {
		t.Errorf("a directory was opened twice, or the error does not name it: %v", err)
	}
}
