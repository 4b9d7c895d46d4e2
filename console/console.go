package console

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/anonsql/anonsql/console/book"
)

// Config says where a console listens and which server it serves.
type Config struct {
	// Listen is host:port; the default host is 127.0.0.1. Required. Port 0 takes a free one. If other machines can reach it, TLS is required.
	Listen string
	// Hosts are further names, or name:port, that browsers may use, beside the console's addresses and the certificate's names.
	Hosts []string
	// Dial connects to the server on behalf of a client at an address. Required.
	Dial func(client net.Addr) (net.Conn, error)
	// TLS has the server's certificate; nil for none.
	TLS *tls.Config
	// Data is the directory for saved questions; "" means that none are saved.
	Data string
	// Import loads files that browsers upload; nil for none.
	Import Importer
	// HasAccount reports whether the server has an account, so that saved questions are deleted with their account. May be nil.
	HasAccount func(user, host string) bool
	// Logger receives the address and errors of the listener. Required.
	Logger *slog.Logger
	// Serve calls Ready once, with the bound address. May be nil.
	Ready func(net.Addr)
}

// A console is one listener with its sessions.
type console struct {
	sessions *sessions
	book     *book.Book
	crowd    *crowd
	importer Importer
	uploads  string                                 // where uploaded files are during loading; "" for the system's directory
	free     func(directory string) (uint64, error) // free bytes on its disk
	port     string
	hosts    []string
	secure   *x509.Certificate // that browsers see; nil without TLS
	trying   chan struct{}     // bounds simultaneous sign-ins
	failed   time.Duration     // delay of the answer to a wrong sign-in
	// formTime bounds the arrival of a form, and of a file's token; fileTime that of a file.
	formTime, fileTime time.Duration
}

// Address returns host:port to listen on, or an error if a console may not listen there.
func Address(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("the console's address is %q, must be host:port: %w", listen, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if host != "localhost" && net.ParseIP(host) == nil {
		return "", fmt.Errorf("the console's address is %q, must be that of an interface, such as 127.0.0.1 or 0.0.0.0 for all; "+
			"names for browsers are --console-host", listen)
	}
	return net.JoinHostPort(host, port), nil
}

// exposed reports whether other machines can reach an address that Address returned.
func exposed(address string) bool {
	host, _, _ := net.SplitHostPort(address) // Address has checked it
	ip := net.ParseIP(host)
	return ip != nil && !ip.IsLoopback()
}

// Serve serves until ctx ends. Sessions and their questions end with it.
func Serve(ctx context.Context, config Config) error {
	address, err := Address(config.Listen)
	if err != nil {
		return err
	}
	remote := exposed(address)
	if remote && (config.TLS == nil || len(config.TLS.Certificates) == 0) {
		return fmt.Errorf("the console does not listen on %s, where others would send passwords: the server has no certificate; "+
			"name one (--tls-cert, --tls-key), have one made (--tls-self-signed), or listen on 127.0.0.1", address)
	}
	socket, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s for the console: %w: take another address with --console, such as 127.0.0.1:8444", address, err)
	}
	c, err := newConsole(config, socket, remote)
	if err != nil {
		socket.Close()
		return err
	}
	defer c.sessions.endAll()
	front := &http.Server{Handler: c.routes(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10, ConnState: c.crowd.state,
		ErrorLog: slog.NewLogLogger(config.Logger.Handler(), slog.LevelDebug)}
	listener, scheme := socket, "http://"
	if c.secure != nil {
		offered := &tls.Config{Certificates: config.TLS.Certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
		listener, scheme = tls.NewListener(socket, offered), "https://"
	}
	config.Logger.Info("console", "address", scheme+socket.Addr().String())
	if config.Ready != nil {
		config.Ready(socket.Addr())
	}
	return c.serve(ctx, front, listener, config.Logger)
}

// newConsole returns a console on an open socket. remote says that other machines can reach it.
func newConsole(config Config, socket net.Listener, remote bool) (*console, error) {
	_, port, err := net.SplitHostPort(socket.Addr().String())
	if err != nil {
		return nil, err
	}
	c := &console{sessions: newSessions(config.Dial, config.TLS), crowd: newCrowd(), port: port, hosts: config.Hosts,
		trying: make(chan struct{}, maxTrying), failed: time.Second, formTime: bodyTime, fileTime: uploadTime}
	c.importer, c.free = config.Import, freeBytes
	if config.Data != "" {
		if err := c.forgetUploads(config.Data); err != nil {
			return nil, err
		}
		c.book = book.New(config.Data, config.HasAccount)
	}
	if remote {
		c.secure, err = x509.ParseCertificate(config.TLS.Certificates[0].Certificate[0])
	}
	return c, err
}

// serve ends with ctx. Running answers have one second to finish.
func (c *console) serve(ctx context.Context, front *http.Server, socket net.Listener, logger *slog.Logger) error {
	ended := make(chan error, 1)
	go func() { ended <- front.Serve(socket) }()
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		if err := c.book.Forget(); err != nil {
			logger.Warn("saved questions of the console", "error", err)
		}
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

// routes returns everything that a browser can request.
func (c *console) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sign-in", c.signInForm)
	mux.HandleFunc("POST /sign-in", c.signIn)
	mux.Handle("POST /sign-out", c.signedIn(c.signOut))
	mux.Handle("GET /{$}", c.signedIn(releases))
	mux.Handle("GET /release", c.signedIn(c.release))
	mux.Handle("GET /report", c.signedIn(fullReport))
	mux.Handle("GET /ask", c.signedIn(c.askForm))
	mux.Handle("POST /ask", c.signedIn(c.ask))
	mux.Handle("POST /ask/compose", c.signedIn(c.compose))
	mux.Handle("POST /ask/csv", c.signedIn(c.export))
	mux.Handle("POST /stop", c.signedIn(c.stop))
	mux.Handle("POST /questions", c.signedIn(c.saveQuestion))
	mux.Handle("POST /questions/delete", c.signedIn(c.deleteQuestion))
	mux.Handle("GET /publish", c.signedIn(c.publishForm))
	mux.Handle("POST /publish", c.signedIn(c.publish))
	mux.Handle("POST /measure", c.signedIn(measure))
	mux.Handle("GET /work", c.signedIn(c.showWork))
	mux.Handle("GET /work/stage", c.signedIn(c.showStage))
	mux.Handle("POST /work/stop", c.signedIn(c.endWork))
	mux.Handle("GET /jobs", c.signedIn(jobs))
	mux.Handle("POST /jobs/stop", c.signedIn(stopJob))
	mux.Handle("GET /accounts", c.signedIn(accounts))
	mux.Handle("POST /accounts", c.signedIn(c.changeAccount))
	mux.HandleFunc("POST "+uploadPath, c.upload)
	mux.HandleFunc("GET /page/{file}", asset)
	return c.guard(mux)
}
