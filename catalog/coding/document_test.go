package coding

import (
	"math"
	"reflect"
	"testing"

	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/shopspring/decimal"
)

// A stored document has the numbers that were given: whole ones exactly, DECIMALs as numbers.
func TestDocumentsKeepNumbers(t *testing.T) {
	codec := New(types.JSON)
	given := map[string]any{
		"whole": int64(9007199254740993), "unsigned": uint64(math.MaxUint64), "double": 1.25, "decimal": decimal.New(150, -2),
		"list": []any{decimal.New(7, 0), nil, true, "1.50"},
	}
	want := map[string]any{
		"whole": int64(9007199254740993), "unsigned": uint64(math.MaxUint64), "double": 1.25, "decimal": 1.5,
		"list": []any{int64(7), nil, true, "1.50"},
	}
	stored, err := codec.Encode(types.JSONDocument{Val: given})
	if err != nil {
		t.Fatal(err)
	}
	const text = `{"decimal":1.5,"double":1.25,"list":[7,null,true,"1.50"],"unsigned":18446744073709551615,"whole":9007199254740993}`
	if stored != text {
		t.Errorf("stored is %v, want %s", stored, text)
	}
	read, err := codec.Decode(stored)
	if err != nil {
		t.Fatal(err)
	}
	if got := read.(types.JSONDocument).Val; !reflect.DeepEqual(got, want) {
		t.Errorf("read is %#v, want %#v", got, want)
	}
	if _, err := codec.Decode(`{"a":1} {}`); err == nil {
		t.Error("two documents are read as one")
	}
}
