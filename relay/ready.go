package relay

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/anonsql/anonsql/relay/protocol"
)

// HealthAccount is the user name of Ready's login. Upstream need not have such an account.
const HealthAccount = "anonsql_health"

// longestTalk is the number of upstream's packets that Ready answers: a server may name another plugin and continue.
const longestTalk = 4

// Ready connects upstream, logs in as HealthAccount without a password, and returns nil if upstream answers the
// login in any way, else the error. MySQL counts clients that leave without a login, and finally blocks their
// host (max_connect_errors); it does not count a refused login. Ready also reports to Config.Reached.
func (r *Relay) Ready(ctx context.Context) error {
	err := r.probeUpstream(ctx)
	if err != nil {
		err = fmt.Errorf("anonsql cannot reach the upstream server %s: %w", r.config.Address, err)
	}
	if r.config.Reached != nil {
		r.config.Reached(err)
	}
	return err
}

// probeUpstream is the conversation of Ready.
func (r *Relay) probeUpstream(ctx context.Context) error {
	conn, err := r.config.dial(ctx)
	if err != nil {
		return err
	}
	defer func() { conn.Close() }() // TLS replaces it
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	packet, sequence, err := protocol.ReadPacket(conn, longestLogin)
	if err != nil {
		return err
	}
	if protocol.IsError(packet) {
		code, _, message := protocol.ErrorOf(packet)
		return fmt.Errorf("it says %d: %s", code, message)
	}
	greeting, err := protocol.ParseGreeting(packet)
	if err != nil {
		return err
	}
	conn, err = r.logInForHealth(ctx, conn, greeting, sequence)
	return err
}

// logInForHealth sends the login after a greeting, by TLS if upstream requires it, and returns
// the connection with it. Upstream's refusal of the login is no error.
func (r *Relay) logInForHealth(ctx context.Context, conn net.Conn, greeting protocol.Greeting, sequence byte) (net.Conn, error) {
	login := r.healthLogin()
	if r.config.UpstreamTLS != nil {
		if greeting.Capabilities&protocol.TLS == 0 {
			return conn, errors.New("it has no TLS, and anonsql must use it")
		}
		secured, err := r.secure(ctx, conn, login)
		if err != nil {
			return conn, fmt.Errorf("TLS: %w", err)
		}
		conn = secured
		sequence++
	}
	if _, err := conn.Write(frame(sequence+1, login)); err != nil {
		return conn, err
	}
	return conn, authenticate(conn)
}

// excusing is how long upstream has for the end of a login whose client has left.
const excusing = 2 * time.Second

// excuse completes a login and leaves, for a client that left without a login, so that upstream does not count an aborted connection.
func (r *Relay) excuse(ctx context.Context, conn net.Conn, greeting protocol.Greeting) {
	ctx, cancel := context.WithTimeout(ctx, excusing)
	defer cancel()
	_ = conn.SetDeadline(time.Now().Add(excusing))
	if secured, err := r.logInForHealth(ctx, conn, greeting, 0); err == nil {
		secured.Close()
	} // else upstream counts this one
}

// healthLogin returns a login without a password.
func (r *Relay) healthLogin() []byte {
	flags := protocol.Protocol41 | protocol.SecureConnection | protocol.PluginAuth | protocol.LongPassword
	if r.config.UpstreamTLS != nil {
		flags |= protocol.TLS
	}
	login := make([]byte, 32, 128)
	binary.LittleEndian.PutUint32(login, uint32(flags))
	binary.LittleEndian.PutUint32(login[4:], protocol.MaxFrame)
	login[8] = 45 // utf8mb4_general_ci
	login = append(login, HealthAccount...)
	login = append(login, 0, 0) // no password
	return append(append(login, "mysql_native_password"...), 0)
}

// secure sends the login's TLS request and begins TLS.
func (r *Relay) secure(ctx context.Context, conn net.Conn, login []byte) (net.Conn, error) {
	if _, err := conn.Write(frame(1, protocol.RequestTLS(login))); err != nil {
		return conn, err
	}
	secured := tls.Client(conn, r.config.UpstreamTLS)
	return secured, secured.HandshakeContext(ctx)
}

// finishLogin is excuse for a client that left after it had sent a login.
func (s *Session) finishLogin() {
	if !s.loggingIn() {
		return
	}
	_ = s.upstream.SetDeadline(time.Now().Add(excusing))
	if int8(s.got-byte(s.sent.Load())) > 0 { // upstream waits
		_, _ = s.upstream.Write(frame(s.got-s.fromUpstream.Shift+1, refusable(s.asked)))
	}
	_ = authenticate(s.upstream)
}

// authenticate answers what upstream still asks for a login, until it accepts or refuses.
func authenticate(conn net.Conn) error {
	for range longestTalk {
		packet, got, err := protocol.ReadPacket(conn, longestLogin)
		if err != nil {
			return err
		}
		if len(packet) > 0 && packet[0] == 0 {
			_, _ = conn.Write(frame(0, []byte{byte(protocol.Quit)}))
			return nil
		}
		if protocol.IsError(packet) {
			return nil
		}
		if _, err := conn.Write(frame(got+1, refusable(packet))); err != nil {
			return err
		}
	}
	return nil
}

// refusable answers a request of a login so that upstream refuses the password: nothing, but for ed25519 bytes that are no signature,
// since MariaDB takes any other length for a login that breaks off.
func refusable(request []byte) []byte {
	const signature = 64
	if bytes.HasPrefix(request, []byte("\xfeclient_ed25519\x00")) {
		return bytes.Repeat([]byte{0xff}, signature)
	}
	return nil
}
