package importer

import (
	"slices"
	"strings"
	"testing"

	product "github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// Before it replaces a table, an import checks again what would be lost: objects created during the load stay.
func TestNothingIsLostThatBeganMeanwhile(t *testing.T) {
	s := servertest.Start(t, product.Config{Extend: product.Product})
	owner := s.Open(t, servertest.Root)
	servertest.Exec(t, owner, "CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "CREATE TABLE d.t__importing (a INT)", "CALL set_attributes('d.t', 'sa=a')")
	o := Options{Database: "d", Table: "t", Server: s.Addr, User: "root", Policy: Replace}
	db, conn, err := connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	defer conn.Close()
	err = (&server{db: db, conn: conn}).finish(t.Context(), o, "t__importing", true)
	if err == nil || !strings.Contains(err.Error(), "table d.t is not replaced: while the file was loaded this began: its columns have roles. Import the file again") {
		t.Errorf("%v", err)
	}
	if got := servertest.Query(t, owner, "SELECT `table`, role FROM anonsql.attributes"); !slices.Equal(got, []string{"t|sa"}) {
		t.Errorf("the roles are %q", got)
	}
}
