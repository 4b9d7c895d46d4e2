package enginetest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Secrets are what a client of a cluster with TLS needs. The certificate is of 127.0.0.1, and the coordinator listens on every address of this machine.
type Secrets struct {
	// CA is the file of the certificate that signs the coordinator's.
	CA string
	// Password is that of the cluster's user, and PasswordFile has it.
	Password, PasswordFile string

	directory string
	port      int
	key       *rsa.PrivateKey // signs tokens
}

// Names of files in the directory of Secrets.
const (
	authority = "ca.pem"
	server    = "server.pem"
	passwords = "passwords"
	tokens    = "tokens.pem"
)

// Secrets are those of a cluster that was launched with Secure.
func (c *Cluster) Secrets() *Secrets { return c.secrets }

// secure makes secrets, and has clients come by TLS.
func (c *Cluster) secure() (err error) {
	directory := filepath.Join(c.root, "secrets")
	if err := os.MkdirAll(directory, 0o700); err != nil {
		return err
	}
	s := &Secrets{directory: directory, Password: "Kennwort " + rand.Text()}
	s.CA, s.PasswordFile = s.path(authority), s.path("password")
	if s.port, err = freePort(); err != nil {
		return err
	}
	for _, step := range []func() error{s.makeCertificates, s.makePasswords, s.makeKey} {
		if err := step(); err != nil {
			return err
		}
	}
	c.secrets = s
	c.URL = "trino://anonsql@" + net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)) + "/iceberg?tls=on"
	c.installed, err = c.installed.withPlugins("password-authenticators", filepath.Join(c.root, "plugin"))
	return err
}

func (s *Secrets) path(name string) string { return filepath.Join(s.directory, name) }

func (s *Secrets) write(name string, text []byte) error {
	return os.WriteFile(s.path(name), text, 0o600)
}

// settings are the coordinator's. What is within the cluster goes without TLS, with a secret of its own.
func (s *Secrets) settings() []string {
	return []string{
		"http-server.https.enabled=true",
		fmt.Sprintf("http-server.https.port=%d", s.port),
		"http-server.https.keystore.path=" + s.path(server),
		"http-server.authentication.type=PASSWORD,JWT",
		"http-server.authentication.jwt.key-file=" + s.path(tokens),
		"internal-communication.shared-secret=" + rand.Text(),
	}
}

// makeCertificates writes a certificate that signs, and the coordinator's with its key.
func (s *Secrets) makeCertificates() error {
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	root := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "enginetest"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "coordinator"}, NotBefore: root.NotBefore, NotAfter: root.NotAfter,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	signed, err := x509.CreateCertificate(rand.Reader, root, root, signer.Public(), signer)
	if err != nil {
		return err
	}
	certificate, err := x509.CreateCertificate(rand.Reader, leaf, root, key.Public(), signer)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := s.write(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})); err != nil {
		return err
	}
	return s.write(
		server,
		append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})...),
	)
}

// makePasswords writes the password for the client, and its hash for the engine: iterations, salt and PBKDF2 (RFC 8018) with SHA-1, as the engine has it.
func (s *Secrets) makePasswords() error {
	const iterations = 1000 // the engine takes no fewer
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return err
	}
	hash, err := pbkdf2.Key(sha1.New, s.Password, salt, iterations, 32)
	if err != nil {
		return err
	}
	if err := s.write("password", []byte(s.Password+"\n")); err != nil {
		return err
	}
	return s.write(passwords, fmt.Appendf(nil, "anonsql:%d:%s:%s\n", iterations, hex.EncodeToString(salt), hex.EncodeToString(hash)))
}

// makeKey makes the key that signs tokens, and writes the part of it by which the engine tells them.
func (s *Secrets) makeKey() (err error) {
	if s.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(s.key.Public())
	if err != nil {
		return err
	}
	return s.write(tokens, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}))
}

// Token is a JSON web token of a user, signed as RS256 (RFC 7519), that ends at a moment.
func (s *Secrets) Token(user string, ends time.Time) (string, error) {
	claims, err := json.Marshal(map[string]any{"sub": user, "exp": ends.Unix()})
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, digest[:])
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), err
}
