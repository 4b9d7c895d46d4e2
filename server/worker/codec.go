package worker

import (
	"bufio"
	"encoding/gob"
	"io"
	"net/rpc"
)

// Bounds of what a worker may have its front do.
const (
	// LargestRequest bounds a request of a worker, and its answer to a call, in bytes.
	LargestRequest = 64 << 20
	// maxRequests is the number of requests that the front reads before it has written its answers to them.
	maxRequests = 100
)

// A codec is net/rpc's encoding with bounds, for the front's end of a worker's sockets. Beyond maxRequests it reads on when the worker has
// taken an answer: one that takes none waits, and costs no more memory.
type codec struct {
	messages *io.LimitedReader
	read     *gob.Decoder
	write    *gob.Encoder
	buffer   *bufio.Writer
	socket   io.Closer
	waiting  chan struct{} // requests without a written answer
}

var (
	_ rpc.ServerCodec = (*codec)(nil)
	_ rpc.ClientCodec = (*codec)(nil)
)

func newCodec(socket io.ReadWriteCloser) *codec {
	messages, buffer := &io.LimitedReader{R: socket}, bufio.NewWriter(socket)
	return &codec{messages, gob.NewDecoder(messages), gob.NewEncoder(buffer), buffer, socket, make(chan struct{}, maxRequests)}
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
	c.waiting <- struct{}{}
	return c.decode(r)
}

// ReadRequestBody implements rpc.ServerCodec.
func (c *codec) ReadRequestBody(body any) error { return c.decode(body) }

// WriteResponse implements rpc.ServerCodec.
func (c *codec) WriteResponse(r *rpc.Response, body any) error {
	defer func() { <-c.waiting }()
	err := c.encode(r, body)
	if err != nil {
		c.Close() // the worker would wait for an answer that has no end
	}
	return err
}

// WriteRequest implements rpc.ClientCodec.
func (c *codec) WriteRequest(r *rpc.Request, body any) error { return c.encode(r, body) }

// ReadResponseHeader implements rpc.ClientCodec.
func (c *codec) ReadResponseHeader(r *rpc.Response) error { return c.decode(r) }

// ReadResponseBody implements rpc.ClientCodec.
func (c *codec) ReadResponseBody(body any) error { return c.decode(body) }

// Close closes the socket.
func (c *codec) Close() error { return c.socket.Close() }
