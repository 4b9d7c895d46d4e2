package proxy

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/upstream"
)

// An asking sends queries on the owner's connection while the proxy answers one of the owner's commands (upstream.Asker).
type asking struct {
	capabilities protocol.Capabilities

	mu     sync.Mutex
	reply  *relay.Reply    // nil while no command is answered here
	during context.Context // ends with that command
	pings  *time.Timer     // keep upstream waiting meanwhile, or nil
}

var _ upstream.Asker = (*asking)(nil)

// passQueriesDuring permits queries while f runs.
func (a *asking) passQueriesDuring(r *relay.Reply, f func() error) error {
	during, end := context.WithCancel(context.Background())
	a.set(r, during)
	defer a.set(nil, nil)
	defer end() // a ping may wait for an answer that nobody awaits any more
	return f()
}

func (a *asking) set(r *relay.Reply, during context.Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reply, a.during = r, during
	if a.pings != nil {
		a.pings.Stop()
	}
}

// keepWaiting pings upstream while the proxy answers a command, three times in the number of seconds after which upstream disconnects idle clients.
func (a *asking) keepWaiting(seconds string) {
	waits, err := strconv.Atoi(seconds)
	if err != nil || waits < 1 {
		return
	}
	pause := time.Duration(waits) * time.Second / 3
	a.mu.Lock()
	defer a.mu.Unlock()
	answered := a.reply
	a.pings = time.AfterFunc(pause, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.reply == nil || a.reply != answered {
			return
		}
		if err := a.reply.AskUntil(a.during, []byte{byte(protocol.Ping)}, func([]byte) error { return nil }); err == nil {
			a.pings.Reset(pause)
		}
	})
}

// errNobodyWaits means that no command of the owner is in progress.
var errNobodyWaits = errors.New("the owner's connection is asked while its client waits, and at no other time")

// everyRow follows each SELECT that does not end with a limit, because the session's sql_select_limit is only for the owner's statements.
const everyRow = " LIMIT 18446744073709551615"

// limited matches a text that ends with a limit. A name that does so ends with a quote.
var limited = regexp.MustCompile(` LIMIT [0-9]+$`)

// Query implements upstream.Asker.
func (a *asking) Query(ctx context.Context, text string, row func([][]byte) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.reply == nil {
		return errNobodyWaits
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if strings.HasPrefix(text, "SELECT ") && !limited.MatchString(text) {
		text += everyRow
	}
	var (
		answer  = protocol.NewAnswer(protocol.Query, a.capabilities)
		values  [][]byte
		refused error
	)
	err := a.reply.AskUntil(ctx, append([]byte{byte(protocol.Query)}, text...), func(packet []byte) error {
		event := answer.Read(read(packet))
		switch {
		case answer.Failed():
			code, state, message := protocol.ErrorOf(packet)
			refused = &upstream.Error{Number: code, State: state, Message: message}
		case event == protocol.Unknown:
			return fmt.Errorf("an answer of the upstream server is not understood: %x", packet[:min(len(packet), 32)])
		case event == protocol.Continues && answer.InRows():
			var ok bool
			if values, ok = protocol.Values(packet, values); !ok {
				return errors.New("a row of the upstream server is malformed")
			}
			return errors.Join(ctx.Err(), row(values))
		}
		return nil
	})
	if errors.Is(err, relay.ErrLeft) {
		err = upstream.ErrLost
	}
	return errors.Join(refused, err)
}

// read returns a whole packet for an Answer.
func read(packet []byte) protocol.Packet {
	const head = 32
	return protocol.Packet{Head: packet[:min(len(packet), head)], First: min(len(packet), protocol.MaxFrame)}
}

// queryRow queries one row.
func (a *asking) queryRow(ctx context.Context, text string) (values []string, err error) {
	err = a.Query(ctx, text, func(row [][]byte) error {
		values = values[:0]
		for _, v := range row {
			values = append(values, string(v))
		}
		return nil
	})
	return values, err
}
