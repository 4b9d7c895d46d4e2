package acceptance

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// The queries of a soak's clients.

// history returns a release, often the fixed one.
func (c *soakClient) history() *soakHistory {
	return []*soakHistory{c.fixed, c.fixed, c.turning, c.patients}[c.random.IntN(4)]
}

// estimate runs one question as text.
func (c *soakClient) estimate() {
	h := c.history()
	i := c.random.IntN(len(h.questions))
	q := h.questions[i]
	asked := time.Now()
	if got, ok := c.ask("estimate, text", h.text(i), q.args); ok && !h.right(i, got, asked, time.Now()) {
		c.unexpected("%s %v\nis answered\n%.300s\nwhich no version does", h.text(i), q.args, got)
	}
}

// estimatePrepared prepares one question and executes it several times, while the release may get new versions.
func (c *soakClient) estimatePrepared() {
	h := c.history()
	i := c.random.IntN(len(h.questions))
	conn := c.connected()
	if conn == nil {
		return
	}
	statement, err := conn.PrepareContext(context.Background(), h.text(i))
	if !c.accept("prepare", h.text(i), err, nil) {
		return
	}
	defer statement.Close()
	for range 1 + c.random.IntN(8) {
		asked := time.Now()
		var got string
		rows, err := statement.QueryContext(context.Background(), h.questions[i].args...)
		if err == nil {
			got, err = rowsText(rows)
			rows.Close()
		}
		if !c.accept("estimate, prepared", h.text(i), err, nil) {
			return
		}
		if !h.right(i, got, asked, time.Now()) {
			c.unexpected("prepared %s %v\nis answered\n%.300s\nwhich no version does", h.text(i), h.questions[i].args, got)
		}
	}
}

// preview reads stored rows; those of the fixed release never change.
func (c *soakClient) preview() {
	i := c.random.IntN(len(c.previews))
	c.must("preview", c.previews[i].want, c.previews[i].text)
}

// tool acts like a reporting tool: it connects, reads metadata, runs a few queries and leaves.
func (c *soakClient) tool() {
	c.leave()
	for _, q := range c.greetings {
		if q.want == "" {
			c.ask("tool's question", q.text, nil)
			continue
		}
		c.must("tool's question", q.want, q.text)
	}
	for range 3 {
		c.estimate()
	}
	c.leave()
	c.pause(time.Duration(c.random.IntN(50)) * time.Millisecond)
}

// metadata reads what other clients are defining. It must see the state of one moment.
func (c *soakClient) metadata() {
	switch text := soakMetadata[c.random.IntN(len(soakMetadata))]; {
	case strings.HasPrefix(text, "0: "):
		c.must("metadata", "0|\n", text[3:])
	default:
		c.ask("metadata", text, nil)
	}
}

var soakMetadata = []string{
	// Never columns without a table, nor tables without columns.
	"0: SELECT COUNT(*) FROM information_schema.columns c LEFT JOIN information_schema.tables t ON c.table_schema = t.table_schema AND c.table_name = t.table_name WHERE t.table_name IS NULL",
	"0: SELECT COUNT(*) FROM information_schema.tables t LEFT JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name WHERE c.table_name IS NULL",
	// The followed release has either all relations or none.
	"0: SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM information_schema.tables WHERE table_schema = 'published' AND table_name IN ('turning', 'turning_gid', 'turning_sa')) t WHERE n <> 3",
	"SELECT table_schema, table_name, column_name, data_type, column_default FROM information_schema.columns WHERE table_schema LIKE 'soak%'",
	"SELECT * FROM information_schema.statistics", "SELECT * FROM information_schema.key_column_usage", "SELECT * FROM information_schema.table_constraints",
	"SELECT * FROM information_schema.schemata", "SELECT * FROM information_schema.views", "SELECT * FROM information_schema.routines",
	"SELECT COUNT(*) FROM information_schema.processlist", "SHOW FULL PROCESSLIST", "SHOW STATUS", "SHOW DATABASES", "SHOW TABLE STATUS FROM published",
	"SELECT id, kind, subject, phase, done, total, status FROM anonsql.jobs", "SELECT name, version, status, pending, versions FROM anonsql.releases",
	"SELECT kind, COUNT(*) FROM anonsql.audit GROUP BY kind",
}

// define creates a table, alters it, checks its description, and drops it.
func (c *soakClient) define() {
	database := fmt.Sprintf("soak%d", c.number)
	c.made++
	table := fmt.Sprintf("t%d", c.made)
	name := database + "." + table
	c.ask("define", "CREATE TABLE "+name+" (id INT PRIMARY KEY, name VARCHAR(20) DEFAULT 'x')", nil)
	columns := "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = '" + database + "'"
	c.must("metadata", "2|\n", columns)
	c.ask("define", "INSERT INTO "+name+" (id) VALUES (1), (2), (3)", nil)
	c.ask("define", "ALTER TABLE "+name+" ADD COLUMN more DOUBLE DEFAULT 1.5, ADD INDEX by_name (name)", nil)
	c.must("metadata", "3|\n", columns)
	c.must("metadata", "id|int|NO|PRI|NULL||\nname|varchar(20)|YES|MUL|x||\nmore|double|YES||1.5||\n", "SHOW COLUMNS FROM "+name)
	c.must("metadata", table+"|\n", "SHOW TABLES FROM "+database)
	c.must("raw table", "3|4.5|\n", "SELECT COUNT(*), SUM(more) FROM "+name+" WHERE name = 'X'")
	c.ask("define", "CREATE VIEW "+database+".v AS SELECT id FROM "+name, nil)
	c.must("raw table", "6|\n", "SELECT SUM(id) FROM "+database+".v")
	c.ask("define", "DROP VIEW "+database+".v", nil)
	c.ask("define", "DROP TABLE "+name, nil)
	c.must("metadata", "0|\n", columns)
}
