// Package demo is the session of `anonsql demo`: it loads people, publishes them and asks a
// dozen questions, each with the truth beside the answer.
//
// Everything goes over a real MySQL connection, as a user's client would: the
// owner's for loading, publishing and comparing, an analyst's for the questions.
// Steps, a file each:
//
//	demo.go       the order of things
//	house.go      data directory, server and connections
//	profile.go    which roles and parameters fit a table
//	questions.go  the analyst's queries
//	figures.go    how good the answers are
//	transcript.go how it is printed
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-sql-driver/mysql" // the client

	"github.com/anonsql/anonsql/cmd/anonsql/client"
	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/progress"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// Options of a demo.
type Options struct {
	CSV              string // "" for the bundled sample
	Sensitive        string // of CSV; "" to choose
	QuasiIdentifiers []string
	DataDir          string // "" for a temporary one
	Listen           string
	Console          string // host:port of the console in the browser, "" for none
	Exit             bool
	Output           io.Writer // the session
	Progress         io.Writer // progress bars

	people int // of the bundled sample
}

// The names in the demonstration.
const (
	database = "demo"
	table    = "people"
	analyst  = "analyst"
	password = "analyst"
)

// Run runs the session and, unless Exit is set, serves until ctx ends.
func Run(ctx context.Context, o Options) error {
	o.people = sampleRows
	_, err := run(ctx, o)
	return err
}

// run returns the quality of the answers.
func run(ctx context.Context, o Options) (*figures, error) {
	if o.CSV != "" {
		if _, err := os.Stat(o.CSV); err != nil {
			return nil, err
		}
	}
	h, err := openHouse(ctx, o)
	if err != nil {
		return nil, err
	}
	defer h.close()
	t := &transcript{out: o.Output}
	if err := play(ctx, o, h, t); err != nil {
		return nil, err
	}
	if o.Exit {
		return &t.figures, h.stop()
	}
	h.sayHowToConnect(t)
	t.printf("The server stays up: Ctrl-C ends it.")
	return &t.figures, h.wait(ctx)
}

func play(ctx context.Context, o Options, h *house, t *transcript) error {
	t.title("A table about people")
	file, description, err := o.file(h)
	if err != nil {
		return err
	}
	if err := h.forgetEarlierRun(ctx); err != nil {
		return err
	}
	loaded, err := importer.ToServer(ctx, h.importOptions(o, file))
	if err != nil {
		return err
	}
	t.printf("%s: %d rows in %s.%s.", description, loaded.Rows, database, table)
	columns := "*"
	if o.CSV == "" { // those that fit on a terminal
		columns = "person_id, name, age, sex, education, occupation, region, income, disease"
	}
	if err := t.show(ctx, h.owner, fmt.Sprintf("SELECT %s FROM %s.%s LIMIT 3", columns, database, table)); err != nil {
		return err
	}
	p, err := o.profile(ctx, h.owner)
	if err != nil {
		return err
	}
	p.small = loaded.Rows < fewestMeasured
	if err := publish(ctx, o, h, t, p); err != nil {
		return err
	}
	return ask(ctx, h, t, p)
}

// anonymize publishes with the first of the profile's bounds that the table can meet; the
// refusals before are part of the session. The terminal shows the server's progress.
func anonymize(ctx context.Context, o Options, h *house, t *transcript, p *profile) error {
	watch := func() (stop func()) {
		show, end := progress.Phases(o.Progress)
		ended := client.Watch(ctx, h.owner, "anonymize", show)
		return func() { ended(); end() }
	}
	attempts := p.anonymize()
	for i, statement := range attempts {
		if h.replaces {
			statement = strings.TrimSuffix(statement, ")") + ", 'replace=true')"
		}
		err := t.showLong(ctx, h.owner, statement, watch)
		var refused *mysql.MySQLError
		if !errors.As(err, &refused) || refused.Number != sqlerror.Infeasible || i == len(attempts)-1 {
			return err
		}
		t.printf("  ERROR %d: %s\n", refused.Number, refused.Message)
	}
	return nil
}

// publish runs the owner's part.
func publish(ctx context.Context, o Options, h *house, t *transcript, p *profile) error {
	t.title("The owner says what the columns are, and publishes")
	if err := t.show(ctx, h.owner, p.setAttributes()); err != nil {
		return err
	}
	if err := anonymize(ctx, o, h, t, p); err != nil {
		return err
	}
	t.printf("Every guarantee was recomputed from the published relations before anything was stored:")
	if err := t.show(ctx, h.owner, "SELECT guarantee, required, achieved, holds FROM ANON_PRIVACY("+table+")"); err != nil {
		return err
	}
	t.printf("What is published are these relations. Everybody is in the first one; inside a group (gid) nothing links it to the second:")
	relations := []string{"SELECT * FROM published." + table + "_qi1 LIMIT 3", "SELECT * FROM published." + table + "_sa LIMIT 3"}
	if p.modeled() {
		relations = append(relations, "SELECT * FROM published."+table+"_model WHERE weight IS NOT NULL LIMIT 3")
	}
	for _, statement := range relations {
		if err := t.show(ctx, h.owner, statement); err != nil {
			return err
		}
	}
	t.title("An account for analysts: it can read what is published, and nothing else")
	for _, statement := range []string{
		fmt.Sprintf("CREATE USER IF NOT EXISTS '%s'@'%%' IDENTIFIED BY '%s'", analyst, password),
		fmt.Sprintf("GRANT SELECT ON published.* TO '%s'@'%%'", analyst),
		fmt.Sprintf("GRANT SELECT ON anonsql.* TO '%s'@'%%'", analyst),
	} {
		if err := t.show(ctx, h.owner, statement); err != nil {
			return err
		}
	}
	return h.connectAnalyst(ctx)
}
