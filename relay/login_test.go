package relay

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/relay/protocol"
)

// sides are the combinations of TLS that New accepts.
var sides = map[string]struct {
	upstream, client, required bool
	unix                       bool
}{
	"plain":                              {},
	"TLS upstream":                       {upstream: true},
	"TLS on both sides":                  {upstream: true, client: true},
	"TLS, required":                      {upstream: true, client: true, required: true},
	"TLS to a client, a socket upstream": {client: true, unix: true},
}

// Every plugin logs in over every combination, as direct, and a wrong password is upstream's error.
func TestLogin(t *testing.T) {
	server := mariaDB(t)
	direct := open(t, server.Address, "root", "", nil)
	exec(t, direct, "CREATE OR REPLACE USER native IDENTIFIED VIA mysql_native_password USING PASSWORD('sesame')",
		"CREATE OR REPLACE USER ed IDENTIFIED VIA ed25519 USING PASSWORD('sesame')", "CREATE OR REPLACE USER secure IDENTIFIED BY 'sesame' REQUIRE SSL")
	for name, side := range sides {
		t.Run(name, func(t *testing.T) {
			upstream := server.Address
			address := startRelay(t, upstream, func(c *Config) {
				if side.unix {
					c.Network, c.Address = "unix", server.Socket
				}
				if side.upstream {
					c.UpstreamTLS = trusting(t)
				}
				if side.client {
					c.ClientTLS, c.RequireTLS = serverTLS(t), side.required
				}
			})
			for _, account := range []string{"native", "ed", "secure"} {
				for _, secured := range []bool{false, true} {
					for _, password := range []string{"sesame", "wrong", ""} {
						want := uint16(0)
						switch {
						case secured && !side.client:
							continue
						case side.required && !secured:
							want = 3159
						case password != "sesame", account == "secure" && !side.upstream:
							want = 1045
						}
						if got := logIn(t, address, account, password, secured); got != want {
							t.Errorf("account %s, password %q, client's TLS %v: error %d, must be %d", account, password, secured, got, want)
						}
					}
				}
			}
		})
	}
}

// logIn returns the number of the error, or 0. The driver takes a zero at the end of a nonce for its end, and finds that a nonce of ed25519, 32
// random bytes, is too short, one time in 256: then it logs in again.
func logIn(t *testing.T, address, account, password string, secured bool) uint16 {
	t.Helper()
	number, err := tryLogin(t, address, account, password, secured)
	for again := 0; account == "ed" && errors.Is(err, mysql.ErrMalformPkt) && again < 5; again++ {
		number, err = tryLogin(t, address, account, password, secured)
	}
	if err != nil {
		t.Errorf("account %s: %v", account, err)
	}
	return number
}

// tryLogin returns the number of upstream's error, or 0, and any other error.
func tryLogin(t *testing.T, address, account, password string, secured bool) (uint16, error) {
	t.Helper()
	db := open(t, address, account, password, func(c *mysql.Config) {
		if secured {
			c.TLS = trusting(t)
			c.TLS.ServerName = "127.0.0.1"
		}
	})
	defer db.Close()
	var who string
	err := db.QueryRow("SELECT USER()").Scan(&who)
	var number *mysql.MySQLError
	switch {
	case errors.As(err, &number):
		return number.Number, nil
	case err != nil:
		return 0, err
	case !strings.HasPrefix(who, account+"@"):
		t.Errorf("account %s is %s", account, who)
	}
	return 0, nil
}

// An untrusted certificate and an upstream without TLS are errors: nothing continues in plain text.
func TestUpstreamTLSIsNoWish(t *testing.T) {
	plain := fake(t, func(c net.Conn) { _ = letIn(c) })
	for want, c := range map[string]Config{
		"certificate": {Address: mariaDB(t).Address, UpstreamTLS: &tls.Config{}},
		"has no TLS":  {Address: plain, UpstreamTLS: &tls.Config{InsecureSkipVerify: true}},
	} {
		address := startRelay(t, c.Address, func(to *Config) { to.UpstreamTLS = c.UpstreamTLS })
		var number *mysql.MySQLError
		err := open(t, address, "root", "", nil).Ping()
		if !errors.As(err, &number) || number.Number != 1429 || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, must be error 2026 and say %q", err, want)
		}
	}
	unverified := startRelay(t, mariaDB(t).Address, func(c *Config) { c.UpstreamTLS = &tls.Config{InsecureSkipVerify: true} })
	if err := open(t, unverified, "root", "", nil).Ping(); err != nil {
		t.Errorf("without verification: %v", err)
	}
}

// A client that requests TLS that was not offered, or speaks another protocol, gets an error.
func TestBadLogins(t *testing.T) {
	address := startRelay(t, mariaDB(t).Address, nil)
	request := make([]byte, 32)
	binary.LittleEndian.PutUint32(request, uint32(everything|protocol.TLS))
	for name, login := range map[string][]byte{"TLS": request, "short": []byte("short"), "old": make([]byte, 40), "no end": append(request[:32:32], "root"...)} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		w := &wire{t: t, conn: conn}
		w.packet()
		w.send(1, login)
		if p := w.packet(); p[0] != 0xff || binary.LittleEndian.Uint16(p[1:]) != 1043 {
			t.Errorf("%s: %q, must be error 1043", name, p)
		}
	}
}

// A login is bounded, and a command is not read before the login is accepted.
func TestNobodyUnknownFillsMemory(t *testing.T) {
	address := startRelay(t, fake(t, func(c net.Conn) { _ = letIn(c) }), func(c *Config) { c.LoginTimeout = time.Hour })
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := &wire{t: t, conn: conn}
	w.packet()
	if _, err := conn.Write([]byte{1, 0, 2, 1}); err != nil { // of 128 KiB and a byte
		t.Fatal(err)
	}
	if _, _, err := w.read(); !errors.Is(err, io.EOF) {
		t.Errorf("the client that announces a long login reads %v", err)
	}
	s := &Session{denied: true, relay: &Relay{config: Config{LongestRouted: 1 << 20}}}
	s.changed = sync.NewCond(&s.mu)
	in := &inbound{bytes: []byte{0, 0, 16, 0, byte(protocol.Query)}} // the beginning of 1 MiB
	if err := s.read(in); !errors.Is(err, ErrLeft) {
		t.Errorf("the beginning of a command is read without a login: %v", err)
	}
}

// What is not followed is not offered, and not passed on from clients that choose it all the same.
func TestHiddenFlags(t *testing.T) {
	chosen := make(chan protocol.Capabilities, 1)
	upstream := fake(t, func(c net.Conn) {
		_, _ = c.Write(frame(0, greeting(everything|protocol.LongPassword|protocol.Hidden&(1<<32-1), "mysql_native_password")))
		if p, _, err := protocol.ReadPacket(c, longestLogin); err == nil {
			l, _ := protocol.ParseLogin(p)
			chosen <- l.Capabilities
		}
	})
	conn, err := net.Dial("tcp", startRelay(t, upstream, nil))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	w := &wire{t: t, conn: conn}
	g, err := protocol.ParseGreeting(w.packet())
	if err != nil || g.Capabilities&protocol.Hidden != 0 || g.Capabilities&everything != everything {
		t.Errorf("the greeting offers %#x, %v", g.Capabilities, err)
	}
	if g.Version != "8.0.36" || g.Thread != 7 {
		t.Errorf("the greeting says %q, %d", g.Version, g.Thread)
	}
	login := binary.LittleEndian.AppendUint32(nil, uint32(everything|protocol.LongPassword|protocol.QueryAttributes|protocol.OptionalMetadata))
	w.send(1, append(login, append(make([]byte, 28), "root\x00\x00mysql_native_password\x00"...)...))
	if got := <-chosen; got != everything|protocol.LongPassword {
		t.Errorf("upstream is asked for %#x", got)
	}
}

// cachingSHA2 is an upstream with one account, whose password it has seen before or not. Without TLS it reads what a client
// sends in the clear only on a Unix socket, as MySQL 8.
func cachingSHA2(t *testing.T, c net.Conn, seen bool, passwords chan<- string) error {
	if _, err := c.Write(frame(0, greeting(everything|protocol.LongPassword|protocol.TLS, "caching_sha2_password"))); err != nil {
		return err
	}
	packet, sequence, err := protocol.ReadPacket(c, longestLogin)
	if err != nil {
		return err
	}
	if l, _ := protocol.ParseLogin(packet); l.Request {
		secured := tls.Server(c, serverTLS(t))
		c = secured
		if packet, sequence, err = protocol.ReadPacket(c, longestLogin); err != nil {
			return err
		}
	}
	if !bytes.Contains(packet, scrambled("sesame")) {
		_, err = c.Write(frame(sequence+1, protocol.Error(1045, "28000", "wrong", everything)))
		return err
	}
	if seen {
		out := append(frame(sequence+1, []byte{1, 3}), frame(sequence+2, protocol.OK(2))...)
		_, err = c.Write(out)
	} else {
		if _, err = c.Write(frame(sequence+1, []byte{1, 4})); err != nil {
			return err
		}
		var clear []byte
		if clear, sequence, err = protocol.ReadPacket(c, 1000); err != nil {
			return err
		}
		if string(clear) == "\x02" { // the client requests the key with which it encrypts without TLS
			if clear, sequence, err = encryptedPassword(c, sequence); err != nil {
				return err
			}
		}
		if len(clear) == 0 { // from the relay
			_, err = c.Write(frame(sequence+1, protocol.Error(1045, "28000", "wrong", everything)))
			return err
		}
		passwords <- string(clear)
		_, err = c.Write(frame(sequence+1, protocol.OK(2)))
	}
	if err != nil {
		return err
	}
	_, _, err = protocol.ReadPacket(c, 1000) // COM_PING or COM_QUIT
	_, _ = c.Write(frame(1, protocol.OK(2)))
	return err
}

// encryptedPassword sends a client a key of RSA, and decrypts the password that it answers: XORed with the nonce, as MySQL 8 has it.
func encryptedPassword(c net.Conn, sequence byte) ([]byte, byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, 0, err
	}
	public, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, 0, err
	}
	if _, err := c.Write(frame(sequence+1, append([]byte{1}, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})...))); err != nil {
		return nil, 0, err
	}
	packet, sequence, err := protocol.ReadPacket(c, 1000)
	if err != nil {
		return nil, 0, err
	}
	clear, err := rsa.DecryptOAEP(sha1.New(), nil, key, packet, nil)
	for i := range clear {
		clear[i] ^= "abcdefghijklmnopqrst"[i%20]
	}
	return clear, sequence, err
}

// Where neither side has TLS, the client encrypts its password with upstream's key; the relay passes both on.
func TestCachingSHA2WithoutTLS(t *testing.T) {
	for _, seen := range []bool{true, false} {
		passwords := make(chan string, 1)
		upstream := fake(t, func(c net.Conn) { _ = cachingSHA2(t, c, seen, passwords) })
		if err := open(t, startRelay(t, upstream, nil), "root", "sesame", nil).Ping(); err != nil {
			t.Fatalf("seen %v: %v", seen, err)
		}
		if !seen {
			if got := <-passwords; got != "sesame\x00" {
				t.Errorf("upstream read the password %q", got)
			}
		}
		if err := open(t, startRelay(t, upstream, nil), "root", "simsim", nil).Ping(); err == nil {
			t.Errorf("seen %v: a wrong password logs in", seen)
		}
	}
}

// scrambled is XOR(SHA256(password), SHA256(SHA256(SHA256(password)), nonce)).
func scrambled(password string) []byte {
	first := sha256.Sum256([]byte(password))
	second := sha256.Sum256(first[:])
	third := sha256.Sum256(append(second[:], "abcdefghijklmnopqrst"...))
	for i := range first {
		first[i] ^= third[i]
	}
	return first[:]
}

// caching_sha2_password logs in by both paths where both sides have TLS. Where they differ, the path that needs the password is
// refused before the client has sent it.
func TestCachingSHA2(t *testing.T) {
	for _, seen := range []bool{true, false} {
		for _, secured := range []bool{true, false} {
			t.Run(fmt.Sprintf("seen %v, client's TLS %v", seen, secured), func(t *testing.T) {
				passwords := make(chan string, 1)
				upstream := fake(t, func(c net.Conn) { _ = cachingSHA2(t, c, seen, passwords) })
				address := startRelay(t, upstream, func(c *Config) { c.UpstreamTLS, c.ClientTLS = trusting(t), serverTLS(t) })
				db := open(t, address, "root", "sesame", func(c *mysql.Config) {
					if secured {
						c.TLS = trusting(t)
						c.TLS.ServerName = "127.0.0.1"
					}
				})
				err := db.Ping()
				if !seen && !secured {
					if err == nil || !strings.Contains(err.Error(), "connect with TLS") || len(passwords) != 0 {
						t.Errorf("%v, %d passwords sent", err, len(passwords))
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if !seen {
					if got := <-passwords; got != "sesame\x00" {
						t.Errorf("upstream read the password %q", got)
					}
				}
			})
		}
	}
}
