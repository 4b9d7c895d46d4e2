package sqlerror

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
)

func TestOwnErrors(t *testing.T) {
	for _, c := range []struct {
		err    error
		number int
	}{
		{&anonymize.ParameterError{}, BadParameter},
		{fmt.Errorf("publishing: %w", &anonymize.DataError{}), BadData},
		{&anonymize.InfeasibleError{}, Infeasible},
		{sql.ErrTableNotFound.New("t"), 1146},
		{fmt.Errorf("context canceled"), 1317},
		{fmt.Errorf("what nobody foresaw"), 1105},
	} {
		var known *mysql.SQLError
		if !errors.As(ToClient(c.err), &known) || known.Num != c.number {
			t.Errorf("%v is %v to the client, want number %d", c.err, known, c.number)
		}
	}
}

// Clients that read error numbers as signed ones show others for those from 32,768 on.
func TestErrorNumbersAreSmall(t *testing.T) {
	numbers := 0
	look := func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.INT {
			return true
		}
		numbers++
		if n, err := strconv.Atoi(literal.Value); err != nil || n >= 1<<15 {
			t.Errorf("error number %s, must be below %d", literal.Value, 1<<15)
		}
		return true
	}
	for _, file := range []string{"numbers.go", "engine.go"} {
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(source, look)
	}
	if numbers < 100 {
		t.Errorf("%d numbers found", numbers)
	}
}
