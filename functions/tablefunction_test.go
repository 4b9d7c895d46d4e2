package functions

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/functions/argument"
)

// asked is a checker of privileges that denies everything and records the requests.
type asked []sql.PrivilegedOperation

func (a *asked) UserHasPrivileges(_ *sql.Context, operations ...sql.PrivilegedOperation) bool {
	*a = append(*a, operations...)
	return false
}

func (a *asked) RoutineAdminCheck(*sql.Context, ...sql.PrivilegedOperation) bool { return false }

// A table function over a raw table checks SELECT on it in every plan, not only when it is bound: another account's
// view may contain it.
func TestTableFunctionPrivileges(t *testing.T) {
	b := newBench(t)
	b.run("root", `CALL set_attributes('hospital.patients', 'qi=age', 'sa=disease'); CALL anonymize('hospital.patients', 'in_order', 'publish=ill')`)
	ctx := b.context(context.Background(), "root", "")
	raw := []sql.Expression{&argument.Ref{Qualifier: "hospital", Name: "patients"}}
	release := []sql.Expression{&argument.Ref{Name: "ill"}}
	for _, f := range b.environment.TableFunctions() {
		arguments, ofRelease := raw, f.Name() == "anon_privacy" || f.Name() == "anon_utility"
		if ofRelease {
			arguments = release
		}
		node, err := f.NewInstance(ctx, nil, arguments)
		if err != nil {
			t.Errorf("%s: %v", f.Name(), err)
			continue
		}
		checker := new(asked)
		allowed := node.(sql.AuthorizationCheckerNode).CheckAuth(ctx, checker)
		if ofRelease {
			if !allowed || len(*checker) > 0 {
				t.Errorf("%s of a release asks for %+v", f.Name(), *checker)
			}
			continue
		}
		want := sql.NewPrivilegedOperation(sql.PrivilegeCheckSubject{Database: "hospital", Table: "patients"}, sql.PrivilegeType_Select)
		if allowed || !reflect.DeepEqual([]sql.PrivilegedOperation(*checker), []sql.PrivilegedOperation{want}) {
			t.Errorf("%s asks for %+v, want %+v", f.Name(), *checker, want)
		}
		// The prototype stands for no table.
		if !f.(*tableFunction).CheckAuth(ctx, checker) {
			t.Errorf("the prototype of %s is refused", f.Name())
		}
	}
}

func TestTableNames(t *testing.T) {
	b := newBench(t)
	ctx := b.context(context.Background(), "root", "")
	for text, want := range map[string]string{
		"patients": "published.patients", " hospital.patients ": "hospital.patients", "`hospital`.`patients`": "hospital.patients",
		"`a.b`.`c``d`": "a.b.c`d", "hospital.`patients`": "hospital.patients", "hospital.`größe`": "hospital.größe",
		"Trino.hospital.patients": "Trino.hospital.patients", "`trino.hospital`.patients": "trino.hospital.patients", "trino.a.b.c": "", "trino.a.": "",
		"": "", ".": "", "a.": "", ".a": "", "a.b.c": "", "`": "", "``": "", "`a": "", "`a`b": "", "a`b`": "", "a.b ``": "",
	} {
		name, err := parseTableName(ctx, text)
		if want == "" && err == nil || want != "" && (err != nil || name.String() != want) {
			t.Errorf("%q is read as %v, %v, want %q", text, name, err, want)
		}
	}
	b.session("root").SetCurrentDatabase("")
	if _, err := parseTableName(ctx, "patients"); !sql.ErrNoDatabaseSelected.Is(err) {
		t.Errorf("without a database: %v", err)
	}
	// A denial names a table that the client has named, and no other.
	name := tableName{"hospital", "Patients"}
	for statement, named := range map[string]bool{"SELECT * FROM patients": true, "SELECT * FROM v": false} {
		err := name.denied(b.context(context.Background(), "analyst", statement), "SELECT")
		denial := strings.HasPrefix(failure(err), "1142 (42000): SELECT command denied to user 'analyst'@'localhost' for ")
		if !denial || strings.Contains(err.Error(), "Patients") != named {
			t.Errorf("%s: %v", statement, err)
		}
	}
	for value, want := range map[any]string{nil: "", "x": "x", int8(3): "3", 0.5: "0.5", true: "true"} {
		if got := text(value); got != want {
			t.Errorf("%v is read as %q", value, got)
		}
	}
	if got := text([]byte("x")); got != "x" {
		t.Errorf("bytes are read as %q", got)
	}
}

// Every name reports its usage when it is called with a wrong number of arguments.
func TestUsageOfEveryProcedure(t *testing.T) {
	b := newBench(t)
	seen := map[string]bool{}
	for _, d := range b.environment.Procedures() {
		if seen[d.Name] {
			continue
		}
		seen[d.Name] = true
		_, err := b.try("root", "CALL "+d.Name+"()")
		if err == nil || !strings.Contains(err.Error(), "the number of arguments is 0, write CALL "+d.Name+"(") {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
	if len(seen) != 17 {
		t.Errorf("%d procedures: give a new one its file of testdata, and change this number", len(seen))
	}
	e := &Environment{}
	if m, err := e.methodNamed("SLPPA"); err != nil || m.Name != "slppa" {
		t.Errorf("without a choice of methods: %v, %v", m.Name, err)
	}
	if e.mayUseFiles(nil) {
		t.Error("without accounts everybody has FILE")
	}
}
