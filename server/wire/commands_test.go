package wire

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/server/sqlerror"
)

// An execution of 16 MiB is refused like a shorter one for the data that were sent before it, and counts as one.
func TestLongExecution(t *testing.T) {
	t.Parallel()
	const statement = 7
	for name, c := range map[string]struct {
		sent    *longData
		spoiled bool
		want    int
	}{
		"accepted data":                {sent: &longData{size: 9}},
		"refused data":                 {sent: &longData{refused: sqlerror.New(sqlerror.PacketTooLarge, "too long")}, want: sqlerror.PacketTooLarge},
		"data for a missing parameter": {spoiled: true, want: sqlerror.BadParameter},
	} {
		socket, client := net.Pipe()
		p := NewPacketConn(socket, nil)
		p.Announced = &mysql.Conn{PrepareData: map[uint32]*mysql.PrepareData{statement: {}}}
		p.in = bufio.NewReader(strings.NewReader("\x17\x07\x00\x00\x00\x00\x01\x00\x00\x00"))
		p.long, p.spoiled = map[uint32]*longData{statement: c.sent}, map[uint32]bool{statement: c.spoiled}
		answered := make(chan []byte, 1)
		go func() {
			answer := make([]byte, 256)
			n, _ := client.Read(answer) // the error of a read leaves no answer
			client.Close()
			answered <- answer[:n]
		}()
		p.more = true
		err := p.command([packetHead]byte{0xff, 0xff, 0xff, 0}, fullPart)
		socket.Close()
		if answer := <-answered; c.want == 0 {
			if err != nil || p.executed != statement || len(answer) > 0 {
				t.Errorf("%s: %v, statement %d, the answer %q", name, err, p.executed, answer)
			}
		} else if err != io.EOF || len(answer) < 7 || int(binary.LittleEndian.Uint16(answer[5:])) != c.want {
			t.Errorf("%s: %v, the answer %q, must be error %d", name, err, answer, c.want)
		}
	}
}
