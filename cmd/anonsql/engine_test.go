package main

import (
	"strings"
	"testing"

	"github.com/anonsql/anonsql/catalog/source"
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
	home := config.Distributed(server.DistributedHost{Identity: "0123456789ab"})
	kept := home.(source.Distributed).Relations()
	if kept.Engine() != "trino://trino.example:8443/lake/q" || kept.Limit() != 1000 ||
		!kept.Keeps(source.Place{Engine: kept.Engine(), Name: "0123456789abff"}) || kept.Keeps(source.Place{Engine: kept.Engine(), Name: "ffff"}) {
		t.Errorf("relations are kept in %s, at most %d records are read", kept.Engine(), kept.Limit())
	}
	if _, err := (&engineFlags{url: "trino://owner@trino.example/lake", rows: 1, private: "Q", published: "q"}).configure(&server.Config{}); err == nil || !strings.Contains(err.Error(), "must be two schemas") {
		t.Errorf("one schema for both: %v", err)
	}
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
