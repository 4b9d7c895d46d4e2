package console

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Config says where a console listens, and which server it is for.
type Config struct {
	// Listen is host:port on the loopback interface; without a host it is 127.0.0.1. Required. Port 0 takes a free one.
	Listen string
	// Server is host:port of the server's own listener. Required.
	Server string
	// TLS has the server's certificate; nil where it has none.
	TLS *tls.Config
	// Logger gets the address, and what goes wrong with the listener. Required.
	Logger *slog.Logger
	// Ready is called once, with the bound address. May be nil.
	Ready func(net.Addr)
}

// A console is one listener with its sessions.
type console struct {
	sessions *sessions
	port     string
	trying   chan struct{} // sign-ins at once
	failed   time.Duration // how long a wrong sign-in waits for its answer
}

// Address returns host:port to listen on, or why a console may not listen there.
func Address(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("the console's address is %q, must be host:port: %w", listen, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", fmt.Errorf("the console's address is %q, must be on the loopback interface (127.0.0.1, ::1 or localhost): "+
			"it signs accounts in that the server lets in from this machine only; from another machine use a tunnel, such as ssh -L", listen)
	}
	return net.JoinHostPort(host, port), nil
}

// Serve serves until ctx ends. Sessions and what they ask end with it.
func Serve(ctx context.Context, config Config) error {
	address, err := Address(config.Listen)
	if err != nil {
		return err
	}
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s for the console: %w", address, err)
	}
	_, port, err := net.SplitHostPort(socket.Addr().String())
	if err != nil {
		socket.Close()
		return err
	}
	c := &console{sessions: newSessions(config.Server, config.TLS), port: port, trying: make(chan struct{}, mostTrying), failed: time.Second}
	defer c.sessions.endAll()
	front := &http.Server{Handler: c.routes(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(config.Logger.Handler(), slog.LevelDebug)}
	config.Logger.Info("console", "address", "http://"+socket.Addr().String())
	if config.Ready != nil {
		config.Ready(socket.Addr())
	}
	return c.serve(ctx, front, socket)
}

// serve ends with ctx. What is being answered may end within a second.
func (c *console) serve(ctx context.Context, front *http.Server, socket net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- front.Serve(socket) }()
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("the console is not served any more: %w", err)
		case <-tick.C:
			c.sessions.endIdle()
			continue
		case <-ctx.Done():
		}
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if front.Shutdown(grace) != nil {
			_ = front.Close() // it only closes sockets
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}
}

// routes are all that a browser can ask for.
func (c *console) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sign-in", c.signInForm)
	mux.HandleFunc("POST /sign-in", c.signIn)
	mux.Handle("POST /sign-out", c.signedIn(c.signOut))
	mux.Handle("GET /{$}", c.signedIn(releases))
	mux.Handle("GET /release", c.signedIn(c.release))
	mux.Handle("GET /report", c.signedIn(fullReport))
	mux.Handle("GET /ask", c.signedIn(askForm))
	mux.Handle("POST /ask", c.signedIn(ask))
	mux.Handle("POST /stop", c.signedIn(stop))
	mux.Handle("GET /publish", c.signedIn(c.publishForm))
	mux.Handle("POST /publish", c.signedIn(publish))
	mux.Handle("POST /measure", c.signedIn(measure))
	mux.Handle("GET /work", c.signedIn(c.showWork))
	mux.Handle("GET /work/stage", c.signedIn(c.showStage))
	mux.Handle("POST /work/stop", c.signedIn(c.endWork))
	mux.Handle("GET /accounts", c.signedIn(accounts))
	mux.Handle("POST /accounts", c.signedIn(changeAccount))
	mux.HandleFunc("GET /page/{file}", asset)
	return c.guard(mux)
}
