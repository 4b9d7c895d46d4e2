package proxy

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/anonsql/anonsql/relay"
	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/upstream"
)

// clientSet is the character set of a session's statements.
const clientSet = "CAST(@@character_set_client AS BINARY)"

// noBackslashEscapes is the status of sessions in which a backslash in a literal is a character as others.
const noBackslashEscapes protocol.Status = 0x0200

// A session decides who answers one owner's commands (relay.Router). One command at a time uses its fields, except cancel.
type session struct {
	proxy  *Proxy
	relay  *relay.Session
	asking *asking

	inside  *inside // nil before our first statement and after the connection ended
	here    string  // the current database if it is ours, "" otherwise
	several bool    // the client may send several statements per command
	before  string  // value of here before a COM_CHANGE_USER that is not answered yet
	last    bool    // the last statement was answered here
	newest  uint32  // the number of the statement that was prepared last: 0 if upstream has it, ourStatement alone if there is none
	highest uint32  // the greatest number of a statement that was prepared here

	mu     sync.Mutex
	cancel context.CancelCauseFunc // ends what is answered here; nil for nothing
}

var _ relay.Router = (*session)(nil)

// errKilled is the cause of a killed statement.
var errKilled = errors.New("killed")

// Close implements relay.Router.
func (s *session) Close() {
	s.proxy.leave(s)
	s.drop()
}

// drop closes the inner connection.
func (s *session) drop() {
	if s.inside != nil {
		s.inside.close()
		s.inside = nil
	}
}

// interrupt ends what is answered here.
func (s *session) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(errKilled)
	}
}

// Route implements relay.Router.
func (s *session) Route(c relay.Command) relay.Answerer {
	payload := append([]byte{}, c.Payload...)
	if s.before != "" && s.relay.Kept() { // the server keeps its own current database then
		s.here = s.before
	}
	s.before = ""
	switch c.Number() {
	case protocol.Query:
		return s.query(c, string(payload[1:]))
	case protocol.InitDB:
		return s.change(string(payload[1:]), payload)
	case protocol.StmtPrepare:
		return s.prepare(c, payload)
	case protocol.StmtExecute, protocol.StmtBulkExecute, protocol.StmtClose, protocol.StmtReset, protocol.StmtSendLongData, protocol.StmtFetch:
		return s.prepared(c, payload)
	case protocol.FieldList:
		if s.here != "" {
			return s.answer(payload)
		}
	case protocol.ChangeUser:
		s.drop()
		s.before, s.here, s.last, s.newest = s.here, "", false, 0
	case protocol.SetOption: // 0 for several statements, 1 for one; nothing else is one
		if len(payload) == 3 && payload[2] == 0 && payload[1] <= 1 {
			s.several = payload[1] == 0
		}
	case protocol.ResetConnection:
		s.drop()
		s.last, s.newest = false, 0
	}
	return nil
}

// query routes a text of one or several statements.
func (s *session) query(c relay.Command, text string) relay.Answerer {
	if !c.Whole {
		if s.here == "" {
			return nil
		}
		return refuse(1153, "08S01", "Got a packet bigger than anonsql reads while %s is the current database", s.here)
	}
	return s.routeCommand(append([]byte{byte(protocol.Query)}, text...), s.statements)
}

// routeCommand cuts a command's text into statements and answers them. If the cut depends on the session's character set
// or ANSI_QUOTES, or on backslashes while earlier commands are in progress, it asks upstream first.
func (s *session) routeCommand(command []byte, answered func(found []statement, command []byte) relay.Answerer) relay.Answerer {
	text, here, as := string(command[1:]), s.here != "", reading{noEscapes: s.relay.Status()&noBackslashEscapes != 0}
	found := s.proxy.words.split(text, here, as)
	changing := strings.Contains(text, `\`) && s.relay.IsBusy()
	if !changing && s.proxy.words.isUnambiguous(text, here, as.noEscapes, found) {
		return answered(found, command)
	}
	return func(ctx context.Context, r *relay.Reply) error {
		var asked []string
		err := s.asking.passQueriesDuring(r, func() (err error) {
			asked, err = s.asking.queryRow(ctx, "SELECT "+clientSet+", CAST(FIND_IN_SET('ANSI_QUOTES', @@SESSION.sql_mode) > 0 AS BINARY)")
			return err
		})
		if err != nil {
			return s.writeFailure(r, ctx, err)
		}
		if len(asked) == 2 {
			as = reading{s.relay.Status()&noBackslashEscapes != 0, asked[1] == "1", wideSets[asked[0]]}
			found = s.proxy.words.split(text, here, as)
		}
		if answer := answered(found, command); answer != nil {
			return answer(ctx, r)
		}
		r.Pass(command)
		return nil
	}
}

// statements routes the statements of one command. Several are a batch if the client may send
// one; else upstream refuses the whole text, whosever its statements are.
func (s *session) statements(found []statement, command []byte) relay.Answerer {
	switch {
	case len(found) == 1:
		return s.single(found[0], command)
	case len(found) > 1 && s.several:
		return s.batch(found)
	}
	return nil
}

// single routes one statement.
func (s *session) single(one statement, command []byte) relay.Answerer {
	switch {
	case one.kind == useDatabase:
		return s.change(one.name, command)
	case one.kind == kill:
		return s.kill(one, command)
	case one.kind == allDatabases:
		return s.databases(command)
	case one.kind == answeredHere && s.here == "" && one.variable != "":
		return s.refuseVariable(one)
	case one.kind == answeredHere, one.kind == warnings && s.last:
		return s.answer(command)
	case one.kind == passedOn:
		s.last = false
	}
	return nil
}

// change changes the current database.
func (s *session) change(database string, command []byte) relay.Answerer {
	if s.proxy.words.database(database) {
		return func(ctx context.Context, r *relay.Reply) error {
			s.here, s.last = strings.ToLower(database), true
			return r.Packet(protocol.OK(s.relay.Status()))
		}
	}
	if s.here == "" {
		s.last = false
		return nil
	}
	return func(ctx context.Context, r *relay.Reply) error {
		failed, err := s.forward(r, command, nil)
		if err == nil && !failed {
			s.here, s.last = "", false
		}
		return err
	}
}

// kill forwards to upstream, which checks the privilege, and then ends what the session runs here.
func (s *session) kill(one statement, command []byte) relay.Answerer {
	return func(ctx context.Context, r *relay.Reply) error {
		_, err := s.killing(r, one, command, nil)
		return err
	}
}

// killing is kill, for one statement or a part of a batch.
func (s *session) killing(r *relay.Reply, one statement, command []byte, mark func(protocol.Status) protocol.Status) (failed bool, err error) {
	failed, err = s.forward(r, command, mark)
	if number, parsing := strconv.ParseUint(one.name, 10, 32); err == nil && !failed && parsing == nil {
		s.proxy.interrupt(uint32(number))
	}
	return failed, err
}

func refuse(code uint16, state, format string, arguments ...any) relay.Answerer {
	return func(_ context.Context, r *relay.Reply) error {
		return r.Error(code, state, fmt.Sprintf(format, arguments...))
	}
}

// refuseVariable refuses a statement of ours that reads or sets a variable of the upstream session.
func (s *session) refuseVariable(one statement) relay.Answerer {
	return refuse(1235, "42000", "anonsql does not see %s, which is a variable of your session on %s: write its value. "+
		"After USE published, variables are anonsql's own", one.variable, s.proxy.config.Name)
}

// answer returns the answerer of a command of ours.
func (s *session) answer(command []byte) relay.Answerer {
	return func(ctx context.Context, r *relay.Reply) error {
		_, err := s.run(ctx, r, command, nil)
		return err
	}
}

// run answers a command of ours. mark, if not nil, changes the answer's status of the session. An error
// ends the owner's connection; for an error sent to the owner, run returns failed and no error.
func (s *session) run(ctx context.Context, r *relay.Reply, command []byte, mark func(protocol.Status) protocol.Status) (failed bool, err error) {
	running, cancel := context.WithCancelCause(ctx)
	s.setCancel(cancel)
	defer func() {
		s.setCancel(nil)
		cancel(nil)
	}()
	begun := false
	err = s.asking.passQueriesDuring(r, func() (err error) {
		if err = s.open(running, command); err != nil {
			return err
		}
		failed, err = s.inside.ask(running, s.inside.bound(command), func(packet []byte, a *protocol.Answer) error {
			begun = true
			return r.Packet(s.translate(packet, a, mark))
		})
		return err
	})
	s.last = true
	if err == nil {
		return failed, nil
	}
	switch _, refused := errors.AsType[*upstream.Error](err); {
	case !refused:
		s.drop()
	case s.inside != nil && command[0] == byte(protocol.StmtExecute):
		s.forgetPieces(ctx, command)
	}
	if begun {
		return true, err
	}
	if ctx.Err() != nil { // upstream has left, or the client, who reads nothing more
		return true, r.Error(
			1430,
			"08S01",
			fmt.Sprintf("Lost connection to the upstream server %s while anonsql answered. What a statement publishes is there whole or not at all: "+
				"anonsql.releases says which; what store=upstream has left on that server, anonsql.jobs. CALL it again when the server is back", s.proxy.config.Name),
		)
	}
	return true, s.writeFailure(r, running, err)
}

func (s *session) setCancel(cancel context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel = cancel
}

// writeFailure tells the client why a command has no answer.
func (s *session) writeFailure(r *relay.Reply, running context.Context, err error) error {
	var refused *upstream.Error
	switch {
	case errors.Is(context.Cause(running), errKilled):
		return r.Error(1317, "70100", "Query execution was interrupted")
	case errors.As(err, &refused):
		return r.Error(refused.Number, refused.State, refused.Message)
	}
	if s.proxy.config.Logger != nil {
		s.proxy.config.Logger.Error("a statement of an owner was not answered", "account", s.relay.Account(), "error", err)
	}
	return r.Error(1105, "HY000", "anonsql has ended the statement: "+err.Error())
}

// open makes the conversation inside ready for a command: its account, its character set, and its current database.
func (s *session) open(ctx context.Context, command []byte) error {
	asked, err := s.asking.queryRow(
		ctx,
		"SELECT CAST(CURRENT_USER() AS BINARY), CAST(CONVERT(DATABASE() USING utf8mb4) AS BINARY), CAST(COALESCE(@@character_set_results, @@character_set_client) AS BINARY), "+clientSet+", "+
			settings,
	)
	if err != nil {
		return err
	}
	if len(asked) != 4+settingsAsked {
		return fmt.Errorf("the upstream server does not say who is connected")
	}
	if slices.Contains(unfitForResults, asked[2]) {
		return &upstream.Error{Number: 1115, State: "42000", Message: fmt.Sprintf("anonsql gives no results in the character set %s: SET NAMES utf8mb4 first", asked[2])}
	}
	text := command[0] == byte(protocol.Query) || command[0] == byte(protocol.StmtPrepare)
	if s.hasForeignText(command) && !slices.Contains(readSets, asked[3]) {
		return &upstream.Error{Number: 1115, State: "42000", Message: fmt.Sprintf(
			"anonsql reads statements in the character set %s only as far as they are ASCII: SET NAMES utf8mb4 first", asked[3])}
	}
	if command[0] == byte(protocol.StmtExecute) && wideSets[asked[3]] != nil && len(command) > executeWithoutParameters {
		return &upstream.Error{Number: 1115, State: "42000", Message: fmt.Sprintf(
			"anonsql reads no parameters of prepared statements in the character set %s: SET NAMES utf8mb4 first", asked[3])}
	}
	s.asking.keepWaiting(asked[4+waitTimeout])
	if s.inside == nil {
		home := &upstream.Home{Server: s.proxy.config.Name, Store: s.proxy.config.Store, Asker: s.asking}
		conn, err := s.proxy.config.Connect(asked[0], s.proxy.config.Name, home)
		if err != nil {
			return err
		}
		if s.inside, err = openInside(ctx, conn, asked[0], s.relay.Capabilities()); err != nil {
			conn.Close()
			s.inside = nil
			return err
		}
		s.inside.after = s.highest
	}
	if err := s.inside.encode(ctx, asked[2]); err != nil {
		return err
	}
	if text {
		if err := refuseSettings(string(command[1:]), asked[4:]); err != nil {
			return err
		}
	}
	if s.here != "" {
		s.inside.settings = "" // the session's own, until the current database changes
	} else if err := s.inside.settle(ctx, asked[4:]); err != nil {
		return err
	}
	database := s.here
	if database == "" {
		database = asked[1]
	}
	return s.inside.changeDatabase(ctx, database)
}

// translate converts a packet of ours for the owner's client. Its status of the session is upstream's last one.
func (s *session) translate(packet []byte, a *protocol.Answer, mark func(protocol.Status) protocol.Status) []byte {
	if a.Command() == protocol.StmtPrepare && len(packet) >= 12 && packet[0] == 0 && !a.Defined() {
		number := binary.LittleEndian.Uint32(packet[1:])
		s.inside.statements[number] = &prepared{parameters: int(binary.LittleEndian.Uint16(packet[7:]))}
		s.highest = s.inside.after + number
		s.newest = s.highest | ourStatement
		binary.LittleEndian.PutUint32(packet[1:], s.newest)
	}
	return protocol.Translate(packet, a, s.relay.Capabilities(), func(status protocol.Status) protocol.Status {
		status = status&^protocol.OfSession | s.relay.Status()
		if mark != nil {
			status = mark(status)
		}
		return status
	})
}

// forward sends a command upstream and its answer to the client, whose files it refuses. mark, if it is not nil, changes what the answer says
// of the session. The last rows of the answer are the names.
func (s *session) forward(r *relay.Reply, command []byte, mark func(protocol.Status) protocol.Status, names ...string) (failed bool, err error) {
	answer, local := protocol.NewAnswer(protocol.Command(command[0]), s.relay.Capabilities()), false
	err = r.Ask(command, func(packet []byte) error {
		event := answer.Read(read(packet))
		if local = event == protocol.Local || local; local {
			return nil
		}
		if event == protocol.Ended && answer.InRows() && !answer.Failed() {
			for _, name := range names {
				if err := r.Packet(append([]byte{byte(len(name))}, name...)); err != nil {
					return err
				}
			}
		}
		if at := answer.StatusAt(); at > 0 && mark != nil {
			packet = append([]byte{}, packet...)
			binary.LittleEndian.PutUint16(packet[at:], uint16(mark(protocol.Status(binary.LittleEndian.Uint16(packet[at:])))))
		}
		return r.Packet(packet)
	})
	if errors.Is(err, relay.ErrLong) {
		return true, r.Error(1153, "08S01", "Got a row bigger than anonsql passes on from a command with several statements of which one is its own: send this statement alone")
	}
	if err == nil && local {
		return true, r.Error(1235, "42000", "anonsql passes no file on from a command that it splits or adds to, and nothing was loaded: "+
			"send LOAD DATA LOCAL alone")
	}
	return answer.Failed(), err
}
