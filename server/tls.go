package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/anonsql/anonsql/catalog/directory"
)

// The files of a self-made certificate in the data directory.
const (
	selfSignedCert = "tls-cert.pem"
	selfSignedKey  = "tls-key.pem"
)

// selfSignedLife is long, because clients that trust the certificate itself must be
// reconfigured for a new one.
const selfSignedLife = 10 * 365 * 24 * time.Hour

// encrypts reports whether clients can connect by TLS.
func (c Config) encrypts() bool { return c.TLSCert != "" || c.TLSSelfSigned }

// withTLS sets the defaults for an address that other machines can reach.
func (c Config) withTLS() Config {
	if c.exposedAt() != "" {
		c.TLSSelfSigned = c.TLSSelfSigned || c.TLSCert == ""
	}
	if c.exposed() {
		c.RequireTLS = !c.AllowPlaintext
	}
	return c
}

// tls returns nil without a certificate.
func (c Config) tls() (*tls.Config, error) {
	cert, key := c.TLSCert, c.TLSKey
	if c.TLSSelfSigned {
		cert, key = filepath.Join(c.DataDir, selfSignedCert), filepath.Join(c.DataDir, selfSignedKey)
		if err := c.ensureSelfSigned(cert, key); err != nil {
			return nil, err
		}
	}
	if cert == "" {
		return nil, nil
	}
	pair, err := loadCertificate(cert, key)
	if err != nil {
		return nil, err
	}
	c.describe(pair.Leaf, cert, key)
	return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
}

// loadCertificate reads a certificate and its key, and refuses a certificate that no
// client would accept.
func loadCertificate(cert, key string) (tls.Certificate, error) {
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return pair, fmt.Errorf("cannot use the TLS certificate %s with the key %s: %w: "+
			"both must be PEM files, the certificate (with its chain) in the first and its private key in the second", cert, key, err)
	}
	now := time.Now()
	switch leaf := pair.Leaf; {
	case now.After(leaf.NotAfter):
		return pair, fmt.Errorf("the TLS certificate %s expired on %s: replace it by a valid one (one that --tls-self-signed made "+
			"is made again when you delete it and its key)", cert, leaf.NotAfter.UTC().Format(time.DateTime))
	case now.Before(leaf.NotBefore):
		return pair, fmt.Errorf("the TLS certificate %s is valid from %s only: check the clock of this machine, or replace the certificate",
			cert, leaf.NotBefore.UTC().Format(time.DateTime))
	}
	return pair, nil
}

// describe logs the certificate's fingerprint, and warns of problems.
func (c Config) describe(leaf *x509.Certificate, cert, key string) {
	c.Logger.Info("TLS", "certificate", cert, "sha256", fingerprint(leaf.Raw), "until", leaf.NotAfter.UTC().Format(time.DateOnly),
		"names", strings.Join(certificateNames(leaf), ","))
	if left := time.Until(leaf.NotAfter); left < 30*24*time.Hour {
		c.Logger.Warn("the TLS certificate expires soon", "certificate", cert, "until", leaf.NotAfter.UTC().Format(time.DateTime))
	}
	if mode, err := os.Stat(key); err == nil && mode.Mode().Perm()&0o077 != 0 {
		c.Logger.Warn("others can read the TLS key: chmod 600 it", "key", key, "mode", mode.Mode().Perm().String())
	}
	if !c.TLSSelfSigned {
		return
	}
	for _, host := range c.hosts() {
		if leaf.VerifyHostname(host) != nil {
			c.Logger.Warn("the TLS certificate does not have a name of this server: delete it and its key to have others made",
				"certificate", cert, "name", host)
		}
	}
}

// fingerprint has the form of openssl x509 -fingerprint -sha256.
func fingerprint(der []byte) string {
	sum := sha256.Sum256(der)
	pairs := make([]string, len(sum))
	for i, b := range sum {
		pairs[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(pairs, ":")
}

func certificateNames(c *x509.Certificate) []string {
	names := append([]string(nil), c.DNSNames...)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	return names
}

// hosts are the names under which clients may reach the server: the machine's name, the
// listening addresses, and the loopback interface.
func (c Config) hosts() []string {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil && name != "" {
		hosts = append(hosts, name)
	}
	for _, address := range []string{c.Listen, c.BesideListen} {
		host, _, err := net.SplitHostPort(address)
		if ip := net.ParseIP(host); err == nil && host != "" && !slices.Contains(hosts, host) && (ip == nil || !ip.IsUnspecified()) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// ensureSelfSigned makes a certificate and its key unless both exist. The data
// directory is locked, so no other process does so at the same time.
func (c Config) ensureSelfSigned(cert, key string) error {
	_, noCert := os.Stat(cert)
	_, noKey := os.Stat(key)
	switch {
	case noCert == nil && noKey == nil:
		return nil
	case errors.Is(noCert, fs.ErrNotExist) && errors.Is(noKey, fs.ErrNotExist):
	case errors.Is(noCert, fs.ErrNotExist) && noKey == nil:
		// The key is written first, so an earlier start was interrupted.
		if err := os.Remove(key); err != nil {
			return fmt.Errorf("cannot make a TLS certificate: %w", err)
		}
	default:
		return fmt.Errorf("cannot use the self-made TLS certificate %s with the key %s: %w: delete both to have others made",
			cert, key, errors.Join(noCert, noKey))
	}
	certDER, keyDER, err := selfSign(c.hosts())
	if err != nil {
		return fmt.Errorf("cannot make a TLS certificate: %w", err)
	}
	if err := writePEM(key, "PRIVATE KEY", keyDER, 0o600); err != nil {
		return err
	}
	return writePEM(cert, "CERTIFICATE", certDER, 0o644)
}

// selfSign makes an ECDSA key and a certificate that is its own authority (--ssl-ca);
// it returns DER.
func selfSign(hosts []string) (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "anonsql", SerialNumber: serial.Text(16)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(selfSignedLife),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IsCA: true, BasicConstraintsValid: true,
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	if cert, err = x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private); err != nil {
		return nil, nil, err
	}
	key, err = x509.MarshalPKCS8PrivateKey(private)
	return cert, key, err
}

// writePEM writes the file atomically.
func writePEM(path, kind string, der []byte, mode os.FileMode) error {
	unfinished := path + ".new"
	err := os.WriteFile(unfinished, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), mode)
	if err == nil {
		err = os.Chmod(unfinished, mode) // an old file keeps its mode
	}
	if err == nil {
		err = directory.Finish(unfinished, path)
	}
	if err != nil {
		return fmt.Errorf("cannot write the TLS file %s: %w", path, err)
	}
	return nil
}
