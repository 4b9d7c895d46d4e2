package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"io"
	"net/rpc"
	"testing"
	"testing/synctest"
)

// A stream is a socket whose other end has sent some bytes and takes everything.
type stream struct {
	io.Reader
	closed bool
}

func (*stream) Write(data []byte) (int, error) { return len(data), nil }

func (s *stream) Close() error {
	s.closed = true
	return nil
}

// The front reads no more requests than it has room for until their answers are written, so that a worker that takes none costs no more
// memory.
func TestRequestsWithoutAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent bytes.Buffer
		encoder := gob.NewEncoder(&sent)
		for i := range maxRequests + 2 {
			if err := encoder.Encode(rpc.Request{ServiceMethod: "Front.Part", Seq: uint64(i)}); err != nil {
				t.Fatal(err)
			}
		}
		c := newCodec(&stream{Reader: &sent})
		read := 0
		go func() {
			for range maxRequests + 2 {
				if err := c.ReadRequestHeader(new(rpc.Request)); err != nil {
					t.Error(err)
				}
				read++
			}
		}()
		for answered := range 3 {
			synctest.Wait()
			if want := min(maxRequests+answered, maxRequests+2); read != want {
				t.Fatalf("after %d answers %d requests are read, want %d", answered, read, want)
			}
			if err := c.WriteResponse(new(rpc.Response), struct{}{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}

type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	clear(data)
	return len(data), nil
}

// A request that is too long ends the connection before it is in memory.
func TestLongRequests(t *testing.T) {
	const length = 1 << 32
	begins := append([]byte{0xfc}, make([]byte, 4)...) // gob: four bytes of length follow
	binary.BigEndian.PutUint32(begins[1:], length-1)
	s := &stream{Reader: io.MultiReader(bytes.NewReader(begins), zeros{})}
	if err := newCodec(s).ReadRequestBody(new(AnyRequest)); err == nil || !s.closed {
		t.Errorf("%v, closed: %t", err, s.closed)
	}
}

// AnyRequest is a request's body.
type AnyRequest struct{ Text string }
