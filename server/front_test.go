package server

import (
	"log/slog"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog"
)

// A process of an analyst has statements about accounts run in the server, and no others.
func TestOnlyStatementsAboutAccountsComeFromWorkers(t *testing.T) {
	store, err := catalog.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := newInstance(Config{Logger: slog.New(slog.DiscardHandler)}, store, nil, newMetrics())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{
		"ALTER USER bi IDENTIFIED BY 'another long password'": true,
		"GRANT SELECT ON published.* TO bi":                   true,
		"SELECT 1":                                            false,
		"DO SLEEP(1)":                                         false,
		"SET GLOBAL read_only = 1":                            false,
	} {
		ctx := sql.NewContext(t.Context(), sql.WithSession(store.NewSession(sql.NewBaseSessionWithClientServer("", sql.Client{User: "root", Address: "localhost"}, 1))))
		if err := s.isAboutAccounts(ctx, text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
