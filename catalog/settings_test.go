package catalog_test

import (
	"testing"

	"github.com/anonsql/anonsql/catalog/catalogtest"
)

func TestSettings(t *testing.T) {
	b := catalogtest.NewBench(t)
	for _, value := range [][]byte{nil, {}, {0, 255}, []byte("again")} {
		if value != nil {
			if err := b.Catalog.SetSetting(t.Context(), "grants", value); err != nil {
				t.Fatal(err)
			}
		}
		b.Reopen()
		got, err := b.Catalog.Setting("grants")
		if err != nil || string(got) != string(value) || (got == nil) != (value == nil) {
			t.Errorf("got %v %v, want %v", got, err, value)
		}
	}
}
