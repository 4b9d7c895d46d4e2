package plannertest

import (
	"context"
	dbsql "database/sql"
	"database/sql/driver"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/mattn/go-sqlite3"
)

// A sqliteConnector opens databases in memory with the function sqrt, which SQLite's shell has and this build lacks.
type sqliteConnector struct{}

// Driver implements driver.Connector.
func (sqliteConnector) Driver() driver.Driver {
	return &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		return c.RegisterFunc("sqrt", squareRoot, true)
	}}
}

func squareRoot(x any) any {
	switch x := x.(type) {
	case float64:
		return math.Sqrt(x)
	case int64:
		return math.Sqrt(float64(x))
	}
	return nil
}

// Connect implements driver.Connector.
func (c sqliteConnector) Connect(context.Context) (driver.Conn, error) {
	return c.Driver().Open(":memory:")
}

// OpenSQLite opens an empty database in memory.
func OpenSQLite() *dbsql.DB {
	db := dbsql.OpenDB(sqliteConnector{})
	db.SetMaxOpenConns(1) // a database in memory belongs to its connection
	return db
}

// inSQLite runs a statement in SQLite, over copies of all tables that the session sees.
func (s *Session) inSQLite(statement string) ([]sql.Row, error) {
	db := OpenSQLite()
	defer db.Close()
	if _, err := s.Query("SET anon_list_relations = ON"); err != nil {
		return nil, err
	}
	tables, err := s.Query(`SELECT table_schema, table_name FROM information_schema.tables
		WHERE table_schema NOT IN ('information_schema', 'mysql') AND table_type = 'BASE TABLE' ORDER BY 1, 2`)
	if err != nil {
		return nil, err
	}
	attached := make(map[any]bool)
	for _, table := range tables.Rows {
		if !attached[table[0]] {
			attached[table[0]] = true
			if _, err := db.Exec(fmt.Sprintf("ATTACH ':memory:' AS `%s`", table[0])); err != nil {
				return nil, err
			}
		}
		if err := s.copyTable(db, fmt.Sprintf("`%s`.`%s`", table[0], table[1])); err != nil {
			return nil, err
		}
	}
	return readAll(db, statement)
}

// copyTable copies a table as any client would read it: exact decimals become REAL, dates become texts.
func (s *Session) copyTable(db *dbsql.DB, name string) error {
	read, err := s.Query("SELECT * FROM " + name)
	if err != nil {
		return err
	}
	columns := make([]string, len(read.Schema))
	for i, c := range read.Schema {
		affinity := "TEXT"
		switch {
		case types.IsInteger(c.Type) || types.IsBoolean(c.Type):
			affinity = "INTEGER"
		case types.IsNumber(c.Type):
			affinity = "REAL"
		}
		columns[i] = fmt.Sprintf("`%s` %s", c.Name, affinity)
	}
	if _, err := db.Exec("CREATE TABLE " + name + " (" + strings.Join(columns, ", ") + ")"); err != nil {
		return err
	}
	insert := "INSERT INTO " + name + " VALUES (" + strings.Repeat("?, ", len(columns)-1) + "?)"
	for _, row := range read.Rows {
		values := make([]any, len(row))
		for i, v := range row {
			if values[i] = v; v != nil {
				values[i] = sqliteValue(v, read.Schema[i].Type)
			}
		}
		if _, err := db.Exec(insert, values...); err != nil {
			return err
		}
	}
	return nil
}

func sqliteValue(v any, typ sql.Type) any {
	if moment, ok := v.(time.Time); ok {
		if typ.Equals(types.Date) {
			return moment.Format(time.DateOnly)
		}
		return moment.Format("2006-01-02 15:04:05.999999")
	}
	return fmt.Sprint(v) // the column's affinity makes it a number
}

func readAll(db *dbsql.DB, statement string) ([]sql.Row, error) {
	rows, err := db.Query(statement)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all []sql.Row
	for rows.Next() {
		row := make(sql.Row, len(columns))
		targets := make([]any, len(columns))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}
