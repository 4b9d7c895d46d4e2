package acceptance

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The clients of a soak that cause trouble.

// long runs long statements for kill.
func (c *soakClient) long() {
	conn := c.connected()
	if conn == nil {
		return
	}
	c.stay(func() {
		id, ok := c.ask("metadata", "SELECT CONNECTION_ID()", nil, soakKilled...)
		if !ok {
			return
		}
		number, _ := strconv.Atoi(strings.TrimRight(id, "|\n"))
		c.victims.Store(c.number, number)
		defer c.victims.Delete(c.number)
		c.ask("long, killed", soakLong[c.random.IntN(len(soakLong))], nil, soakKilled...)
	})
	c.pause(100 * time.Millisecond)
}

var soakKilled = []soakExpected{{1317, "KILL QUERY"}, {soakGone, "KILL of the connection"}}

var soakLong = []string{
	"SELECT COUNT(*) FROM census.fixed a, census.fixed b, census.fixed c WHERE a.age + b.age + c.age < 0",
	"SELECT SLEEP(20)",
	"CALL anonymize('census.fixed', 'slppa', 'qi=age,sex,education,marital_status,workclass,region', 'sa=disease', 'beta=0.2', 'tables=3', 'calibrate=true', 'dry_run=true')",
	"CALL evaluate('fixed', 'queries=1000000')",
	"CREATE TABLE census.never AS SELECT a.* FROM census.fixed a, census.fixed b",
}

// kill kills the statements of long, and sometimes its connection.
func (c *soakClient) kill() {
	c.pause(time.Duration(50+c.random.IntN(200)) * time.Millisecond)
	c.victims.Range(func(_, id any) bool {
		verb := "KILL QUERY %d"
		if c.random.IntN(3) == 0 {
			verb = "KILL %d"
		}
		c.ask("kill", fmt.Sprintf(verb, id), nil, soakExpected{1094, "it has gone already"})
		return true
	})
}

// vanish reads a little of a long answer and closes the socket.
func (c *soakClient) vanish() {
	conn := c.connected()
	if conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(c.random.IntN(150))*time.Millisecond)
	defer cancel()
	text := []string{
		"SELECT a.*, b.name FROM census.fixed a, census.fixed b",
		"SELECT a.name FROM census.fixed a ORDER BY (SELECT COUNT(*) FROM census.fixed b WHERE b.age = a.age)",
		"CALL anonymize('census.fixed', 'drasl', 'qi=age,sex,region', 'sa=disease', 'k=4', 'calibrate=true', 'dry_run=true')",
		"INSERT INTO ward.visits (age, sex, disease) SELECT 30, 'F', 'Gout' FROM census.fixed a, census.fixed b",
	}[c.random.IntN(4)]
	_, err := answerText(ctx, conn, text)
	if err == nil && strings.HasSuffix(text, "census.fixed b") { // a fast machine has completed the others
		c.unexpected("vanishing: %s ended", text)
	} else if err != nil && !errors.Is(err, context.DeadlineExceeded) && !gone(err) {
		c.unexpected("vanishing: %s\n%v", text, err)
	}
	c.leave()
	c.pause(200 * time.Millisecond)
}

// mistake sends statements that must fail with a certain number, and then still gets an answer on the same
// connection.
func (c *soakClient) mistake() {
	m := soakMistakes[c.random.IntN(len(soakMistakes))]
	if _, ok := c.ask("bad statement", m.text, nil, soakExpected{m.number, "the statement is wrong"}); ok {
		c.unexpected("done: %s", m.text)
	}
	c.must("after a mistake", "42|\n", "SELECT 42")
	c.pause(10 * time.Millisecond)
}

var soakMistakes = []struct {
	number int
	text   string
}{
	{1064, "SELEC 1"}, {1064, "SELECT * FROM"}, {1146, "SELECT * FROM published.nothing"}, {1054, "SELECT nobody FROM published.fixed"},
	{1142, "SELECT * FROM census.fixed"}, {1142, "DELETE FROM published.fixed"}, {1142, "SELECT COUNT(*) FROM published.fixed f JOIN ward.patients p ON f.age = p.age"},
	{1142, "SELECT ANON_ACTUAL(COUNT(*)) FROM published.fixed"}, {1227, "SET GLOBAL max_connections = 1"},
	{1305, "SELECT no_such_function(1)"}, {1235, "SELECT ANON_STDERR(GROUP_CONCAT(age)) FROM published.fixed"},
}
