package acceptance

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// many returns rows of some hundred megabytes, more than sockets buffer.
const many = "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 500) SELECT REPEAT('x', 100000), REPEAT('y', 100000) FROM r a, r b"

// If a client does not read its rows, its statement ends when it is killed, when it exceeds its time, and when the
// client leaves. Its connection ends too, or has an error for the client to read. Otherwise both would last as long
// as the client.
func TestClientThatDoesNotRead(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Connect(t, servertest.Root)
	there := func(id int, condition string) int {
		return one[int](t, root, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d AND %s", id, condition))
	}
	for name, end := range map[string]struct {
		hint  string
		after func(id int, client rawClient)
	}{
		"KILL QUERY":      {"", func(id int, _ rawClient) { failsWith(t, root, 0, fmt.Sprintf("KILL QUERY %d", id)) }},
		"KILL CONNECTION": {"", func(id int, _ rawClient) { failsWith(t, root, 0, fmt.Sprintf("KILL %d", id)) }},
		"time":            {"SET SESSION max_execution_time = 1000", func(int, rawClient) {}},
		"leaves":          {"", func(_ int, client rawClient) { client.conn.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			client := connect(t, s.Addr)
			id := one[int](t, root, "SELECT MAX(id) FROM information_schema.processlist WHERE command = 'Sleep'")
			if end.hint != "" {
				client.send(0, append([]byte{3}, end.hint...))
				client.receive()
			}
			client.send(0, append([]byte{3}, many...))
			if first := client.receive(); len(first) != 1 || first[0] != 2 { // the number of columns: rows are on their way
				t.Fatalf("the answer begins with %q", first)
			}
			end.after(id, client)
			began := time.Now()
			servertest.Eventually(t, "the end of the statement", func() bool { return there(id, "command = 'Query'") == 0 })
			t.Logf("it took %v to end", time.Since(began).Round(time.Millisecond))
			if name == "time" || name == "KILL QUERY" {
				client.drain() // on a slow server the sockets may have room: then the rows end with the error
				client.conn.Close()
			}
			servertest.Eventually(t, "the end of its connection", func() bool { return there(id, "TRUE") == 0 })
		})
	}
}

// A client that leaves ends its statement during planning. This client closes only its sending direction, which is
// all that a server sees of a leaving client. So it can still read why its statement ended.
func TestClientLeavesDuringPlanning(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	root := s.Connect(t, servertest.Root)
	failsWith(t, root, 0, "SET GLOBAL anon_max_subqueries = 100000")
	defer failsWith(t, root, 0, "SET GLOBAL anon_max_subqueries = 1500")
	client := connect(t, s.Addr)
	if err := client.conn.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil {
		t.Fatal(err)
	}
	client.send(0, append([]byte{3}, "SELECT CONNECTION_ID()"...))
	for range 3 { // the number of columns, the column, the end of the columns
		client.receive()
	}
	id := string(client.receive()[1:])
	client.receive() // the end of the rows
	// Its planning takes some seven seconds.
	client.send(0, append([]byte{3}, "SELECT "+strings.Repeat("(SELECT ", 15)+"1"+strings.Repeat(")", 15)...))
	if err := client.conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if answer := string(client.receive()); !strings.HasPrefix(answer, "\xff\x25\x05") || !strings.HasSuffix(answer, "the client is gone") { // 1317
		t.Fatalf("its statement ended with %q", answer)
	}
	servertest.Eventually(t, "the end of its connection", func() bool {
		return one[int](t, root, "SELECT COUNT(*) FROM information_schema.processlist WHERE id = "+id) == 0
	})
}

// After KILL of a statement whose client reads, the connection is in order.
func TestKilledWhileRead(t *testing.T) {
	s := servertest.Start(t, server.Config{Extend: server.Product})
	conn, root := s.Connect(t, servertest.Root), s.Connect(t, servertest.Root)
	id := one[int](t, conn, "SELECT CONNECTION_ID()")
	ended := make(chan error, 1)
	go func() { _, err := conn.ExecContext(context.Background(), "SELECT SLEEP(60)"); ended <- err }()
	for one[int](t, root, fmt.Sprintf("SELECT COUNT(*) FROM information_schema.processlist WHERE id = %d AND command = 'Query'", id)) == 0 {
	}
	failsWith(t, root, 0, fmt.Sprintf("KILL QUERY %d", id))
	<-ended
	failsWith(t, root, 0, "SELECT SLEEP(1.5)") // longer than the deadline that was lifted
	failsWith(t, conn, 0, "SELECT 1")
}
