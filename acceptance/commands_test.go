package acceptance

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// spoken logs in without TLS.
func spoken(t *testing.T, address, user, password string) *wire {
	t.Helper()
	w, err := wireLogin(address, user, password, capUsual)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.close)
	return w
}

// TestStatistics sends COM_STATISTICS, as mysqladmin status does.
func TestStatistics(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	w := spoken(t, s.Addr, "root", "")
	w.sequence = 0
	w.send([]byte{0x09})
	answer, err := w.receive()
	if err != nil || !strings.HasPrefix(string(answer), "Uptime: ") || !strings.Contains(string(answer), "  Threads: 1  Questions: ") {
		t.Fatalf("answer %q, %v", answer, err)
	}
	if got := w.said(t, 0x0e, ""); got != 0 {
		t.Errorf("a ping behind it: error %d", got)
	}
}

// TestProcessKill ends another connection by COM_PROCESS_KILL, which needs the same privileges as KILL.
func TestProcessKill(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE USER ana IDENTIFIED BY 'geheim!!'")
	root, victim, ana := spoken(t, s.Addr, "root", ""), spoken(t, s.Addr, "root", ""), spoken(t, s.Addr, "ana", "geheim!!")
	id := string(binary.LittleEndian.AppendUint32(nil, victim.id))
	if got := ana.said(t, 0x0c, id); got != 1095 {
		t.Errorf("ana kills: error %d, want 1095", got)
	}
	if got := victim.said(t, 0x0e, ""); got != 0 {
		t.Errorf("the victim's ping: error %d", got)
	}
	if got := root.said(t, 0x0c, id); got != 0 {
		t.Errorf("root kills: error %d", got)
	}
	if _, err := victim.in.ReadByte(); err == nil {
		t.Error("the victim is still connected")
	}
	if got := root.said(t, 0x0c, "\xff\xff\xff\x7f"); got != 1094 {
		t.Errorf("root kills nobody: error %d, want 1094", got)
	}
}

// TestStatus checks SHOW STATUS for the server and the session.
func TestStatus(t *testing.T) {
	t.Parallel()
	s, secure := selfSigned(t, server.Config{})
	account := servertest.Root
	account.TLS = secure
	for _, db := range []struct {
		account servertest.Account
		cipher  bool
	}{{account, true}, {servertest.Root, false}} {
		conn := s.Open(t, db.account)
		for _, of := range []string{"", "GLOBAL "} {
			if got := rowsAsText(t, conn, "SHOW "+of+"STATUS WHERE Variable_name = 'Uptime' AND Value > 0"); len(got) != 1 {
				t.Errorf("%s: no Uptime", of)
			}
		}
		for _, name := range []string{"Ssl_cipher", "Ssl_version"} {
			if got := rowsAsText(t, conn, "SHOW STATUS WHERE Variable_name = '"+name+"' AND Value <> ''"); (len(got) == 1) != db.cipher {
				t.Errorf("%s with TLS %t: %v", name, db.cipher, got)
			}
		}
	}
	if got := one[string](t, s.Open(t, account), "SELECT @@have_ssl"); got != "YES" {
		t.Errorf("have_ssl is %s", got)
	}
}
