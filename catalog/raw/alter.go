package raw

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog/coding"
	"github.com/anonsql/anonsql/catalog/fault"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

var (
	_ sql.AlterableTable          = (*Table)(nil)
	_ sql.CheckTable              = (*Table)(nil)
	_ sql.CheckAlterableTable     = (*Table)(nil)
	_ sql.CollationAlterableTable = (*Table)(nil)
)

// alter changes the table's definition within the session's transaction. f changes a copy and
// adapts the stored rows.
func (t *Table) alter(ctx *sql.Context, f func(w *Work, next *TableVersion) error) error {
	return t.store.define(ctx, func(w *Work) error {
		m, err := t.versionIn(w)
		if err != nil {
			return err
		}
		next := *m
		next.definition = m.definition.clone()
		if err := f(w, &next); err != nil {
			return err
		}
		return w.redefine(&next)
	})
}

// AddColumn implements sql.AlterableTable. Existing rows get NULL; if the column has a default,
// the engine rewrites the table.
func (t *Table) AddColumn(ctx *sql.Context, column *sql.Column, order *sql.ColumnOrder) error {
	return t.alter(ctx, func(w *Work, next *TableVersion) error {
		d := next.definition
		added, err := defineColumn(column, d.NextColumn)
		if err != nil {
			return err
		}
		d.NextColumn++
		d.Columns = append(d.Columns, added)
		if order == nil {
			order = &sql.ColumnOrder{}
		}
		if err := d.move(len(d.Columns)-1, order); err != nil {
			return err
		}
		if err := d.refuseLaterGenerated(); err != nil {
			return err
		}
		_, err = sqlite.Execute(w.conn, fmt.Sprintf("ALTER TABLE t%d ADD COLUMN c%d", next.storage, added.ID))
		return fault.Cannot("add column "+column.Name, err)
	})
}

// move moves the column from its position to the one that order gives, if any.
func (d *definition) move(from int, order *sql.ColumnOrder) error {
	if order == nil || !order.First && order.AfterColumn == "" {
		return nil
	}
	column := d.Columns[from]
	d.Columns = slices.Delete(d.Columns, from, from+1)
	to := 0
	if !order.First {
		after := d.column(order.AfterColumn)
		if after < 0 {
			return sql.ErrColumnNotFound.New(order.AfterColumn)
		}
		to = after + 1
	}
	d.Columns = slices.Insert(d.Columns, to, column)
	return nil
}

// DropColumn implements sql.AlterableTable. It also deletes the column's values from the file.
func (t *Table) DropColumn(ctx *sql.Context, name string) error {
	return t.alter(ctx, func(w *Work, next *TableVersion) error {
		d := next.definition
		at := d.column(name)
		if at < 0 {
			return sql.ErrTableColumnNotFound.New(next.name, name)
		}
		if len(d.Columns) == 1 {
			return errors.New("a table must have at least one column; use DROP TABLE")
		}
		if err := d.refuseDependent(d.Columns[at].Name); err != nil {
			return err
		}
		id := d.Columns[at].ID
		if slices.ContainsFunc(d.keys(), func(i indexDefinition) bool { return i.hasColumn(id) }) {
			return fmt.Errorf("column %q is part of a key of table %s; drop the key first", name, next.name)
		}
		d.Columns = slices.Delete(d.Columns, at, at+1)
		if err := w.loseColumn(next, d, id); err != nil {
			return err
		}
		if _, err := sqlite.Execute(w.conn, fmt.Sprintf("ALTER TABLE t%d DROP COLUMN c%d", next.storage, id)); err != nil {
			return fault.Cannot("drop column "+name, err)
		}
		return w.dropAttributes(next)
	})
}

// namesColumn reports whether the expression of a generated column names a column.
func (c columnDefinition) namesColumn(name string) (names bool) {
	if c.Generated == nil {
		return false
	}
	parsed, err := sqlparser.Parse("SELECT " + *c.Generated)
	if err != nil {
		return false
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		column, ok := n.(*sqlparser.ColName)
		names = names || ok && column.Name.EqualString(name)
		return true, nil
	}, parsed)
	return names
}

// refuseDependent refuses to drop or rename a column that a generated column uses.
func (d *definition) refuseDependent(name string) error {
	for _, c := range d.Columns {
		if !strings.EqualFold(c.Name, name) && c.namesColumn(name) {
			return mysql.NewSQLError(3108, "HY000", "Column '%s' has a generated column dependency: drop or change column '%s' first", name, c.Name)
		}
	}
	return nil
}

// refuseLaterGenerated refuses a generated column that uses a later one, which has no value yet.
func (d *definition) refuseLaterGenerated() error {
	for i, c := range d.Columns {
		for _, later := range d.Columns[i+1:] {
			if later.Generated != nil && c.namesColumn(later.Name) {
				return mysql.NewSQLError(3107, "HY000", "Generated column can refer only to generated columns defined prior to it: '%s' comes before '%s'", c.Name, later.Name)
			}
		}
	}
	return nil
}

func (i indexDefinition) hasColumn(column int64) bool {
	return slices.ContainsFunc(i.Columns, func(c indexColumn) bool { return c.Column == column })
}

// dropAttributes deletes the roles, scales and taxonomies of dropped columns.
func (w *Work) dropAttributes(t *TableVersion) error {
	ids := make([]string, len(t.definition.Columns))
	for i, c := range t.definition.Columns {
		ids[i] = fmt.Sprint(c.ID)
	}
	for _, of := range []string{"attributes", "scales", "taxonomies"} {
		_, err := sqlite.Execute(w.conn, fmt.Sprintf("DELETE FROM %s WHERE table_id = ? AND column_id NOT IN (%s)", of, strings.Join(ids, ", ")), t.id)
		if err != nil {
			return fault.Cannot("change attributes", err)
		}
	}
	return nil
}

// ModifyColumn implements sql.AlterableTable for names, defaults, comments, positions and
// permission of NULL. Changes of stored values use RewriteInserter.
func (t *Table) ModifyColumn(ctx *sql.Context, name string, column *sql.Column, order *sql.ColumnOrder) error {
	return t.alter(ctx, func(w *Work, next *TableVersion) error {
		d := next.definition
		at := d.column(name)
		if at < 0 {
			return sql.ErrTableColumnNotFound.New(next.name, name)
		}
		if other := d.column(column.Name); other >= 0 && other != at {
			return sql.ErrColumnExists.New(column.Name)
		}
		if !strings.EqualFold(name, column.Name) {
			if err := d.refuseDependent(d.Columns[at].Name); err != nil {
				return err
			}
		}
		changed, err := defineColumn(column, d.Columns[at].ID)
		if err != nil {
			return err
		}
		begins := changed.AutoIncrement && !d.Columns[at].AutoIncrement
		d.Columns[at] = changed
		d.keepKeyNotNull()
		if err := d.move(at, order); err != nil || !begins {
			return err
		}
		return w.beginAutoIncrement(*next)
	})
}

// GetChecks implements sql.CheckTable.
func (t *Table) GetChecks(*sql.Context) ([]sql.CheckDefinition, error) {
	var checks []sql.CheckDefinition
	for _, c := range t.newestVersion().definition.Checks {
		checks = append(checks, sql.CheckDefinition{Name: c.Name, CheckExpression: c.Expression, Enforced: c.Enforced})
	}
	return checks, nil
}

// CreateCheck implements sql.CheckAlterableTable.
func (t *Table) CreateCheck(ctx *sql.Context, check *sql.CheckDefinition) error {
	return t.alter(ctx, func(_ *Work, next *TableVersion) error {
		d := next.definition
		name := check.Name
		if name == "" {
			name = d.nameCheck(next.name)
		}
		if d.check(name) >= 0 {
			return fmt.Errorf("table %s has a check constraint %q already", next.name, name)
		}
		d.Checks = append(d.Checks, checkDefinition{name, check.CheckExpression, check.Enforced})
		return nil
	})
}

// DropCheck implements sql.CheckAlterableTable.
func (t *Table) DropCheck(ctx *sql.Context, name string) error {
	return t.alter(ctx, func(_ *Work, next *TableVersion) error {
		at := next.definition.check(name)
		if at < 0 {
			return fmt.Errorf("table %s has no check constraint %q", next.name, name)
		}
		next.definition.Checks = slices.Delete(next.definition.Checks, at, at+1)
		return nil
	})
}

// nameCheck returns the first unused name among table_chk_1, table_chk_2, ...
func (d *definition) nameCheck(table string) string {
	taken := make(map[string]bool, len(d.Checks))
	for _, c := range d.Checks {
		taken[strings.ToLower(c.Name)] = true
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s_chk_%d", table, n)
		if !taken[strings.ToLower(name)] && d.check(name) < 0 { // ToLower equates fewer letters than EqualFold
			return name
		}
	}
}

func (d *definition) check(name string) int {
	return slices.IndexFunc(d.Checks, func(c checkDefinition) bool { return strings.EqualFold(c.Name, name) })
}

// ModifyDefaultCollation implements sql.CollationAlterableTable.
func (t *Table) ModifyDefaultCollation(ctx *sql.Context, collation sql.CollationID) error {
	return t.alter(ctx, func(_ *Work, next *TableVersion) error {
		next.definition.Collation = collation.Name()
		return nil
	})
}

// ModifyStoredCollation implements sql.CollationAlterableTable. Text columns get the collation,
// and their indexes are rebuilt.
func (t *Table) ModifyStoredCollation(ctx *sql.Context, collation sql.CollationID) error {
	return t.alter(ctx, func(w *Work, next *TableVersion) error {
		d := next.definition
		d.Collation = collation.Name()
		for i, c := range next.schema.Schema {
			collated, ok := c.Type.(sql.TypeWithCollation)
			if !ok || coding.KindOf(c.Type) == coding.KindBinary {
				continue
			}
			typ, err := collated.WithNewCollation(collation)
			if err != nil {
				return err
			}
			if err := coding.CheckType(c.Name, typ); err != nil {
				return err
			}
			d.Columns[i].Type = coding.TypeText(typ)
		}
		for _, index := range d.keys() {
			if _, err := sqlite.Execute(w.conn, "DROP INDEX "+indexName(next.storage, index)); err != nil {
				return fault.Cannot("change the collation of table "+next.name, err)
			}
			if err := w.buildIndex(next, index); err != nil {
				return err
			}
		}
		return nil
	})
}
