package wire

import (
	"bufio"
	"net"
	"testing"
	"time"
)

// An owner's connection is not idle here while the owner's statements go to the other server. That server ends it.
func TestOwnersAreNotIdle(t *testing.T) {
	for _, owner := range []*Owner{nil, {}} {
		client, server := net.Pipe()
		p := NewOwnerConn(NewPacketConn(server, nil), owner)
		p.in, p.idle.patience = bufio.NewReader(server), time.Hour
		go func() { _, _ = client.Write(make([]byte, packetHead)) }()
		if err := p.await(); err != nil {
			t.Error(err)
		}
		if timed := p.idle.timer != nil; timed != (owner == nil) {
			t.Errorf("an owner's connection: %v, has a timer: %v", owner != nil, timed)
		}
		p.idle.stop()
		client.Close()
		server.Close()
	}
}
