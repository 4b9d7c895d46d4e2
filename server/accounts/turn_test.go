package accounts

import (
	"context"
	dbsql "database/sql"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/mysql_db"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/server/sqlerror"
)

// No account changes while another session writes: the change could not be stored, and would be in force until it is taken back.
func TestChangeWaitsForTheWriterFirst(t *testing.T) {
	store, err := catalog.InMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	store.SetLockWait(0)
	b := New(mysql_db.CreateEmptyMySQLDb(), store)
	if err := b.Open(); err != nil {
		t.Fatal(err)
	}
	key := mysql_db.UserPrimaryKey{User: "bi", Host: "%"}
	add := func() (began bool, err error) {
		err = b.Change(sql.NewEmptyContext(), func(ctx *sql.Context) error {
			began = true
			return b.AddReader(ctx, key, "a long sentence", nil)
		})
		return began, err
	}
	err = store.Update(context.Background(), func(*dbsql.Conn) error {
		if began, err := add(); began || sqlerror.Number(err) != 3572 {
			t.Errorf("while another session writes: begun %v, %v", began, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if began, err := add(); !began || err != nil || !b.HasAt("bi", "%") {
		t.Errorf("then: begun %v, %v", began, err)
	}
}
