package raw

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/transform"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/catalog/coding"
)

// A definition is the persisted schema of a raw table, as JSON. Columns and indexes have ids
// that survive renames, reordering and rewriting; inside SQLite they are named c<id> and
// i<storage>_<id>.
type definition struct {
	Columns    []columnDefinition `json:"columns"`
	Primary    []int64            `json:"primary,omitempty"` // column ids in key order
	Indexes    []indexDefinition  `json:"indexes,omitempty"`
	Checks     []checkDefinition  `json:"checks,omitempty"`
	Collation  string             `json:"collation"`
	Comment    string             `json:"comment,omitempty"`
	NextColumn int64              `json:"next_column"`
	NextIndex  int64              `json:"next_index"`
}

type columnDefinition struct {
	ID            int64   `json:"id"`
	Name          string  `json:"name"`
	Type          string  `json:"type"`
	Nullable      bool    `json:"nullable,omitempty"`
	AutoIncrement bool    `json:"auto_increment,omitempty"`
	Comment       string  `json:"comment,omitempty"`
	Extra         string  `json:"extra,omitempty"`
	Default       *string `json:"default,omitempty"` // SQL text
	Generated     *string `json:"generated,omitempty"`
	OnUpdate      *string `json:"on_update,omitempty"`
}

type indexDefinition struct {
	ID      int64         `json:"id"`
	Name    string        `json:"name"`
	Columns []indexColumn `json:"columns"`
	Unique  bool          `json:"unique,omitempty"`
	Comment string        `json:"comment,omitempty"`
}

type indexColumn struct {
	Column int64 `json:"column"`
	// Length is the indexed prefix, in characters or bytes; 0 for all.
	Length int64 `json:"length,omitempty"`
}

type checkDefinition struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
	Enforced   bool   `json:"enforced"`
}

// primaryIndex is the id of the primary key's index.
const primaryIndex = 0

// clone returns a copy for modification.
func (d *definition) clone() *definition {
	c := *d
	c.Columns = slices.Clone(d.Columns)
	c.Primary = slices.Clone(d.Primary)
	c.Indexes = slices.Clone(d.Indexes)
	c.Checks = slices.Clone(d.Checks)
	return &c
}

func (d *definition) column(name string) int {
	return slices.IndexFunc(d.Columns, func(c columnDefinition) bool { return strings.EqualFold(c.Name, name) })
}

func (d *definition) ordinal(id int64) int {
	return slices.IndexFunc(d.Columns, func(c columnDefinition) bool { return c.ID == id })
}

func (d *definition) index(name string) int {
	return slices.IndexFunc(d.Indexes, func(i indexDefinition) bool { return strings.EqualFold(i.Name, name) })
}

// keys returns all indexes, the primary key first.
func (d *definition) keys() []indexDefinition {
	if len(d.Primary) == 0 {
		return d.Indexes
	}
	primary := indexDefinition{ID: primaryIndex, Name: "PRIMARY", Unique: true}
	for _, id := range d.Primary {
		primary.Columns = append(primary.Columns, indexColumn{Column: id})
	}
	return append([]indexDefinition{primary}, d.Indexes...)
}

// setSchema replaces the columns and the primary key. A column keeps the id of the column that
// kept(name) returns; "" means a new column.
func (d *definition) setSchema(schema sql.PrimaryKeySchema, kept func(name string) string) error {
	if len(schema.Schema) == 0 {
		return errors.New("a table must have at least one column")
	}
	old := d.clone()
	d.Columns = make([]columnDefinition, len(schema.Schema))
	for i, c := range schema.Schema {
		id := int64(-1)
		if before := kept(c.Name); before != "" {
			if at := old.column(before); at >= 0 {
				id = old.Columns[at].ID
			}
		}
		if id < 0 {
			id = d.NextColumn
			d.NextColumn++
		}
		column, err := defineColumn(c, id)
		if err != nil {
			return err
		}
		d.Columns[i] = column
	}
	d.Primary = nil
	for _, ordinal := range schema.PkOrdinals {
		if ordinal < 0 {
			continue // a dropped column leaves the key
		}
		d.Primary = append(d.Primary, d.Columns[ordinal].ID)
	}
	d.keepKeyNotNull()
	if old.refuseLaterGenerated() == nil {
		return d.refuseLaterGenerated()
	}
	return nil
}

// keepKeyNotNull makes the columns of the primary key NOT NULL, whatever a new definition says.
func (d *definition) keepKeyNotNull() {
	for _, id := range d.Primary {
		d.Columns[d.ordinal(id)].Nullable = false
	}
}

func defineColumn(c *sql.Column, id int64) (columnDefinition, error) {
	if err := coding.CheckType(c.Name, c.Type); err != nil {
		return columnDefinition{}, sql.ErrUnsupportedFeature.New(err.Error())
	}
	if c.Virtual {
		return columnDefinition{}, sql.ErrUnsupportedFeature.New(fmt.Sprintf("virtual generated columns, such as %s: say STORED", c.Name))
	}
	d := columnDefinition{
		ID:            id,
		Name:          c.Name,
		Type:          coding.TypeText(c.Type),
		Nullable:      c.Nullable,
		AutoIncrement: c.AutoIncrement,
		Comment:       c.Comment,
		Extra:         c.Extra,
	}
	var err error
	if d.Default, err = expressionText(c.Default); err != nil {
		return d, err
	}
	if d.Generated, err = expressionText(c.Generated); err != nil {
		return d, err
	}
	d.OnUpdate, err = expressionText(c.OnUpdate)
	return d, err
}

// expressionText returns a default as SQL text. Column references lose their table's name,
// which may change.
func expressionText(value *sql.ColumnDefaultValue) (*string, error) {
	if value == nil {
		return nil, nil
	}
	if text, ok := value.Expr.(*sql.UnresolvedColumnDefault); ok {
		return &text.ExprString, nil
	}
	plain, _, err := transform.Expr(value, func(e sql.Expression) (sql.Expression, transform.TreeIdentity, error) {
		switch own := e.(type) {
		case *expression.GetField:
			return expression.NewGetField(own.Index(), own.Type(), own.Name(), own.IsNullable()), transform.NewTree, nil
		case *expression.Literal:
			if span, ok := own.Value().(types.Timespan); ok { // which the engine writes without quotes
				return expression.NewLiteral(span.String(), types.LongText), transform.NewTree, nil
			}
		}
		return e, transform.SameTree, nil
	})
	if err != nil {
		return nil, err
	}
	text := plain.String()
	return &text, nil
}

// schema returns the engine's schema of table name in database.
func (d *definition) schema(database, table string) (sql.PrimaryKeySchema, error) {
	schema := make(sql.Schema, len(d.Columns))
	for i, c := range d.Columns {
		typ, err := coding.ParseColumn(c.Type)
		if err != nil {
			return sql.PrimaryKeySchema{}, fmt.Errorf("column %q: %w", c.Name, err)
		}
		schema[i] = &sql.Column{
			Name:           c.Name,
			Type:           typ,
			Nullable:       c.Nullable,
			AutoIncrement:  c.AutoIncrement,
			Comment:        c.Comment,
			Extra:          c.extra(),
			Source:         table,
			DatabaseSource: database,
			PrimaryKey:     slices.Contains(d.Primary, c.ID),
			Default:        unresolved(c.Default),
			Generated:      unresolved(c.Generated),
			OnUpdate:       unresolved(c.OnUpdate),
		}
	}
	ordinals := make([]int, len(d.Primary))
	for i, id := range d.Primary {
		ordinals[i] = d.ordinal(id)
	}
	return sql.NewPrimaryKeySchema(schema, ordinals...), nil
}

// extra returns the additional text in lists of columns. Dumps omit the values of generated columns.
func (c columnDefinition) extra() string {
	if c.Generated != nil {
		return "STORED GENERATED" // there are no others
	}
	return c.Extra
}

func unresolved(text *string) *sql.ColumnDefaultValue {
	if text == nil {
		return nil
	}
	return sql.NewUnresolvedColumnDefaultValue(*text)
}

func (d *definition) encode() (string, error) {
	text, err := json.Marshal(d)
	return string(text), err
}

func decodeDefinition(text string) (*definition, error) {
	d := new(definition)
	if err := json.Unmarshal([]byte(text), d); err != nil {
		return nil, err
	}
	return d, d.wellFormed()
}

// wellFormed verifies what the package assumes of a stored definition: columns have distinct
// names and numbers, and keys refer to existing columns.
func (d *definition) wellFormed() error {
	if len(d.Columns) == 0 {
		return errors.New("it has no columns")
	}
	seen, names := make(map[int64]bool), make(map[string]bool)
	for _, c := range d.Columns {
		name := strings.ToLower(c.Name)
		if name == "" || names[name] {
			return fmt.Errorf("two columns have the name %q, or one has none", c.Name)
		}
		names[name] = true
		if seen[c.ID] || c.ID <= 0 || c.ID >= d.NextColumn {
			return fmt.Errorf("column %q has the number %d", c.Name, c.ID)
		}
		seen[c.ID] = true
	}
	for _, index := range d.keys() {
		if len(index.Columns) == 0 {
			return fmt.Errorf("index %q has no columns", index.Name)
		}
		for _, c := range index.Columns {
			if !seen[c.Column] {
				return fmt.Errorf("index %q is over column number %d, which is not there", index.Name, c.Column)
			}
		}
	}
	return nil
}
