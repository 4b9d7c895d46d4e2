package functions

import (
	"context"
	"testing"
	"time"
)

// fitWhenAsked runs FitWhenAsked until one release has its completed tables, or, with
// meanwhile, until that has asked for one.
func fitWhenAsked(t *testing.T, e *Environment, meanwhile func()) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	fitted, stopped := make(chan error, 10), make(chan struct{})
	go func() {
		defer close(stopped)
		e.FitWhenAsked(ctx, func(_ string, started time.Time, err error) {
			if started.IsZero() {
				t.Error("it says not when it began")
			}
			fitted <- err
		})
	}()
	meanwhile()
	select {
	case err := <-fitted:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Error("no completed tables")
	}
	stop()
	select {
	case <-stopped:
	case <-time.After(patience):
		t.Fatal("it does not end with its context")
	}
}

// With fit=async a release is there at once, and answers from its fragments; the server
// draws its completed tables, also after it has started again.
func TestFitLater(t *testing.T) {
	b := newBench(t)
	b.run("root", `CALL set_attributes('hospital.patients', 'qi=age,sex', 'sa=disease', 'ei=name');
		CALL anonymize('hospital.patients', 'in_order', 'seed=1', 'fit=async')`)
	const state = "SELECT version, estimator, completed_tables FROM anonsql.releases"
	if row := b.run("root", state).lines(); row[0] != "1|independent|0" {
		t.Errorf("before: %q", row)
	}
	// Another environment, which nobody notified.
	fitWhenAsked(t, &Environment{Catalog: b.catalog, Releases: b.environment.Releases, Jobs: b.environment.Jobs, Method: methodOrOrder}, func() {})
	if row := b.run("root", state).lines(); row[0] != "1|imputed|12" {
		t.Errorf("after: %q", row)
	}
	fitWhenAsked(t, b.environment, func() {
		b.run("root", "CALL anonymize('hospital.patients', 'in_order', 'seed=1', 'replace=true', 'fit=async', 'estimator=independent')")
	})
	if row := b.run("root", state).lines(); row[0] != "2|independent|12" {
		t.Errorf("the next version: %q", row)
	}
}
