package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"strings"
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
	for _, c := range []struct {
		name         string
		length, room int
	}{
		{"many", 0, maxRequests}, {"long", LargestRequest/4 + 1<<13, 4},
	} {
		t.Run(c.name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { tellRoom(t, c.length, c.room) }) })
	}
}

// tellRoom fails unless room requests with texts of a length are read before an answer, and one after each.
func tellRoom(t *testing.T, length, room int) {
	var sent bytes.Buffer
	encoder, text := gob.NewEncoder(&sent), strings.Repeat("x", length)
	for i := range room + 2 {
		if err := errors.Join(encoder.Encode(rpc.Request{ServiceMethod: "Front.Account", Seq: uint64(i)}), encoder.Encode(AnyRequest{text})); err != nil {
			t.Fatal(err)
		}
	}
	c := newCodec(&stream{Reader: &sent})
	read := 0
	go func() {
		for range room + 2 {
			if err := errors.Join(c.ReadRequestHeader(new(rpc.Request)), c.ReadRequestBody(new(AnyRequest))); err != nil {
				t.Error(err)
			}
			read++
		}
	}()
	for answered := range 3 {
		synctest.Wait()
		if want := room + answered; read != want {
			t.Fatalf("after %d answers %d requests are read, want %d", answered, read, want)
		}
		if err := c.WriteResponse(&rpc.Response{Seq: uint64(answered)}, struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
}

// A number that still waits for its answer would hide the bytes of the first request.
func TestRequestTwice(t *testing.T) {
	var sent bytes.Buffer
	encoder := gob.NewEncoder(&sent)
	s := &stream{Reader: &sent}
	c := newCodec(s)
	for i, want := range []string{"<nil>", "request 3 came twice"} {
		if err := errors.Join(encoder.Encode(rpc.Request{Seq: 3}), encoder.Encode(AnyRequest{})); err != nil {
			t.Fatal(err)
		}
		if err := c.ReadRequestHeader(new(rpc.Request)); err != nil {
			t.Fatal(err)
		}
		if err := c.ReadRequestBody(new(AnyRequest)); fmt.Sprint(err) != want || s.closed != (i == 1) {
			t.Errorf("%v, closed: %t", err, s.closed)
		}
	}
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
