package catalog

import "testing"

func TestSettings(t *testing.T) {
	b := newBench(t)
	for _, value := range [][]byte{nil, {}, {0, 255}, []byte("again")} {
		if value != nil {
			if err := b.catalog.SetSetting(t.Context(), "grants", value); err != nil {
				t.Fatal(err)
			}
		}
		b.reopen()
		got, err := b.catalog.Setting("grants")
		if err != nil || string(got) != string(value) || (got == nil) != (value == nil) {
			t.Errorf("got %v %v, want %v", got, err, value)
		}
	}
}
