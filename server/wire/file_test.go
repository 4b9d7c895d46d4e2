package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A client that falls silent within its file holds no statement that was ended, and what it sends afterwards is no command.
func TestSilentFilesEnd(t *testing.T) {
	for name, endsFirst := range map[string]bool{"the statement ends within the file": false, "it has ended before the file": true} {
		synctest.Test(t, func(t *testing.T) {
			socket, client := net.Pipe()
			defer client.Close()
			defer socket.Close()
			p := NewPacketConn(socket, nil)
			p.greeted, p.in = true, bufio.NewReader(socket)
			p.Known.Store(true)
			ctx, cancel := context.WithCancel(t.Context())
			p.begin(func(error) {})
			end := p.sender.begin(ctx)
			if endsFirst {
				cancel()
				synctest.Wait()
			}
			go client.Write([]byte{9, 0, 0, 2, 'a', 'b'}) // and no more of the packet's nine bytes
			var b [9]byte
			go func() {
				synctest.Wait()
				cancel()
			}()
			_, err := io.ReadFull(p, b[:])
			for err == nil {
				_, err = io.ReadFull(p, b[:])
			}
			if !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: %v", name, err)
			}
			p.end()
			end(false)
			if n, err := p.Read(b[:]); err != io.EOF {
				t.Errorf("%s: then %d bytes, %v", name, n, err)
			}
		})
	}
}

// A file that arrives in time leaves no deadline to the commands after it.
func TestFilesLeaveNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		socket, client := net.Pipe()
		defer client.Close()
		defer socket.Close()
		s := &sender{socket: socket}
		ctx, cancel := context.WithCancel(t.Context())
		end := s.begin(ctx)
		s.receives()
		cancel()
		synctest.Wait()
		end(false)
		time.Sleep(2 * lingerFor) // of the bubble's clock
		go client.Write([]byte{1})
		if _, err := socket.Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
	})
}
