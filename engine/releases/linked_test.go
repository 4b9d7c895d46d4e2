package releases

import (
	"errors"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/publication"
)

// TestFewRecordsLeaveWithTheirGroups: a sample of more than 100,000 records is refused before its records are read: by the mean size of groups
// before anything is read, and by the sizes of the groups drawn.
func TestFewRecordsLeaveWithTheirGroups(t *testing.T) {
	for says, c := range map[string]struct {
		rows, groups, drawn int
		asked               string
	}{
		"a sample of them has 1000000 records, more than 100000": {rows: 10_000_000, groups: 500},
		"a sample of them has 100001 records, more than 100000": {rows: 5_000_000, groups: 1_000_000, drawn: 100_001,
			asked: `SELECT gid, "count" FROM "lake"."published"."anonsql_0123456789abff_qi1" WHERE mod(gid, 100) = 0`},
	} {
		asker := &answering{values: c.drawn}
		s := &Store{Reader: &Reader{asker: asker, dialect: dialect.Trino, address: "db:1", catalog: "lake", schema: "published"}}
		w := &source.Written{Rows: c.rows, Groups: c.groups, Place: source.Place{Engine: s.Engine(), Name: "0123456789abff"},
			Fragments: []source.Fragment{{Name: "qi1", Role: anonymize.QuasiIdentifying}}}
		_, err := (&attempt{store: s, made: &publication.Attempt{}}).Linked(t.Context(), w)
		var data *anonymize.DataError
		if !errors.As(err, &data) || !strings.HasSuffix(data.Reason, says) || asker.text != c.asked {
			t.Errorf("%d records in %d groups: %v, asked %q", c.rows, c.groups, err, asker.text)
		}
	}
}
