package functions

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/functions/needs"
)

// callOf has a call of every procedure. It is not refused to accounts with the required privileges.
var callOf = map[string]string{
	"set_attributes":  "CALL set_attributes('hospital.patients', 'qi=age,sex', 'sa=disease', 'ei=name')",
	"set_taxonomy":    "CALL set_taxonomy('hospital.patients', 'age', 'intervals=5')",
	"anonymize":       "CALL anonymize('hospital.patients', 'in_order', 'replace=true', 'allow_composition=true')",
	"tune":            "CALL tune('hospital.patients', 'methods=anatomy', 'anatomy.l=2', 'queries=5')",
	"advise":          "CALL advise('hospital.patients', 'queries=5')",
	"refresh_release": "CALL refresh_release('patients')",
	"fit_release":     "CALL fit_release('patients')",
	"drop_release":    "CALL drop_release('patients')",
	"export_release":  "CALL export_release('patients', 'overwrite=true')",
	"evaluate":        "CALL evaluate('patients', 'queries=5', 'qi=1')",
	"classify":        "CALL classify('patients', 'target=disease', 'folds=2')",
	"report":          "CALL report('patients')",
	"explain_sql":     "CALL explain_sql('SELECT COUNT(*) FROM hospital.patients')",
	"import_release":  "CALL import_release('nothing')",
	"create_analyst":  "CALL create_analyst('eve', 'a long password')",
	"set_limits":      "CALL set_limits('eve', 'memory=0')",
	"set_defaults":    "CALL set_defaults('eve', 'sql_notes=0')",
}

// denies reports whether an account is refused for its privileges.
func (b *bench) denies(user, call string) bool {
	_, err := b.try(user, call)
	var refused *mysql.SQLError
	return errors.As(err, &refused) && (refused.Num == tableAccessDenied || refused.Num == accessDenied)
}

// TestEveryProcedureNeedsPrivileges walks the procedures: each is in the list of needs, and is refused to an account that lacks one of them.
func TestEveryProcedureNeedsPrivileges(t *testing.T) {
	b := newBench(t)
	procedures := map[string]bool{}
	for _, p := range b.environment.Procedures() {
		procedures[p.Name] = true
	}
	for name := range procedures {
		needed, listed := needs.ForProcedure(name)
		call := callOf[name]
		if !listed || call == "" {
			t.Errorf("procedure %s is not in the list of needs, or has no call here", name)
			continue
		}
		b.run("root", callOf["set_attributes"]+"; CALL anonymize('hospital.patients', 'in_order', 'replace=true', 'allow_composition=true')")
		refused := map[string]bool{ // by the privileges of these accounts
			"nobody":  needed.On != needs.OwnStatement, // the engine of a bench has no accounts
			"analyst": needed.On != needs.Release && needed.On != needs.OwnStatement,
			"clerk":   needed.On == needs.Server || slices.Contains(needed.Privileges, sql.PrivilegeType_Alter),
			"steward": needed.On == needs.Server,
		}
		for _, user := range []string{"nobody", "analyst", "clerk", "steward"} { // the account that may call it goes last: it may drop the release
			if got := b.denies(user, call); got != refused[user] {
				t.Errorf("%s by %s: refused is %v, want %v", call, user, got, refused[user])
			}
		}
	}
	for _, name := range needs.Procedures() {
		if !procedures[name] {
			t.Errorf("the list of needs has %s, which is no procedure", name)
		}
	}
}

// TestWithdrawOfAGoneTable: the maker of a release, and accounts that could create the table, may withdraw it when the table is gone.
func TestWithdrawOfAGoneTable(t *testing.T) {
	for _, private := range []string{"", ", 'private=true'"} {
		b := newBench(t)
		b.run("root", callOf["set_attributes"])
		b.run("steward", "CALL anonymize('hospital.patients', 'in_order'"+private+")")
		saved := rights["steward"]
		revoked := saved
		revoked.reads, revoked.alters = nil, nil
		rights["steward"] = revoked
		t.Cleanup(func() { rights["steward"] = saved })
		if _, err := b.try("steward", callOf["drop_release"]); err == nil {
			t.Errorf("%s: the table is there, and who made the release has lost the privileges", private)
		}
		b.run("root", "DROP TABLE hospital.patients")
		for _, user := range []string{"nobody", "analyst", "clerk", "courier"} {
			if _, err := b.try(user, callOf["drop_release"]); err == nil || private != "" && user != "clerk" && strings.Contains(err.Error(), "denied") {
				t.Errorf("%s: %s withdraws a release that it has not made, or is told of it: %v", private, user, err)
			}
		}
		if got := b.run("steward", callOf["drop_release"]).lines(); !slices.Equal(got, []string{"patients|dropped"}) {
			t.Errorf("%s: who made the release got %q", private, got)
		}
		rights["steward"] = saved
	}
}
