package sqlite

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// SQLite must compare as the engine does, or a unique key would admit values that the engine considers equal.
func TestCollationsCompareAsTheEngineDoes(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	alphabet := []rune("aAäÄbBßsSzé eÉ0_ÿ日本\U0001F600")
	word := func() string {
		runes := make([]rune, random.IntN(5))
		for i := range runes {
			runes[i] = alphabet[random.IntN(len(alphabet))]
		}
		return string(runes)
	}
	for _, id := range []sql.CollationID{sql.Collation_utf8mb4_0900_ai_ci, sql.Collation_utf8mb4_0900_as_cs, sql.Collation_utf8mb4_general_ci,
		sql.Collation_utf8mb4_unicode_ci, sql.Collation_utf8mb4_0900_bin, sql.Collation_utf8mb4_bin, sql.Collation_utf8mb3_general_ci} {
		typ, err := types.CreateString(sqltypes.VarChar, 20, id)
		if err != nil {
			t.Fatal(err)
		}
		compare := Comparison(id)
		for range 3000 {
			a, b := word(), word()
			want, err := typ.Compare(context.Background(), a, b)
			if err != nil {
				t.Fatal(err)
			}
			got := compare(a, b)
			if CollationName(id) == "BINARY" {
				got = 0
				if a != b {
					got = map[bool]int{true: -1, false: 1}[a < b]
				}
			}
			if (got < 0) != (want < 0) || (got == 0) != (want == 0) {
				t.Fatalf("%s: %q and %q compare as %d, the engine says %d", id, a, b, got, want)
			}
		}
	}
}
