package acceptance

import (
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// The floor of every statement: one client, one row, text and binary protocol.
func BenchmarkSelectOne(b *testing.B) {
	db := servertest.Start(b, server.Config{}).Open(b, servertest.Root)
	db.SetMaxOpenConns(1)
	var n int
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			if err := db.QueryRow("SELECT 1").Scan(&n); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("prepared", func(b *testing.B) {
		statement, err := db.Prepare("SELECT ?")
		if err != nil {
			b.Fatal(err)
		}
		defer statement.Close()
		for b.Loop() {
			if err := statement.QueryRow(1).Scan(&n); err != nil {
				b.Fatal(err)
			}
		}
	})
}
