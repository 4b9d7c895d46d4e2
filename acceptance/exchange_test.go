package acceptance

import (
	"cmp"
	"context"
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/functions"
	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// The exchange property: everything that an account without SELECT on the raw table can get is a function of the
// published relations. For every form of every method, two servers publish tables that differ by an exchange: two
// records of one group have each other's sensitive values, so the relations are the same. Then an analyst walks
// through every door of both servers (exchange_doors_test.go), and every byte must be the same.

// A published form is one way to publish.
type publishedForm struct {
	name, method string
	options      []string
	sensitive    []string
	// refreshed releases follow their table and get a second version.
	refreshed bool
}

// publishedForms are every method with the options of methodCalls, then with each value of each of its parameters,
// then with two sensitive attributes.
//
// A model shows which quasi-identifiers are associated with which sensitive values, so an exchange changes it.
func publishedForms() (forms []publishedForm) {
	add := func(f publishedForm) {
		f.name = fmt.Sprintf("r%d_%s", len(forms), f.method)
		if f.sensitive == nil {
			f.sensitive = []string{"disease"}
		}
		forms = append(forms, f)
	}
	for _, m := range methods.All() {
		if m.Name == modeled.Name {
			continue
		}
		base := methodCalls[m.Name].options
		if !testsize.All() {
			if m.Name == "mondrian" {
				add(publishedForm{method: m.Name, options: base})
			}
			continue
		}
		add(publishedForm{method: m.Name, options: base})
		for _, p := range m.Parameters {
			if !testsize.All() && p.Name != "sa_mode" {
				continue
			}
			for _, choice := range p.Choices {
				if option := p.Name + "=" + choice; !slices.Contains(base, option) && choice != p.Default {
					options := slices.DeleteFunc(slices.Clone(base), func(o string) bool { return strings.HasPrefix(o, p.Name+"=") })
					add(publishedForm{method: m.Name, options: append(options, option)})
				}
			}
			if p.Name == "sa_mode" {
				add(publishedForm{method: m.Name, options: append(slices.Clone(base), "sa_mode=each"), sensitive: []string{"disease", "zip"}})
			}
		}
		add(publishedForm{method: m.Name, options: base, sensitive: []string{"disease", "zip"}})
	}
	add(publishedForm{method: "anatomy", options: []string{"l=3"}})
	add(publishedForm{method: "drasl", options: []string{"k=4", "updates=sealed"}, refreshed: true})
	if !testsize.All() {
		return forms
	}
	add(publishedForm{method: "dpp", options: []string{"k=4", "updates=sealed"}, refreshed: true})
	return forms
}

// patientColumns are the columns of the exchange's tables, after the id.
var patientColumns = []string{"age", "sex", "zip", "born", "charge", "disease"}

// exchangePatients returns 240 records as SQL, different for every number.
func exchangePatients(number int) [][]string {
	random := rand.New(rand.NewPCG(1, uint64(number)))
	diseases := []string{"'flu'", "'cold'", "'gout'", "'asthma'", "'cancer'", "NULL"}
	zips := []string{"'11100'", "'12200'", "'25300'", "NULL"}
	var rows [][]string
	for i := range 240 {
		rows = append(rows, []string{fmt.Sprint(20 + 5*random.IntN(12)), fmt.Sprintf("'%c'", "FM"[random.IntN(2)]), zips[random.IntN(4)],
			fmt.Sprintf("'%d-0%d-15'", 1950+10*random.IntN(6), 1+random.IntN(9)), fmt.Sprintf("%d.5", 10*random.IntN(8)), diseases[i%6]})
	}
	return rows
}

// exchangeServers are the two servers. Their clocks agree and stand still.
type exchangeServers struct {
	servers [2]*servertest.Server
	roots   [2]*dbsql.DB
	present *exchange
}

func newExchangeServers(t *testing.T) *exchangeServers {
	t.Helper()
	x := &exchangeServers{}
	for i := range x.servers {
		x.servers[i] = servertest.Start(t, server.Config{ExportDir: t.TempDir(), Extend: server.ProductWith(func(e *functions.Environment) {
			e.Method = func(name string) (anonymize.Method, error) { return x.present.method(name) }
			e.Releases.Clock(func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) })
		})})
		x.open(t, i)
		servertest.Exec(t, x.roots[i], "CREATE DATABASE hospital", "CALL create_analyst('bi', 'a long password')",
			// Everything except SELECT on raw data.
			"CALL create_analyst('rich', 'a long password')", "GRANT EXECUTE, FILE, CREATE USER, SHOW VIEW ON *.* TO rich@'%'")
	}
	return x
}

func (x *exchangeServers) open(t *testing.T, i int) {
	x.roots[i] = x.servers[i].Open(t, servertest.Account{User: "root", Variables: servertest.ListsRelations})
	x.roots[i].SetMaxOpenConns(1) // the same connections on both
}

// publish creates and publishes the table of a form on both servers, on the second one with the exchange. It returns
// false if the method refuses the form.
func (x *exchangeServers) publish(t *testing.T, number int, f publishedForm, more ...string) bool {
	t.Helper()
	x.present = &exchange{}
	rows := exchangePatients(number)
	if err := x.publishOn(t, 0, f, rows, more); err != nil {
		t.Logf("%s %v: %v", f.method, f.options, err)
		return false
	}
	a, b, ok := x.present.pair()
	if !ok {
		t.Errorf("%s %v: no two records can be exchanged", f.method, f.options)
		return false
	}
	for _, name := range f.sensitive {
		at := slices.Index(patientColumns, name)
		rows[a][at], rows[b][at] = rows[b][at], rows[a][at]
	}
	x.present.replay = true
	if err := x.publishOn(t, 1, f, rows, more); err != nil {
		t.Fatalf("%s %v, exchanged: %v", f.method, f.options, err)
	}
	if x.present.reacted {
		t.Logf("%s %v: grouped otherwise after the exchange", f.method, f.options)
	}
	for i := range x.roots {
		if f.refreshed {
			x.present.replay = i > 0 // a refresh also runs the method
			x.refresh(t, i, f, a)
		}
	}
	return true
}

func (x *exchangeServers) publishOn(t *testing.T, i int, f publishedForm, rows [][]string, more []string) error {
	t.Helper()
	var values []string
	for id, row := range rows {
		values = append(values, fmt.Sprintf("(%d, %s)", id, strings.Join(row, ", ")))
	}
	table := "hospital.t_" + f.name
	quasi := slices.DeleteFunc(slices.Clone(patientColumns), func(c string) bool { return slices.Contains(f.sensitive, c) })
	servertest.Exec(t, x.roots[i],
		"CREATE TABLE "+table+" (id INT PRIMARY KEY, age INT, sex CHAR(1), zip VARCHAR(5), born DATE, charge DECIMAL(8,2), disease VARCHAR(20))",
		"INSERT INTO "+table+" VALUES "+strings.Join(values, ", "),
		fmt.Sprintf("CALL set_attributes('%s', 'qi=%s', 'sa=%s', 'ei=id')", table, strings.Join(quasi, ","), strings.Join(f.sensitive, ",")))
	options := append(slices.Clone(f.options), "publish="+f.name, "seed=1", "attacks=true", "allow_composition=true")
	options = append(options, cmp.Or(strings.Join(more, ""), "calibrate=false"))
	_, err := x.roots[i].ExecContext(context.Background(), fmt.Sprintf("CALL anonymize('%s', '%s', '%s')", table, f.method, strings.Join(options, "', '")))
	return err
}

// refresh changes the table of a form: one of the exchanged records leaves, others come.
func (x *exchangeServers) refresh(t *testing.T, i int, f publishedForm, gone int) {
	t.Helper()
	var values []string
	for n, row := range exchangePatients(1000)[:30] {
		values = append(values, fmt.Sprintf("(%d, %s)", 1000+n, strings.Join(row, ", ")))
	}
	servertest.Exec(t, x.roots[i], fmt.Sprintf("DELETE FROM hospital.t_%s WHERE id = %d", f.name, gone),
		fmt.Sprintf("INSERT INTO hospital.t_%s VALUES %s", f.name, strings.Join(values, ", ")),
		fmt.Sprintf("CALL refresh_release('%s', 'seed=2')", f.name))
}

// An analyst gets the same before and after an exchange, for every form of every method. The owner sees the
// difference.
func TestExchange(t *testing.T) {
	t.Parallel() // long, with servers of its own
	x := newExchangeServers(t)
	var releases, measured []string
	published := map[string]bool{}
	for number, f := range publishedForms() {
		if x.publish(t, number, f) {
			releases = append(releases, f.name)
			published[f.method] = true
			if f.refreshed { // nothing is measured in a refresh
				f.name += "_v1"
			}
			measured = append(measured, f.name)
		}
	}
	for _, m := range methods.All() {
		if !published[m.Name] && m.Name != modeled.Name && testsize.All() {
			t.Errorf("no release of %s was published", m.Name)
		}
	}
	x.compare(t, "bi", releases)
	for _, release := range measured {
		x.ownerSees(t, release)
	}
	x.comparePackages(t, releases)
}

// ownerSees expects that the exchange has an effect: the measurements with the raw table differ.
func (x *exchangeServers) ownerSees(t *testing.T, release string) {
	t.Helper()
	var seen [2]string
	for i, root := range x.roots {
		conn, err := root.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, function := range []string{"ANON_UTILITY", "ANON_PRIVACY"} {
			shown, _ := try(conn, "SELECT * FROM "+function+"("+release+")")
			seen[i] += shown
		}
		conn.Close()
	}
	if seen[0] == seen[1] {
		t.Errorf("%s: the owner's figures are the same after the exchange:\n%.2000s", release, seen[0])
	}
}

// The width of intervals is an exception: the raw table determined it. With the first server's width on the second
// server, and both servers restarted, the analyst gets the same answers, intervals included. So stored data from
// before is not shown either.
func TestExchangeCalibrated(t *testing.T) {
	t.Parallel()
	for _, method := range testsize.Of([]string{"slppa"}, []string{"slppa", "mondrian"}) {
		t.Run(method, func(t *testing.T) { exchangeCalibrated(t, method) })
	}
}

func exchangeCalibrated(t *testing.T, method string) {
	x := newExchangeServers(t)
	form := publishedForm{name: "calibrated", method: method, options: methodCalls[method].options, sensitive: []string{"disease"}}
	if !x.publish(t, 0, form, "calibrate=true") {
		t.Fatal("nothing is published")
	}
	var stored [2]string
	for i, s := range x.servers {
		x.roots[i].Close()
		s.Stop(t)
		db, err := dbsql.Open("sqlite3", filepath.Join(s.Config.DataDir, "anonsql.db"))
		if err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRowContext(context.Background(), "SELECT json_extract(record, '$.Calibration') FROM releases").Scan(&stored[i]); err != nil {
			t.Fatal(err)
		}
		servertest.Exec(t, db, "UPDATE releases SET record = json_set(record, '$.Calibration', json('"+stored[0]+"'))")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		x.servers[i] = servertest.Start(t, s.Config)
		x.open(t, i)
	}
	if stored[0] == stored[1] {
		t.Error("the calibrations are the same: the exception is not needed")
	}
	for _, user := range testsize.Of([]string{"rich"}, []string{"bi", "rich"}) { // rich may do everything that bi may
		x.compare(t, user, []string{form.name})
	}
	x.compareCommands(t, form.name)
	x.ownerSees(t, form.name)
	x.comparePackages(t, []string{form.name})
	rows := fetchRows(t, x.roots[0], "SELECT ANON_INTERVAL_HIGH(COUNT(*)) FROM published.calibrated WHERE age > 40 AND disease = 'flu'")
	if len(rows) != 1 || rows[0][0] == nil {
		t.Errorf("the release has no intervals: %v", rows)
	}
}
