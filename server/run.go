package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"syscall"

	gms "github.com/dolthub/go-mysql-server/server"

	"github.com/anonsql/anonsql/catalog"
)

// Run opens the catalog, serves clients until ctx ends, and closes everything. It
// returns nil if ctx ended and everything closed without error.
func Run(ctx context.Context, config Config) (err error) {
	config, err = config.withDefaults()
	if err != nil {
		return err
	}
	log := holdBack(config.Logger.Handler())
	config.Logger = slog.New(log)
	defer log.release()
	metrics := newMetrics()
	monitor, err := startMonitor(config, metrics.registry)
	if err != nil {
		return err
	}
	defer monitor.close()
	store, err := catalog.Open(config.DataDir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, note := range store.Narrowed() {
		config.Logger.Warn(note)
	}

	audit, err := openAudit(config, store.Begun())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, audit.Close()) }()

	s, err := newInstance(config, store, audit, metrics)
	if err != nil {
		return err
	}
	s.monitor, s.log = monitor, log
	s.addEngine()
	defer s.refusedLogins.Flush()
	defer s.refusals.flush()
	if err := config.setConnectionVariables(); err != nil {
		return err
	}
	defer func() {
		// The engine's background threads end with the error of their context.
		if closing := s.engine.Close(); !errors.Is(closing, context.Canceled) {
			err = errors.Join(err, closing)
		}
	}()
	return s.serve(ctx)
}

// serve listens until ctx ends, then lets running statements finish within
// Config.ShutdownGrace.
func (s *instance) serve(ctx context.Context) error {
	if err := s.checkExposure(); err != nil {
		return err
	}
	tlsConfig, err := s.config.tls()
	if err != nil {
		return err
	}
	socket, err := net.Listen("tcp", s.config.Listen)
	if err != nil {
		return cannotListen(s.config.Listen, err)
	}
	door := &doorListener{Listener: socket, door: s.connections.Door, metrics: s.metrics, tls: tlsConfig, logger: s.config.Logger}
	door.opened()
	front, err := s.front(door)
	if err != nil {
		socket.Close()
		return fmt.Errorf("cannot serve on %s: %w", s.config.Listen, err)
	}
	if !s.config.InProcess {
		s.workers = newWorkers(s, os.Stderr)
		defer s.workers.pool.Close()
	}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		front.Listener.Accept()
	}()
	address := socket.Addr().String()
	s.address.Store(&address)
	s.monitor.serving(s.store)
	s.log.writeFirst("ready for clients", s.waysIn(address, tlsConfig)...)
	if s.config.Ready != nil {
		s.config.Ready(socket.Addr())
	}
	stopWork := s.work(ctx)
	defer stopWork()
	ended, stopBeside := s.runBeside(ctx, door)
	defer stopBeside()
	var failed error
	defer s.memory.Start()()
	select {
	case <-ctx.Done():
	case <-accepting:
	case failed = <-ended:
	}
	stopBeside()
	s.monitor.stopping()
	s.config.Logger.Info("stopping: statements that run may finish", "within", s.config.ShutdownGrace)
	front.Listener.Close()
	<-accepting
	if left := s.connections.Drain(s.config.ShutdownGrace); left > 0 {
		s.config.Logger.Warn("statements did not stop when they were cancelled", "connections", left)
	}
	if failed != nil {
		return failed
	}
	if ctx.Err() == nil {
		return fmt.Errorf("the listener on %s stopped by itself", s.config.Listen)
	}
	return nil
}

// work starts the extensions' background work; stop ends it and waits.
func (s *instance) work(ctx context.Context) (stop func()) {
	if s.background == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.background(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

// front makes the protocol layer on an open socket.
func (s *instance) front(door *doorListener) (*gms.Server, error) {
	front, err := gms.NewServerWithHandler(gms.Config{
		Protocol: "tcp",
		Address:  door.Addr().String(),
		Listener: door,
		Version:  Version,
		// Without TLS: server/wire does it, and authentication.go requires it.
		ProtocolListenerFactory: s.listen,
	}, s.engine, s.newContext, s.newSession, nil, s.wrapHandler)
	if err != nil {
		return nil, err
	}
	s.sessions.Store(front.SessionManager())
	return front, nil
}

// cannotListen adds a hint for an address in use: often another server or a demo still runs there.
func cannotListen(address string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("cannot listen on %s: %w: end the server or demo that is there, or take another address with --listen, such as 127.0.0.1:3316", address, err)
	}
	return fmt.Errorf("cannot listen on %s: %w", address, err)
}
