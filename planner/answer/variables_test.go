package answer

import (
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
)

// The error for a value that a variable does not take says which ones it takes.
func TestVariablesSayWhatTheyTake(t *testing.T) {
	want := map[string]string{
		countsVariable:    "Variable 'anon_counts' can't be set to the value of 'imputd': it takes estimate, integer",
		weightVariable:    "Variable 'anon_weight' can't be set to the value of 'imputd': it takes off, on",
		estimatorVariable: `Variable 'anon_estimator' can't be set to the value of 'imputd': it takes default, imputed, independent; did you mean "imputed"?`,
	}
	for _, variable := range Variables() {
		v := variable.(*sql.MysqlSystemVariable)
		if _, _, err := v.Type.Convert(t.Context(), "imputd"); err == nil || !strings.HasPrefix(err.Error(), want[v.Name]+" (") {
			t.Errorf("%v, want %s", err, want[v.Name])
		}
		if got, _, err := v.Type.Convert(t.Context(), strings.ToUpper(v.Default.(string))); err != nil || got != v.Default {
			t.Errorf("the default of %s is %v, %v", v.Name, got, err)
		}
	}
}
