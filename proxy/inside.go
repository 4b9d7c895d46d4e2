package proxy

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/anonsql/anonsql/relay/protocol"
	"github.com/anonsql/anonsql/upstream"
)

// An inside is the connection to the server in this process on behalf of one owner.
type inside struct {
	conn     net.Conn
	in       *bufio.Reader
	agreed   protocol.Capabilities
	database string // the current one
	set      string // the character set of statements and results
	settings string // the statement that has made the session's settings upstream's

	statements map[uint32]*prepared // that were prepared, by their numbers
	after      uint32               // what clients' numbers of them have more
}

// serverCapabilities are the capabilities of the server in this process that affect how answers are written.
const serverCapabilities = protocol.DeprecateEOF

// utf8mb4 is the number of utf8mb4_general_ci, the collation of owners' statements.
const utf8mb4 = 45

// openInside logs in over a connection that requires no password. client has the capabilities that the owner's client and upstream agreed on.
func openInside(ctx context.Context, conn net.Conn, user string, client protocol.Capabilities) (*inside, error) {
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	in := &inside{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), statements: make(map[uint32]*prepared)}
	if _, err := in.packet(); err != nil { // the greeting
		return nil, err
	}
	in.agreed = client&serverCapabilities | protocol.Protocol41 | protocol.SecureConnection | protocol.PluginAuth |
		protocol.Transactions | protocol.MultiResults | protocol.LongPassword
	login := make([]byte, 32, 128)
	binary.LittleEndian.PutUint32(login, uint32(in.agreed))
	binary.LittleEndian.PutUint32(login[4:], protocol.MaxFrame)
	login[8] = utf8mb4
	login = append(append(login, user...), 0, 0) // no password
	login = append(append(login, "mysql_native_password"...), 0)
	frames, _ := protocol.AppendPacket(nil, 1, login)
	if _, err := conn.Write(frames); err != nil {
		return nil, err
	}
	answer, err := in.packet()
	if err == nil && protocol.IsError(answer) {
		code, _, message := protocol.ErrorOf(answer)
		err = fmt.Errorf("anonsql refuses the connection: %d: %s", code, message)
	}
	return in, err
}

// packet reads one packet of any number of frames.
func (in *inside) packet() (payload []byte, err error) {
	for {
		var header [protocol.FrameHeader]byte
		if _, err := io.ReadFull(in.in, header[:]); err != nil {
			return nil, err
		}
		n := int(header[0]) | int(header[1])<<8 | int(header[2])<<16
		at := len(payload)
		payload = append(payload, make([]byte, n)...)
		if _, err := io.ReadFull(in.in, payload[at:]); err != nil {
			return nil, err
		}
		if n < protocol.MaxFrame {
			return payload, nil
		}
	}
}

// errInside means that the server closed the connection. Other errors say why.
var errInside = errors.New("anonsql has ended the connection")

// ask sends a command and calls take with the packets of its answer. failed says that the answer is an
// error packet. When the context ends, ask closes the connection, which also ends the statement.
func (in *inside) ask(ctx context.Context, command []byte, take func(packet []byte, a *protocol.Answer) error) (failed bool, err error) {
	stop := context.AfterFunc(ctx, func() { in.conn.Close() })
	defer stop()
	frames, _ := protocol.AppendPacket(nil, 0, command)
	if _, err := in.conn.Write(frames); err != nil {
		return false, errors.Join(errInside, err)
	}
	answer := protocol.NewAnswer(protocol.Command(command[0]), in.agreed)
	if !answer.Expected() {
		return false, nil
	}
	for {
		packet, err := in.packet()
		if err != nil {
			return false, errors.Join(errInside, context.Cause(ctx), err)
		}
		event := answer.Read(read(packet))
		if event == protocol.Unknown || event == protocol.Local {
			return false, fmt.Errorf("an answer is not understood: %x", packet[:min(len(packet), 32)])
		}
		if err := take(packet, answer); err != nil {
			return false, err
		}
		if event == protocol.Ended {
			return answer.Failed(), nil
		}
	}
}

// encode changes the character set of statements and results. A set unknown to the server in this process is an error.
func (in *inside) encode(ctx context.Context, set string) error {
	if set == in.set {
		return nil
	}
	var refused error
	_, err := in.ask(ctx, append([]byte{byte(protocol.Query)}, "SET NAMES "+set...), func(packet []byte, _ *protocol.Answer) error {
		if protocol.IsError(packet) {
			code, state, message := protocol.ErrorOf(packet)
			refused = &upstream.Error{Number: code, State: state, Message: "anonsql cannot answer in the session's character set: " + message}
		}
		return nil
	})
	if err == nil && refused == nil {
		in.set = set
	}
	return errors.Join(err, refused)
}

// settle applies upstream's settings to the session.
func (in *inside) settle(ctx context.Context, settings []string) error {
	text := settle(settings)
	if text == in.settings {
		return nil
	}
	failed, err := in.ask(ctx, append([]byte{byte(protocol.Query)}, text...), func([]byte, *protocol.Answer) error { return nil })
	if err == nil && failed {
		err = fmt.Errorf("anonsql cannot take your session's settings over: %s", text)
	}
	if err == nil {
		in.settings = text
	}
	return err
}

// changeDatabase changes the current database.
func (in *inside) changeDatabase(ctx context.Context, database string) error {
	if database == in.database || database == "" {
		return nil
	}
	failed, err := in.ask(ctx, append([]byte{byte(protocol.InitDB)}, database...), func([]byte, *protocol.Answer) error { return nil })
	if err == nil && !failed {
		in.database = database
	}
	return err
}

func (in *inside) close() { in.conn.Close() }
