package demo

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
	"github.com/anonsql/anonsql/console"
	"github.com/anonsql/anonsql/server"
)

// The sample has enough people for good estimates and loads in a second; the seed makes all
// demonstrations alike.
const (
	sampleRows = 50_000
	sampleSeed = 1
)

// A house is the running server with its directory and connections.
type house struct {
	address   string
	console   string // host:port, "" for none
	directory string
	temporary []string // removed at the end
	owner     *sql.DB
	analyst   *sql.DB
	cancel    context.CancelFunc
	ended     chan error
	replaces  bool // an earlier run left its release
}

func openHouse(ctx context.Context, o Options) (*house, error) {
	h := &house{directory: o.DataDir, ended: make(chan error, 1)}
	if h.directory == "" {
		directory, err := os.MkdirTemp("", "anonsql-demo-")
		if err != nil {
			return nil, err
		}
		h.directory, h.temporary = filepath.Join(directory, "data"), []string{directory}
	}
	if err := h.start(ctx, o); err != nil {
		h.close()
		return nil, err
	}
	var err error
	if h.owner, err = h.connect(ctx, "root", ""); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// freeAddress returns an address, with another port if the requested one is taken.
func freeAddress(listen string) string {
	probe, err := net.Listen("tcp", listen)
	if err == nil {
		probe.Close()
	} else if host, _, splitErr := net.SplitHostPort(listen); splitErr == nil && errors.Is(err, syscall.EADDRINUSE) {
		return net.JoinHostPort(host, "0")
	}
	return listen
}

// serveConsole returns a function that serves a data directory's console and sends its address on opened.
func (o Options) serveConsole(directory string, opened chan<- net.Addr) (func(context.Context, server.Inside) error, error) {
	if o.Console == "" || o.Exit {
		opened <- nil
		return nil, nil
	}
	listen, err := console.Address(o.Console)
	if err != nil {
		return nil, err
	}
	if server.Exposed(listen) {
		return nil, fmt.Errorf(
			"the console's address is %q, must be on the loopback interface: accounts of the demonstration have no passwords, or ones that everybody knows",
			o.Console,
		)
	}
	return func(ctx context.Context, inside server.Inside) error {
		return console.Serve(
			ctx,
			console.Config{
				Listen:     freeAddress(listen),
				Dial:       inside.Dial,
				TLS:        inside.TLS,
				Data:       filepath.Join(directory, "console"),
				Import:     importer.LoadFile,
				HasAccount: inside.HasAccount,
				Logger:     inside.Logger,
				Ready:      func(a net.Addr) { opened <- a },
			},
		)
	}, nil
}

// start runs the server, on another port if the requested one is taken.
func (h *house) start(ctx context.Context, o Options) error {
	opened := make(chan net.Addr, 1)
	beside, err := o.serveConsole(h.directory, opened)
	if err != nil {
		return err
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	h.cancel = cancel
	ready := make(chan net.Addr, 1)
	go func() {
		h.ended <- server.Run(serving, server.Config{
			DataDir: h.directory, Listen: freeAddress(o.Listen), Extend: server.Product, Beside: beside,
			Ready:  func(a net.Addr) { ready <- a },
			Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		})
	}()
	return h.await(ctx, ready, opened)
}

// await waits until clients can connect and the console is open.
func (h *house) await(ctx context.Context, ready, opened <-chan net.Addr) error {
	for ready != nil || opened != nil {
		select {
		case a := <-ready:
			h.address, ready = a.String(), nil
		case a := <-opened:
			if opened = nil; a != nil {
				h.console = a.String()
			}
		case err := <-h.ended:
			h.ended <- err
			if err == nil {
				err = errors.New("the server ended before it was ready")
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (h *house) connect(ctx context.Context, user, password string) (*sql.DB, error) {
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(%s)/?parseTime=false", user, password, h.address))
	if err != nil {
		return nil, err
	}
	return db, db.PingContext(ctx)
}

func (h *house) connectAnalyst(ctx context.Context) (err error) {
	h.analyst, err = h.connect(ctx, analyst, password)
	return err
}

// forgetEarlierRun removes what an earlier demonstration left in a kept directory.
func (h *house) forgetEarlierRun(ctx context.Context) error {
	var releases int
	if err := h.owner.QueryRowContext(ctx, "SELECT COUNT(*) FROM anonsql.releases WHERE name = ?", table).Scan(&releases); err != nil {
		return err
	}
	// The old release stays until the new one, of the same table, replaces it.
	h.replaces = releases > 0
	statements := []string{"CREATE DATABASE IF NOT EXISTS " + database, "DROP TABLE IF EXISTS " + database + "." + table}
	for _, statement := range statements {
		if _, err := h.owner.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// file returns the CSV to load: the user's, or a written sample.
func (o Options) file(h *house) (path, description string, err error) {
	if o.CSV != "" {
		return o.CSV, o.CSV, nil
	}
	f, err := os.CreateTemp("", "anonsql-people-*.csv")
	if err != nil {
		return "", "", err
	}
	h.temporary = append(h.temporary, f.Name())
	w := bufio.NewWriter(f)
	err = errors.Join(sample.WriteCSV(w, o.people, sampleSeed), w.Flush(), f.Close())
	return f.Name(), "A sample of people who do not exist", err
}

func (h *house) importOptions(o Options, file string) importer.Options {
	return importer.Options{
		File: file, Database: database, Table: table, Server: h.address, User: "root",
		NullTokens: []string{"?", ""}, Progress: o.Progress,
	}
}

func (h *house) sayHowToConnect(t *transcript) {
	host, port, _ := net.SplitHostPort(h.address)
	t.title("Your turn")
	t.printf("As the owner:    mariadb -h %s -P %s -u root %s", host, port, database)
	t.printf("As an analyst:   mariadb -h %s -P %s -u %s -p%s published", host, port, analyst, password)
	if h.console != "" {
		t.printf("In a browser:    http://%s (root without a password, or %s with the password %s)", h.console, analyst, password)
	}
	t.printf("(mysql takes the same arguments; BI tools connect as to any MySQL server.)")
}

// wait serves until ctx ends or the server fails.
func (h *house) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return h.stop()
	case err := <-h.ended:
		h.ended <- err
		return err
	}
}

// stop ends the server and returns its error.
func (h *house) stop() error {
	h.cancel()
	err := <-h.ended
	h.ended <- err
	return err
}

func (h *house) close() {
	for _, db := range []*sql.DB{h.owner, h.analyst} {
		if db != nil {
			db.Close()
		}
	}
	if h.cancel != nil {
		_ = h.stop()
	}
	for _, path := range h.temporary {
		_ = os.RemoveAll(path)
	}
}
