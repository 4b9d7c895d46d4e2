package worker

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"net/rpc"
	"sync"
)

// Bounds of what a worker may have its front do.
const (
	// LargestRequest bounds a request of a worker, and its answer to a call, in bytes.
	LargestRequest = 64 << 20
	// maxRequests is the number of requests that the front reads before it has written its answers to them.
	maxRequests = 1000
)

// A codec is net/rpc's encoding with bounds, for the front's end of a worker's sockets. Beyond maxRequests without a written answer, or beyond
// LargestRequest bytes of them, it reads on when the worker has taken an answer: one that takes none waits, and costs no more memory.
type codec struct {
	messages *io.LimitedReader
	read     *gob.Decoder
	write    *gob.Encoder
	buffer   *bufio.Writer
	socket   io.Closer

	mu        sync.Mutex
	answered  sync.Cond
	number    uint64           // of the request that is being read
	waiting   map[uint64]int64 // the bytes of requests without a written answer, by number
	unwritten int64            // their sum
}

var (
	_ rpc.ServerCodec = (*codec)(nil)
	_ rpc.ClientCodec = (*codec)(nil)
)

func newCodec(socket io.ReadWriteCloser) *codec {
	messages, buffer := &io.LimitedReader{R: socket}, bufio.NewWriter(socket)
	c := &codec{messages: messages, read: gob.NewDecoder(messages), write: gob.NewEncoder(buffer), buffer: buffer, socket: socket,
		waiting: map[uint64]int64{}}
	c.answered.L = &c.mu
	return c
}

func (c *codec) decode(message any) error {
	c.messages.N = LargestRequest
	err := c.read.Decode(message)
	if c.messages.N <= 0 {
		c.Close() // what follows is the rest of the message
	}
	return err
}

func (c *codec) encode(header, body any) error {
	if err := c.write.Encode(header); err != nil {
		return err
	}
	if err := c.write.Encode(body); err != nil {
		return err
	}
	return c.buffer.Flush()
}

// ReadRequestHeader implements rpc.ServerCodec.
func (c *codec) ReadRequestHeader(r *rpc.Request) error {
	c.mu.Lock()
	for len(c.waiting) >= maxRequests || c.unwritten > LargestRequest {
		c.answered.Wait()
	}
	c.mu.Unlock()
	err := c.decode(r)
	c.number = r.Seq
	return err
}

// ReadRequestBody implements rpc.ServerCodec.
func (c *codec) ReadRequestBody(body any) error {
	err := c.decode(body)
	size := LargestRequest - c.messages.N
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, twice := c.waiting[c.number]; twice {
		c.Close()
		return fmt.Errorf("request %d came twice", c.number)
	}
	c.waiting[c.number] = size
	c.unwritten += size
	return err
}

// WriteResponse implements rpc.ServerCodec.
func (c *codec) WriteResponse(r *rpc.Response, body any) error {
	defer c.forget(r.Seq)
	err := c.encode(r, body)
	if err != nil {
		c.Close() // the worker would wait for an answer that has no end
	}
	return err
}

func (c *codec) forget(number uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unwritten -= c.waiting[number]
	delete(c.waiting, number)
	c.answered.Broadcast()
}

// WriteRequest implements rpc.ClientCodec.
func (c *codec) WriteRequest(r *rpc.Request, body any) error { return c.encode(r, body) }

// ReadResponseHeader implements rpc.ClientCodec.
func (c *codec) ReadResponseHeader(r *rpc.Response) error { return c.decode(r) }

// ReadResponseBody implements rpc.ClientCodec.
func (c *codec) ReadResponseBody(body any) error { return c.decode(body) }

// Close closes the socket.
func (c *codec) Close() error { return c.socket.Close() }
