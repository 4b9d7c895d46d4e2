package acceptance

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/releases"
	"github.com/anonsql/anonsql/engine/tables"
	"github.com/anonsql/anonsql/enginetest"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// An engineRecorder stands in for a distributed engine. It records requests.
type engineRecorder struct {
	*enginetest.StandIn
	client *engine.Client
}

// recordEngine starts a recorder that ends with the test.
func recordEngine(t *testing.T) *engineRecorder {
	t.Helper()
	r := &engineRecorder{StandIn: enginetest.NewStandIn(func(string) enginetest.Answer {
		return enginetest.Answer{Name: "TABLE_NOT_FOUND", Type: "USER_ERROR", Message: "there is none"}
	})}
	t.Cleanup(r.Close)
	target, err := engine.ParseURL("trino://anonsql@" + r.Address() + "/lake")
	if err != nil {
		t.Fatal(err)
	}
	if r.client, err = engine.Open(target); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.client.Close() })
	return r
}

// home returns the recorder's tables and releases, for a server's configuration.
func (r *engineRecorder) home(host server.DistributedHost) source.Beside {
	return &releases.Home{
		Home:    &tables.Home{Asker: r.client, Address: r.client.Address(), Catalog: "lake", Store: host.Store, Privileges: host.Privileges},
		Kept:    releases.NewStore(releases.Options{Conn: r.client, Address: r.client.Address(), Catalog: "lake", Private: "private", Published: "published", Identity: host.Identity}),
		Trouble: r.client.Trouble,
	}
}

// Statements returns the recorded statements, except the server's own search for remains of publications.
func (r *engineRecorder) Statements() []string {
	return slices.DeleteFunc(r.StandIn.Statements(), func(text string) bool {
		return text == `SHOW TABLES FROM "lake"."private"` || text == `SHOW TABLES FROM "lake"."published"`
	})
}

// nobody fails a test in which the engine got a statement.
func (r *engineRecorder) nobody(t *testing.T) {
	t.Helper()
	if heard := r.Statements(); len(heard) > 0 {
		t.Errorf("the engine was asked %q, must be asked nothing by analysts", heard)
	}
}

// TestOwnersReachTheEngine shows that the recorder would notice an analyst who gets through: it notices an owner.
func TestOwnersReachTheEngine(t *testing.T) {
	t.Parallel()
	distributed := recordEngine(t)
	s := servertest.Start(t, server.Config{Extend: server.Product, Distributed: distributed.home})
	_, err := s.Open(t, servertest.Root).Exec("CALL set_attributes('trino.sales.people', 'sa=disease')")
	if servertest.Number(err) != 1146 || len(distributed.Statements()) == 0 {
		t.Errorf("the owner is told %v, and the engine was asked %q", err, distributed.Statements())
	}
}

// TestNoDatabaseOfTheEnginesName: a server does not start if its store has a database that would hide tables of the engine.
func TestNoDatabaseOfTheEnginesName(t *testing.T) {
	t.Parallel()
	s := servertest.Start(t, server.Config{Extend: server.Product})
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE `trino.sales`")
	s.Stop(t)
	config := s.Config
	config.Distributed = recordEngine(t).home
	if err := server.Run(t.Context(), config); err == nil || !strings.Contains(err.Error(), "trino.sales has a name of the engine's") {
		t.Errorf("the server says %v", err)
	}
}
