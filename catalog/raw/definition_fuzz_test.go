package raw

import "testing"

// FuzzDefinition: for any bytes as a table's stored definition, reading is refused, or gives a definition with an
// exact round trip.
func FuzzDefinition(f *testing.F) {
	f.Add([]byte(`{"columns":[{"id":1,"name":"a","type":"int"}],"primary":[1],"indexes":[{"id":2,"name":"i","columns":[{"column":1}]}],"collation":"utf8mb4_0900_ai_ci","next_column":2,"next_index":3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := decodeDefinition(string(data))
		if err != nil {
			return
		}
		once, err := d.encode()
		if err != nil {
			t.Fatal(err)
		}
		if d, err = decodeDefinition(once); err != nil {
			t.Fatalf("%s: written as %s, which is refused: %v", data, once, err)
		}
		if twice, err := d.encode(); err != nil || twice != once {
			t.Errorf("%s: written %s, then %s, %v", data, once, twice, err)
		}
	})
}
