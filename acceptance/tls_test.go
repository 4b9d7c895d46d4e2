package acceptance

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
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

// certificate writes a self-signed certificate for the name test and its key.
func certificate(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	files := certificateUntil(t, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	return files[0], files[1], poolOf(t, files[0])
}

// certificateUntil writes a certificate, with the given remaining validity, and its key.
func certificateUntil(t *testing.T, from, until time.Time) [2]string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: from, NotAfter: until,
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
	return [2]string{write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)}
}

func TestTLS(t *testing.T) {
	t.Parallel()
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

// poolOf trusts the certificate in a PEM file.
func poolOf(t *testing.T, file string) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("%s is no certificate", file)
	}
	return pool
}

// The server creates its certificate once, protects the key, and logs the fingerprint; clients can verify it.
func TestSelfSigned(t *testing.T) {
	t.Parallel()
	s, secure := selfSigned(t, server.Config{})
	cert, key := filepath.Join(s.Config.DataDir, "tls-cert.pem"), filepath.Join(s.Config.DataDir, "tls-key.pem")
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's mode is %v, %v", info.Mode(), err)
	}
	before, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(before)
	leaf, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := leaf.PublicKey.(*ecdsa.PublicKey); !ok {
		t.Errorf("the key is %T", leaf.PublicKey)
	}
	for _, host := range []string{"localhost", "127.0.0.1", "::1"} {
		if err := leaf.VerifyHostname(host); err != nil {
			t.Error(err)
		}
	}
	sum := sha256.Sum256(block.Bytes)
	if want := fmt.Sprintf("sha256=%02X:%02X:", sum[0], sum[1]); !strings.Contains(s.Log(), want) {
		t.Errorf("the log has no fingerprint %s...:\n%s", want, s.Log())
	}
	account := servertest.Root
	account.TLS = secure
	one[int](t, s.Open(t, account), "SELECT 1")
	s.Stop(t)
	s = servertest.Start(t, s.Config)
	if after, err := os.ReadFile(cert); err != nil || string(after) != string(before) {
		t.Errorf("another certificate was made: %v", err)
	}
	one[int](t, s.Open(t, account), "SELECT 1")
	s.Stop(t)
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	if err := server.Run(t.Context(), s.Config); err == nil || !strings.Contains(err.Error(), "delete both") {
		t.Errorf("without the key: %v", err)
	}
	// A first start that was interrupted before it wrote the certificate.
	if err := os.Rename(cert, key); err != nil {
		t.Fatal(err)
	}
	servertest.Start(t, s.Config)
}

// A start with a certificate that no client would accept is refused.
func TestCertificateIsChecked(t *testing.T) {
	t.Parallel()
	cert, key, _ := certificate(t)
	_, otherKey, _ := certificate(t)
	valid := certificateUntil(t, time.Now().Add(-2*time.Hour), time.Now().Add(-time.Hour))
	future := certificateUntil(t, time.Now().Add(time.Hour), time.Now().Add(2*time.Hour))
	for name, c := range map[string]struct{ cert, key, want string }{
		"expired":       {valid[0], valid[1], "expired on"},
		"not yet valid": {future[0], future[1], "valid from"},
		"other key":     {cert, otherKey, "private key does not match"},
		"swapped":       {key, cert, "the certificate (with its chain) in the first"},
		"no file":       {cert, "missing", "no such file"},
	} {
		err := server.Run(t.Context(), server.Config{DataDir: t.TempDir(), Listen: "127.0.0.1:0", TLSCert: c.cert, TLSKey: c.key})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.cert) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
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
		{server.Config{DataDir: "x", TLSSelfSigned: true, TLSCert: "c", TLSKey: "k"}, "not both"},
		{server.Config{DataDir: t.TempDir(), Listen: "127.0.0.1:0", MetricsListen: "nowhere"}, "address for metrics"},
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

// Two servers of one process serve separate data, and neither can open the other's directory.
func TestTwoServers(t *testing.T) {
	t.Parallel()
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
