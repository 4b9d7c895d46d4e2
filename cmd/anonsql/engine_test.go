package main

import (
	"testing"

	"github.com/anonsql/anonsql/server"
)

// TestEngineFlags: the engine's databases are told by their names, and without an engine there are none.
func TestEngineFlags(t *testing.T) {
	config := server.Config{}
	none, err := (&engineFlags{}).configure(&config)
	if err != nil || config.Distributed != nil {
		t.Errorf("without an engine: %v, and a home: %v", err, config.Distributed != nil)
	}
	client, err := (&engineFlags{url: "trino://owner@trino.example/lake", rows: 1000, private: "p", published: "q"}).configure(&config)
	if err != nil {
		t.Fatal(err)
	}
	home := config.Distributed(server.DistributedHost{})
	for name, want := range map[string]bool{"trino.sales": true, "Trino.sales": true, "trino://trino.example:8443/lake/sales": true, "trino://other:8443/lake/sales": false,
		"trino": false, "trino.": false, "sales": false, "": false} {
		if home.Names(name) != want {
			t.Errorf("%q is the engine's: %v, want %v", name, !want, want)
		}
	}
	for _, c := range []interface{ Close() error }{none, client} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
