package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// A Keyed table lives where nobody tells which of its rows change. A record is known again by its primary key.
type Keyed interface {
	Table
	// PrimaryKey describes the key, and the collations of released columns. It has no secret. An *anonymize.DataError says that there is no key.
	PrimaryKey(ctx *sql.Context, released []string) (*Key, error)
	// MicrodataByKey is Microdata with a number for every record, from the values of its key and the secret of key.
	MicrodataByKey(ctx *sql.Context, columns []string, key *Key, progress func(done, total int)) (*anonymize.Microdata, []int64, error)
	// AsSpelled returns column c of the table with texts spelled as in known, where the home holds them equal.
	AsSpelled(ctx *sql.Context, c, known *anonymize.Column) (*anonymize.Column, error)
}

// A Key is what records were recognised by when a release was made. It is stored with the private side of the release.
type Key struct {
	Primary  []KeyColumn // by name
	Released []KeyColumn // without types
	// Created is when the home made the table, "" if it does not say.
	Created string `json:",omitempty"`
	// Secret is what numbers of records are hashed with.
	Secret []byte
}

// A KeyColumn is a column as its home describes it.
type KeyColumn struct{ Name, Type, Collation string }

// Differs says why records of today cannot be compared with those of k, "" if they can.
func (k *Key) Differs(now *Key) string {
	if !slices.Equal(k.Primary, now.Primary) {
		return fmt.Sprintf("its primary key was %s and is %s", described(k.Primary), described(now.Primary))
	}
	for _, c := range k.Released {
		at := slices.IndexFunc(now.Released, func(n KeyColumn) bool { return n.Name == c.Name })
		if at >= 0 && now.Released[at].Collation != c.Collation {
			return fmt.Sprintf("texts of column %q were equal by %s and are by %s", c.Name, c.Collation, now.Released[at].Collation)
		}
	}
	return ""
}

func described(columns []KeyColumn) string {
	texts := make([]string, len(columns))
	for i, c := range columns {
		texts[i] = strings.TrimSpace(c.Name + " " + c.Type + " " + c.Collation)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// DeclaredKeys are the columns of a table that a key alone is of: of which no two rows have one value.
func DeclaredKeys(ctx *sql.Context, table Table) (keys []string) {
	var primary []string
	for _, c := range table.Schema() {
		if c.PrimaryKey {
			primary = append(primary, c.Name)
		}
	}
	if keyed, ok := table.(Keyed); ok {
		if key, err := keyed.PrimaryKey(ctx, nil); err == nil {
			for _, c := range key.Primary {
				primary = append(primary, c.Name)
			}
		}
	}
	if len(primary) == 1 {
		keys = primary
	}
	indexed, ok := table.(sql.IndexAddressable)
	if !ok {
		return keys
	}
	indexes, err := indexed.GetIndexes(ctx)
	if err != nil {
		return keys
	}
	for _, index := range indexes {
		if columns := index.Expressions(); index.IsUnique() && len(columns) == 1 {
			keys = append(keys, columns[0][strings.LastIndexByte(columns[0], '.')+1:])
		}
	}
	return keys
}
