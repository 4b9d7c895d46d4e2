package faults_test

import (
	"context"
	dbsql "database/sql"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/cmd/anonsql/sample"
)

// An act is the operation during which a server is killed. It can run twice, on two servers, with the same result.
type act func(db *dbsql.DB, address string) error

// An operation prepares with statements that succeed on both servers, and returns the act to interrupt.
type operation struct {
	name    string
	prepare func(c *chain) act
}

var operations = []operation{
	{"INSERT", func(c *chain) act {
		return statements("INSERT INTO " + c.anyTable() + " (id, age, sex, disease) VALUES " + c.people(1+c.random.IntN(60)))
	}},
	{"UPDATE", func(c *chain) act {
		return statements(fmt.Sprintf("UPDATE %s SET age = age + 1, sex = 'F' WHERE id %% 7 = %d", c.anyTable(), c.random.IntN(7)))
	}},
	{"DELETE", func(c *chain) act {
		table := c.anyTable()
		c.both("INSERT INTO " + table + " (id, age, sex, disease) VALUES " + c.people(30))
		return statements(fmt.Sprintf("DELETE FROM %s WHERE id > %d AND id %% 2 = 0", table, c.next-30))
	}},
	{"REPLACE", func(c *chain) act {
		table := c.anyTable()
		c.both("INSERT INTO " + table + " (id, age, sex, disease) VALUES " + c.people(20))
		c.next -= 10
		return statements("REPLACE INTO " + table + " (id, age, sex, disease) VALUES " + c.people(20))
	}},
	{"transaction", func(c *chain) act {
		return statements("START TRANSACTION", "INSERT INTO k.people (id, age, sex, disease) VALUES "+c.people(20), "INSERT INTO k.live (id, age, sex, disease) VALUES "+c.people(20),
			fmt.Sprintf("UPDATE k.live SET disease = 'Asthma' WHERE id > %d", c.next-10), fmt.Sprintf("DELETE FROM k.people WHERE id %% 13 = %d", c.random.IntN(13)), "COMMIT")
	}},
	{"LOAD DATA", func(c *chain) act {
		text := strings.NewReplacer("(", "", "'", "", ")", "", " ", "").Replace(strings.ReplaceAll(c.people(400), "), (", "\n")) + "\n"
		name := fmt.Sprintf("people of %d and %d", c.seed, c.next)
		mysql.RegisterReaderHandler(name, func() io.Reader { return strings.NewReader(text) })
		return statements("LOAD DATA LOCAL INFILE 'Reader::" + name + "' INTO TABLE " + c.anyTable() + " FIELDS TERMINATED BY ',' (id, age, sex, disease)")
	}},
	{"import", func(c *chain) act {
		c.both("DROP TABLE IF EXISTS k.imported")
		file := filepath.Join(c.t.TempDir(), "people.csv")
		f, err := os.Create(file)
		if err == nil {
			err = sample.WriteCSV(f, 1500, c.random.Uint64())
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			c.t.Fatal(err)
		}
		return func(_ *dbsql.DB, address string) error {
			_, err := importer.ToServer(context.Background(), importer.Options{File: file, Database: "k", Table: "imported", Server: address, User: "root"})
			return err
		}
	}},
	{"CREATE TABLE AS", func(c *chain) act {
		c.both("DROP TABLE IF EXISTS k.twice")
		return statements("CREATE TABLE k.twice AS SELECT * FROM k.people")
	}},
	{"TRUNCATE", func(c *chain) act {
		c.both("INSERT INTO k.scratch (id, age, sex, disease) VALUES " + c.people(50))
		return statements("TRUNCATE TABLE k.scratch")
	}},
	{"DROP TABLE", func(c *chain) act {
		c.both("DROP TABLE IF EXISTS k.twice", "CREATE TABLE k.twice AS SELECT * FROM k.people", "CALL set_attributes('k.twice', 'qi=age', 'sa=disease')", "CALL set_taxonomy('k.twice', 'age', 'intervals=5,20')")
		return statements("DROP TABLE k.twice")
	}},
	{"DROP DATABASE", func(c *chain) act {
		c.both("CREATE DATABASE k2", "CREATE TABLE k2.a AS SELECT * FROM k.people", "CREATE TABLE k2.b (id INT PRIMARY KEY)", "CREATE VIEW k2.v AS SELECT id FROM k2.a")
		return func(db *dbsql.DB, _ string) error {
			_, err := db.Exec("DROP DATABASE k2")
			return err
		}
	}},
	{"ALTER TABLE", func(c *chain) act {
		if len(c.ask("SELECT 1 FROM information_schema.columns WHERE table_schema = 'k' AND table_name = 'scratch' AND column_name = 'extra'")) > 0 {
			return statements("ALTER TABLE k.scratch DROP COLUMN extra")
		}
		return statements("ALTER TABLE k.scratch ADD COLUMN extra INT NOT NULL DEFAULT 7")
	}},
	{"CREATE INDEX", func(c *chain) act {
		if len(c.ask("SELECT 1 FROM information_schema.statistics WHERE table_schema = 'k' AND table_name = 'people' AND index_name = 'by_disease'")) > 0 {
			c.both("DROP INDEX by_disease ON k.people")
		}
		return statements("CREATE INDEX by_disease ON k.people (disease, age)")
	}},
	{"RENAME TABLE", func(c *chain) act {
		c.both("DROP TABLE IF EXISTS k.moved", "DROP TABLE IF EXISTS k.twice", "CREATE TABLE k.twice AS SELECT * FROM k.people", "CALL set_attributes('k.twice', 'qi=age', 'sa=disease')")
		return statements("USE k", "RENAME TABLE twice TO moved")
	}},
	{"CREATE VIEW", func(c *chain) act {
		return statements(fmt.Sprintf("CREATE OR REPLACE VIEW k.v AS SELECT id, age + %d AS age FROM k.people", c.random.IntN(1000)))
	}},
	{"set_attributes", func(c *chain) act {
		c.both("CALL set_attributes('k.scratch', 'qi=age,sex', 'sa=disease')")
		return statements("CALL set_attributes('k.scratch', 'qi=sex', 'sa=age', 'ei=id')")
	}},
	{"set_taxonomy", func(c *chain) act {
		c.both("INSERT INTO k.scratch (id, age, sex, disease) VALUES " + c.people(5))
		return statements(fmt.Sprintf("CALL set_taxonomy('k.scratch', 'age', 'intervals=5,%d')", 10*(1+c.random.IntN(20))))
	}},
	{"publish", func(c *chain) act {
		c.dropRelease("people")
		return c.publication("people")
	}},
	{"replace", func(c *chain) act {
		c.ensureRelease("people")
		return c.publication("people", "replace=true")
	}},
	{"publish private", func(c *chain) act {
		c.dropRelease("secret")
		return statements("CALL anonymize('k.people', " + c.method() + ", 'publish=secret', 'private=true', " + c.seedOption() + ")")
	}},
	{"publish live", func(c *chain) act {
		c.dropRelease("live")
		return c.publication("live")
	}},
	{"refresh", func(c *chain) act {
		c.ensureRelease("live")
		c.both("INSERT INTO k.live (id, age, sex, disease) VALUES "+c.people(1+c.random.IntN(30)), fmt.Sprintf("DELETE FROM k.live WHERE id %% 17 = %d", c.random.IntN(17)))
		return statements("CALL refresh_release('live', " + c.seedOption() + ")")
	}},
	{"drop_release", func(c *chain) act {
		name := []string{"people", "live"}[c.random.IntN(2)]
		c.ensureRelease(name)
		return statements("CALL drop_release('" + name + "')")
	}},
	{"evaluate", func(c *chain) act {
		c.ensureRelease("people")
		return statements("CALL evaluate('people', 'queries=20', 'qi=1-2', " + c.seedOption() + ")")
	}},
	{"create_analyst", func(c *chain) act {
		c.next++
		return statements(fmt.Sprintf("CALL create_analyst('reader%d', 'a long secret')", c.next))
	}},
	{"accounts", func(c *chain) act {
		c.next++
		user := fmt.Sprintf("user%d", c.next)
		switch c.random.IntN(5) {
		case 0:
			return statements("CREATE USER " + user + " IDENTIFIED BY 'secret'")
		case 1:
			c.both("CREATE USER " + user + " IDENTIFIED BY 'secret'")
			return statements("GRANT SELECT, INSERT ON k.* TO " + user)
		case 2:
			c.both("CREATE USER "+user+" IDENTIFIED BY 'secret'", "GRANT SELECT, INSERT ON k.* TO "+user)
			return statements("REVOKE INSERT ON k.* FROM " + user)
		case 3:
			c.both("CREATE USER "+user+" IDENTIFIED BY 'secret'", "CREATE ROLE role"+user)
			return statements("GRANT role" + user + " TO " + user)
		default:
			c.both("CREATE USER "+user+" IDENTIFIED BY 'secret'", "GRANT SELECT, INSERT ON k.* TO "+user)
			return statements("DROP USER " + user)
		}
	}},
}

// statements are executed in one session.
func statements(list ...string) act {
	return func(db *dbsql.DB, _ string) error {
		ctx := context.Background()
		conn, err := db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		for _, statement := range list {
			if _, err := conn.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	}
}

var diseases = []string{"Influenza", "Gastritis", "Bronchitis", "Hepatitis", "Asthma", "Pneumonia"}

// people are rows as VALUES has them.
func (c *chain) people(n int) string {
	values := make([]string, n)
	for i := range values {
		c.next++
		values[i] = fmt.Sprintf("(%d, %d, '%s', '%s')", c.next, 20+c.random.IntN(50), []string{"F", "M"}[c.random.IntN(2)], diseases[c.random.IntN(len(diseases))])
	}
	return strings.Join(values, ", ")
}

func (c *chain) anyTable() string {
	return []string{"k.people", "k.live", "k.scratch"}[c.random.IntN(3)]
}

func (c *chain) seedOption() string { return fmt.Sprintf("'seed=%d'", c.random.Uint32()) }

func (c *chain) method() string {
	return []string{"'slppa', 'beta=0.5'", "'anatomy', 'l=2'", "'mondrian', 'k=4'", "'arp', 'l=2'"}[c.random.IntN(4)]
}

// publication is CALL anonymize of k.people or k.live under the table's name.
func (c *chain) publication(name string, options ...string) act {
	call := "CALL anonymize('k." + name + "', "
	if name == "live" {
		call += []string{"'drasl', 'k=4'", "'anatomy', 'l=2', 'updates=sealed'", "'slppa', 'beta=0.5', 'updates=sealed'"}[c.random.IntN(3)]
	} else {
		call += c.method()
	}
	for _, option := range append(options, "allow_composition=true", "publish="+name) {
		call += ", '" + option + "'"
	}
	return statements(call + ", " + c.seedOption() + ")")
}

func (c *chain) ensureRelease(name string) {
	if !c.published(name) {
		c.bothDo(c.publication(name))
	}
}

func (c *chain) dropRelease(name string) {
	if c.published(name) {
		c.both("CALL drop_release('" + name + "')")
	}
}

func (c *chain) published(name string) bool {
	return len(c.ask("SELECT 1 FROM anonsql.releases WHERE name = '"+name+"'")) > 0
}
