package upstream

import (
	"context"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/homes"
	"github.com/anonsql/anonsql/catalog/raw"
)

// A repeating is an upstream server whose answers have one row, as often as it says.
type repeating struct {
	row   []string
	times int
}

func (r repeating) Query(_ context.Context, text string, row func([][]byte) error) error {
	values := make([][]byte, len(r.row))
	for i, v := range r.row {
		values[i] = []byte(v)
	}
	for range r.times {
		if err := row(values); err != nil {
			return err
		}
	}
	return nil
}

// TestEstimatesTakeNoMemory: the number of rows that upstream guesses is no reason to take memory for them.
func TestEstimatesTakeNoMemory(t *testing.T) {
	store, err := raw.Open(t.TempDir(), raw.Above{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ctx := sql.NewEmptyContext()
	mirror, err := store.Mirror(ctx, homes.MirrorDatabase("mysql://db.example:3306", "s"), "t", sql.Schema{{Name: "a", Type: types.Int64}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := &table{Mirror: homes.Mirror{Table: mirror, Known: "s"}, home: &Home{Asker: repeating{[]string{"200000000"}, 3}}, schema: "s"}
	readings, err := of.read(ctx, []*column{{name: "a", ask: "`a`"}}, nil, func(int, int) {})
	if err != nil || len(readings[0].codes) != 3 || cap(readings[0].codes) > maxForeseen {
		t.Errorf("%d rows in room for %d, %v", len(readings[0].codes), cap(readings[0].codes), err)
	}
}

// TestListsAreBounded: upstream lists no endless columns or privileges.
func TestListsAreBounded(t *testing.T) {
	ctx, times := sql.NewEmptyContext(), 2*maxListed
	if held, err := (&Home{Asker: repeating{[]string{"GRANT ALTER ON *.* TO `a`@`%`"}, times}}).grants(ctx); err == nil || len(held) > maxListed {
		t.Errorf("%d privileges, %v", len(held), err)
	}
	column := strings.Split("t,a,int,1,,,0,s", ",")
	if _, columns, err := (&Home{Asker: repeating{column, times}}).describe(ctx, "s", "t"); err == nil {
		t.Errorf("%d columns", len(columns))
	}
}
