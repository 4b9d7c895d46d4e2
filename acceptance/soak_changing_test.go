package acceptance

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The changes of a soak's owners.

// answers runs all questions about the current version of a release.
func (c *soakClient) answers(h *soakHistory) []string {
	list := make([]string, len(h.questions))
	for i, q := range h.questions {
		list[i], _ = c.ask("estimate, text", h.text(i), q.args)
	}
	return list
}

func (h *soakHistory) text(i int) string {
	return strings.ReplaceAll(h.questions[i].text, "{T}", "published."+h.name)
}

// replace publishes the next version of the turning release.
func (c *soakClient) replace() {
	c.turning.change(func() {
		beta := []string{"0.2", "0.25", "0.3"}[c.random.IntN(3)]
		c.ask("publish", soakPublish("turning", "slppa", "'beta="+beta+"', 'tables=2'"), nil)
	}, func() []string { return c.answers(c.turning) })
	c.note("turning")
	c.pause(100 * time.Millisecond)
}

func soakPublish(table, method, options string) string {
	return fmt.Sprintf("CALL anonymize('census.%[1]s', '%[2]s', 'qi=age,sex,region', 'sa=disease', 'publish=%[1]s', 'replace=true', 'calibrate=false', 'attacks=false', %[3]s)", table, method, options)
}

// replaceTogether publishes a release that another client also publishes.
func (c *soakClient) replaceTogether() {
	method := [][2]string{{"mondrian", "'k=5', 'l=2'"}, {"anatomy", "'l=3'"}, {"arp", "'l=2'"}}[c.random.IntN(3)]
	c.ask("publish", soakPublish("contended", method[0], method[1]), nil)
	c.must("estimate, text", "1|\n", "SELECT ROUND(COUNT(*)) = "+strconv.Itoa(c.people)+" FROM published.contended")
	c.pause(200 * time.Millisecond)
}

// comeAndGo publishes a new release, queries it and drops it.
func (c *soakClient) comeAndGo() {
	c.ask("publish", soakPublish("roaming", "slppa", "'beta=0.25', 'tables=1', 'allow_composition=true'"), nil)
	c.must("estimate, text", "1|\n", "SELECT ROUND(SUM(n)) = "+strconv.Itoa(c.people)+" FROM (SELECT disease, COUNT(*) AS n FROM published.roaming GROUP BY disease) t")
	c.note("roaming")
	c.ask("drop release", "CALL drop_release('roaming')", nil)
	if _, ok := c.ask("bad statement", "SELECT COUNT(*) FROM published.roaming", nil, soakExpected{1146, "it is dropped"}); ok {
		c.unexpected("a release that was dropped answers")
	}
	c.pause(200 * time.Millisecond)
}

// soakVersions is the number of versions after which a followed release starts over: the owner keeps all versions, so
// memory would grow as intended.
const soakVersions = 20

// refresh makes the next version of the followed release.
func (c *soakClient) refresh() {
	c.patients.change(func() {
		if n, ok := c.ask("metadata", "SELECT versions FROM anonsql.releases WHERE name = 'patients'", nil); ok && n == fmt.Sprintf("%d|\n", soakVersions) {
			c.ask("publish", soakFollow("patients", ""), nil)
			return
		}
		c.ask("refresh", "CALL refresh_release('patients')", nil)
		c.must("promise", "", "SELECT guarantee FROM ANON_PRIVACY(published.patients) WHERE NOT holds")
	}, func() []string { return c.answers(c.patients) })
	c.note("patients")
	c.pause(100 * time.Millisecond)
}

func soakFollow(name, more string) string {
	return "CALL anonymize('ward." + name + "', 'drasl', 'qi=age,sex', 'sa=disease', 'unit=rows', 'k=4', 'updates=sealed', 'replace=true', 'calibrate=false', 'attacks=false', 'publish=" + name + "'" + more + ")"
}

// refreshTogether refreshes a release that another client and the server itself also refresh.
func (c *soakClient) refreshTogether() {
	meanwhile := soakExpected{30001, "somebody else refreshed or replaced it meanwhile"}
	if n, ok := c.ask("metadata", "SELECT versions > "+strconv.Itoa(soakVersions)+" FROM anonsql.releases WHERE name = 'visits'", nil); ok && n == "1|\n" {
		c.ask("publish", soakFollow("visits", ", 'auto_refresh=30'"), nil, meanwhile)
	}
	c.ask("refresh", "CALL refresh_release('visits')", nil, meanwhile)
	c.must("estimate, text", "1|\n", "SELECT SUM(size) = (SELECT SUM(count) FROM published.visits_sa) FROM published.visits_gid")
	c.pause(300 * time.Millisecond)
}

// soakRows is the greatest number of a client's own rows.
const soakRows = 40

// change inserts, updates and deletes the client's own rows in the followed tables.
func (c *soakClient) change() {
	table := []string{"patients", "visits"}[c.random.IntN(2)]
	if table == "visits" {
		c.ask("change", "INSERT INTO ward.visits (age, sex, disease) VALUES "+c.person(), nil)
		c.ask("change", "DELETE FROM ward.visits ORDER BY id LIMIT 1", nil)
		return
	}
	id := 0
	for id = range c.rows {
		break
	}
	do := c.random.IntN(5)
	if len(c.rows) > soakRows {
		do = 2
	}
	switch do {
	case 0, 1:
		c.made++
		id = c.number*1_000_000 + c.made
		if _, ok := c.ask("change", fmt.Sprintf("INSERT INTO ward.patients (id, client, age, sex, disease) VALUES (%d, %d, %s", id, c.number, c.person()[1:]), nil); ok {
			c.rows[id] = true
		}
	case 2:
		if _, ok := c.ask("change", "DELETE FROM ward.patients WHERE id = "+strconv.Itoa(id), nil); ok {
			delete(c.rows, id)
		}
	case 3:
		c.ask("change", "UPDATE ward.patients SET age = age + 1 WHERE id = "+strconv.Itoa(id), nil)
	case 4: // a rollback
		conn := c.connected()
		if conn == nil {
			return
		}
		c.stay(func() {
			c.ask("transaction", "START TRANSACTION", nil)
			c.ask("change", fmt.Sprintf("UPDATE ward.patients SET disease = 'Plague' WHERE client = %d", c.number), nil)
			c.ask("change", fmt.Sprintf("DELETE FROM ward.patients WHERE client = %d", c.number), nil)
			c.ask("transaction", "ROLLBACK", nil)
		})
	}
	c.must("raw table", fmt.Sprintf("%d|\n", len(c.rows)), fmt.Sprintf("SELECT COUNT(*) FROM ward.patients WHERE client = %d", c.number))
	c.pause(20 * time.Millisecond)
}

// stay runs statements that need one connection.
func (c *soakClient) stay(do func()) {
	c.stays = true
	defer func() { c.stays = false }()
	do()
}

func (c *soakClient) person() string {
	return fmt.Sprintf("(%d, '%s', '%s')", 20+c.random.IntN(50), []string{"F", "M"}[c.random.IntN(2)], liveDiseases[c.random.IntN(len(liveDiseases))])
}
