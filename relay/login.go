package relay

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/anonsql/anonsql/relay/protocol"
)

// longestLogin bounds a login packet, in bytes: connection attributes have at most 64 KiB.
const longestLogin = 128 << 10

// A refusal is an error that the relay itself sends to a client.
type refusal struct {
	code    uint16
	state   string
	message string
}

func (r refusal) Error() string { return fmt.Sprintf("%d (%s): %s", r.code, r.state, r.message) }

// login connects upstream, shows its greeting to the client and passes the client's login on.
// Upstream's reply is the first answer of the session. wanted ends when the client must go.
func (s *Session) login(wanted context.Context) error {
	config := s.relay.config
	ctx, cancel := context.WithTimeout(wanted, config.LoginTimeout)
	defer cancel()
	sequence := byte(0) // of the next packet to the client
	err := s.connect(ctx)
	if config.Reached != nil && wanted.Err() == nil {
		config.Reached(err)
	}
	if err == nil {
		deadline, _ := ctx.Deadline()
		_ = s.client.SetDeadline(deadline)
		_ = s.upstream.SetDeadline(deadline)
		if sequence, err = s.introduce(s.ctx); err == nil {
			_ = s.client.SetDeadline(time.Time{})
			_ = s.upstream.SetDeadline(time.Time{})
			return nil
		}
		if len(s.due) == 0 { // upstream has received no login
			s.relay.excuse(s.ctx, s.upstream, s.greeting)
		}
	}
	if told, ok := errors.AsType[refusal](err); ok {
		_, _ = s.client.Write(frame(sequence, protocol.Error(told.code, told.state, told.message, s.capabilities)))
	}
	if s.upstream != nil {
		s.upstream.Close()
	}
	return err
}

// connect connects to upstream and reads its greeting. It quotes upstream's refusal. It reads the greeting even if the
// context has ended since: upstream counts clients that leave without a login.
func (s *Session) connect(ctx context.Context) (err error) {
	config := s.relay.config
	unreachable := func(err error) error {
		return refusal{1429, "08S01", fmt.Sprintf("anonsql cannot reach the upstream server %s: %v", config.Address, err)}
	}
	if s.upstream, err = config.dial(ctx); err != nil {
		return unreachable(err)
	}
	raw := s.upstream // TLS replaces s.upstream
	context.AfterFunc(s.ctx, func() { raw.Close() })
	deadline, _ := ctx.Deadline()
	_ = s.upstream.SetDeadline(deadline)
	packet, _, err := protocol.ReadPacket(s.upstream, longestLogin)
	if err != nil {
		return unreachable(err)
	}
	if protocol.IsError(packet) {
		_, _ = s.client.Write(frame(0, packet))
		return errors.New("upstream refuses the connection")
	}
	if s.greeting, err = protocol.ParseGreeting(packet); err != nil {
		return unreachable(err)
	}
	if config.UpstreamTLS != nil && s.greeting.Capabilities&protocol.TLS == 0 {
		return refusal{1429, "08S01", fmt.Sprintf("the upstream server %s has no TLS, and anonsql must use it", config.Address)}
	}
	return nil
}

// introduce performs the greeting, TLS on both sides, and the client's login. On an error it
// returns the sequence number for the error packet to the client.
func (s *Session) introduce(ctx context.Context) (sequence byte, err error) {
	config := s.relay.config
	offered := s.greeting.Capabilities &^ (protocol.Hidden | protocol.TLS)
	if config.ClientTLS != nil {
		offered |= protocol.TLS
	}
	if _, err := s.client.Write(frame(0, s.greeting.Offer(offered))); err != nil {
		return 0, err
	}
	packet, login, sequence, err := s.readLogin()
	if err != nil {
		return sequence + 1, err
	}
	if login.Request {
		if config.ClientTLS == nil {
			return sequence + 1, refusal{1043, "08S01", "TLS was not offered"}
		}
		secured := tls.Server(s.client, config.ClientTLS)
		s.client = secured
		if err := secured.HandshakeContext(ctx); err != nil {
			return 0, err // there is no channel for a message
		}
		if packet, login, sequence, err = s.readLogin(); err != nil {
			return sequence + 1, err
		}
		s.clientTLS = true
	}
	s.capabilities = login.Capabilities &^ protocol.Hidden & s.greeting.Capabilities
	if config.RequireTLS && !s.clientTLS {
		return sequence + 1, refusal{3159, "HY000", "this server takes connections with TLS only"}
	}
	return sequence + 1, s.present(ctx, packet, login, sequence)
}

// readLogin reads the client's login or its TLS request.
func (s *Session) readLogin() ([]byte, protocol.Login, byte, error) {
	packet, sequence, err := protocol.ReadPacket(s.client, longestLogin)
	if err != nil {
		return nil, protocol.Login{}, sequence, err
	}
	login, err := protocol.ParseLogin(packet)
	if err != nil {
		err = refusal{1043, "08S01", err.Error()}
	}
	return packet, login, sequence, err
}

// present passes the client's login on, after TLS if upstream requires it.
func (s *Session) present(ctx context.Context, packet []byte, login protocol.Login, sequence byte) error {
	config := s.relay.config
	chosen, next := login.Capabilities&^(protocol.Hidden|protocol.TLS), byte(1)
	if config.UpstreamTLS != nil {
		chosen, next = chosen|protocol.TLS, 2
	}
	packet = protocol.Choose(packet, chosen)
	if config.UpstreamTLS != nil {
		lost := func(err error) error {
			return refusal{1429, "08S01", fmt.Sprintf("TLS to the upstream server %s: %v", config.Address, err)}
		}
		if _, err := s.upstream.Write(frame(1, protocol.RequestTLS(packet))); err != nil {
			return lost(err)
		}
		secured := tls.Client(s.upstream, config.UpstreamTLS)
		if err := secured.HandshakeContext(ctx); err != nil {
			return lost(err)
		}
		s.upstream = secured
	}
	if _, err := s.upstream.Write(frame(next, packet)); err != nil {
		return refusal{1430, "08S01", fmt.Sprintf("lost the upstream server %s during login: %v", config.Address, err)}
	}
	s.fromClient.Shift, s.fromUpstream.Shift = next-sequence, sequence-next
	s.sent.Store(uint32(sequence))
	s.due = []*due{{Answer: protocol.NewLogin(), account: login.Account, login: true}}
	return nil
}

// sameEncryption reports whether both connections are equally safe, so that a password in the clear may be passed on, and an encrypted one too.
func (s *Session) sameEncryption() bool {
	return s.safe(s.client, s.clientTLS) == s.safe(s.upstream, s.relay.config.UpstreamTLS != nil)
}

func (*Session) safe(c net.Conn, secured bool) bool {
	return secured || c.RemoteAddr().Network() == "unix"
}

func frame(sequence byte, payload []byte) []byte {
	p, _ := protocol.AppendPacket(nil, sequence, payload)
	return p
}
