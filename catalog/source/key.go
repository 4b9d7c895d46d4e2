package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
)

// A Keyed table lives where changes of rows are not recorded. Its primary key identifies a record again.
type Keyed interface {
	Table
	// PrimaryKey describes the key and the collations of released columns, without a secret. An *anonymize.DataError says that there is no key.
	PrimaryKey(ctx *sql.Context, released []string) (*Key, error)
	// MicrodataByKey is Microdata with a number for every record, hashed from its key's values and key's secret.
	MicrodataByKey(ctx *sql.Context, columns []string, key *Key, progress func(done, total int)) (*anonymize.Microdata, []int64, error)
	// AsSpelled returns column c with the spellings of known for texts that the home considers equal.
	AsSpelled(ctx *sql.Context, c, known *anonymize.Column) (*anonymize.Column, error)
}

// A Key says how a release's records were identified. It is stored with the release's private side.
type Key struct {
	Primary  []KeyColumn // by name
	Released []KeyColumn // without types
	// Created is when the home made the table, "" if it does not say.
	Created string `json:",omitempty"`
	// Secret is the key of the hash that numbers records.
	Secret []byte
}

// A KeyColumn describes a column as its home does.
type KeyColumn struct{ Name, Type, Collation string }

// Differs returns why current records cannot be compared with those of k, "" if they can.
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

// DeclaredKeys returns the columns that are a key alone, so that no two rows share a value.
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
