package relay

import (
	"context"
	"encoding/binary"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/relay/protocol"
)

// ready asks a relay of this configuration whether upstream is available.
func ready(t *testing.T, c Config) error {
	t.Helper()
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r.Ready(t.Context())
}

// from dials a server from another address of this machine, which the server counts as any other: 127.0.0.1 it does not count.
func from(host, address string) func(context.Context) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(host)}}
	return func(ctx context.Context) (net.Conn, error) { return d.DialContext(ctx, "tcp", address) }
}

// Ready sends a login: the server counts clients that leave without one, and blocks them.
func TestReadyIsNotCounted(t *testing.T) {
	server := mariaDB(t)
	root := open(t, server.Address, "root", "", nil)
	exec(t, root, "CREATE OR REPLACE USER ed IDENTIFIED VIA ed25519 USING PASSWORD('sesame')", "SET GLOBAL max_connect_errors = 3", "FLUSH HOSTS")
	t.Cleanup(func() { exec(t, root, "SET GLOBAL max_connect_errors = 100", "FLUSH HOSTS") })
	for name, secure := range map[string]bool{"plain": false, "TLS": true} {
		c := Config{Network: "tcp", Address: server.Address, dial: from("127.0.0.2", server.Address)}
		if secure {
			c.UpstreamTLS = trusting(t)
		}
		for range 10 {
			if err := ready(t, c); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	silent := from("127.0.0.3", server.Address)
	for range 10 {
		conn, err := silent(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, _, _ = protocol.ReadPacket(conn, longestLogin)
		conn.Close()
	}
	err := ready(t, Config{Network: "tcp", Address: server.Address, dial: silent})
	if err == nil || !strings.Contains(err.Error(), "it says 1129: ") {
		t.Errorf("a machine that is shut out is told %v", err)
	}
}

// Clients that leave before a login, such as a balancer's probes, block nobody: the server sees a login from each.
func TestClientsThatLeaveAreNotCounted(t *testing.T) {
	server := mariaDB(t)
	root := open(t, server.Address, "root", "", nil)
	exec(t, root, "CREATE OR REPLACE USER anybody IDENTIFIED BY 'sesame'", "SET GLOBAL max_connect_errors = 3", "FLUSH HOSTS")
	t.Cleanup(func() { exec(t, root, "SET GLOBAL max_connect_errors = 100", "FLUSH HOSTS") })
	for host, secure := range map[string]bool{"127.0.0.4": false, "127.0.0.5": true} {
		address := startRelay(t, server.Address, func(c *Config) {
			c.dial = from(host, server.Address)
			if secure {
				c.UpstreamTLS = trusting(t)
			}
		})
		for range 10 {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			if packet, _, err := protocol.ReadPacket(conn, longestLogin); err != nil || protocol.IsError(packet) {
				t.Fatalf("%s: a client is told %q, %v", host, packet, err)
			}
			conn.Close()
		}
	}
}

// So do clients that leave when upstream asks for another proof of the password, or at once after their login.
func TestClientsThatLeaveInALoginAreNotCounted(t *testing.T) {
	server := mariaDB(t)
	root := open(t, server.Address, "root", "", nil)
	exec(t, root, "CREATE OR REPLACE USER leaves IDENTIFIED VIA ed25519 USING PASSWORD('sesame')", "CREATE OR REPLACE USER leaves_native IDENTIFIED BY 'sesame'",
		"SET GLOBAL max_connect_errors = 3", "FLUSH HOSTS")
	t.Cleanup(func() { exec(t, root, "SET GLOBAL max_connect_errors = 100", "FLUSH HOSTS") })
	for host, c := range map[string]struct {
		account, plugin string
		waits           bool
	}{
		"127.0.0.6": {"leaves", "mysql_native_password", true},
		"127.0.0.7": {"leaves_native", "client_ed25519", true},
		"127.0.0.8": {"leaves", "mysql_native_password", false},
	} {
		address := startRelay(t, server.Address, func(to *Config) { to.dial = from(host, server.Address) })
		for i := range 10 {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			w := &wire{t: t, conn: conn}
			if packet := w.packet(); protocol.IsError(packet) {
				t.Fatalf("%s: client %d is told %q", host, i, packet)
			}
			login := make([]byte, 32)
			binary.LittleEndian.PutUint32(login, uint32(everything))
			w.send(1, append(login, c.account+"\x00\x00"+c.plugin+"\x00"...))
			if c.waits {
				if packet := w.packet(); packet[0] != 0xfe {
					t.Fatalf("%s: upstream does not ask for another plugin: %q", host, packet)
				}
			}
			conn.Close()
		}
	}
}

// Nor are clients that are silent in a login, also after they have sent the beginning of a command.
func TestSilentClientsInALoginAreNotCounted(t *testing.T) {
	server := mariaDB(t)
	root := open(t, server.Address, "root", "", nil)
	exec(t, root, "CREATE OR REPLACE USER leaves IDENTIFIED VIA ed25519 USING PASSWORD('sesame')", "SET GLOBAL max_connect_errors = 3", "FLUSH HOSTS")
	t.Cleanup(func() { exec(t, root, "SET GLOBAL max_connect_errors = 100", "FLUSH HOSTS") })
	for host, more := range map[string][]byte{"127.0.0.9": nil, "127.0.0.10": {9, 0, 0, 0, byte(protocol.Query)}} {
		address := startRelay(t, server.Address, func(to *Config) { to.dial, to.LoginTimeout = from(host, server.Address), 500*time.Millisecond })
		for i := range 5 {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			w := &wire{t: t, conn: conn}
			if packet := w.packet(); strings.Contains(string(packet), "is blocked") {
				t.Fatalf("%s: client %d is told %q", host, i, packet)
			}
			login := make([]byte, 32)
			binary.LittleEndian.PutUint32(login, uint32(everything))
			sent := append(frame(1, append(login, "leaves\x00\x00mysql_native_password\x00"...)), more...)
			_, err = conn.Write(sent)
			for err == nil { // upstream's question, then the end
				_, _, err = w.read()
			}
		}
	}
}

// Ready says why upstream accepts nobody, and reports it to Reached.
func TestNotReady(t *testing.T) {
	full := fake(t, func(c net.Conn) {
		_, _ = c.Write(frame(0, protocol.Error(1040, "08004", "Too many connections", everything)))
	})
	silent := fake(t, func(c net.Conn) {})
	plain := fake(t, func(c net.Conn) { _ = letIn(c) })
	for want, c := range map[string]Config{
		"it says 1040: Too many connections": {Address: full},
		"EOF":                                {Address: silent},
		"it has no TLS":                      {Address: plain, UpstreamTLS: trusting(t)},
		"no such file":                       {Network: "unix", Address: t.TempDir() + "/none"},
	} {
		var heard error
		if c.Network == "" {
			c.Network = "tcp"
		}
		c.Reached = func(err error) { heard = err }
		err := ready(t, c)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), c.Address) || heard != err {
			t.Errorf("%v, and Reached heard %v, want %q", err, heard, want)
		}
	}
	if err := ready(t, Config{Network: "tcp", Address: plain}); err != nil {
		t.Errorf("a server that lets everybody in: %v", err)
	}
}
