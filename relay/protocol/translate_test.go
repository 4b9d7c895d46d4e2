package protocol

import (
	"bytes"
	"testing"
)

// TestTranslate: packets of a plain answer as clients of richer capabilities have them.
func TestTranslate(t *testing.T) {
	definition := []byte("\x03def\x00\x00\x00\x01x\x00\x0c\x2d\x00\x00\x01\x00\x00\xfd\x00\x00\x00\x00\x00")
	extended := []byte("\x03def\x00\x00\x00\x01x\x00\x00\x0c\x2d\x00\x00\x01\x00\x00\xfd\x00\x00\x00\x00\x00")
	end := []byte{0xfe, 0, 0, 2, 0}
	ok := append(OK(Autocommit), "done"...)
	transaction := func(Status) Status { return InTransaction }
	for _, c := range []struct {
		name    string
		to      Capabilities
		packets [][]byte // of one answer
		want    [][]byte
	}{
		{"plain", Protocol41, [][]byte{{1}, definition, end, {1, 'a'}, end}, [][]byte{{1}, definition, {0xfe, 0, 0, 1, 0}, {1, 'a'}, {0xfe, 0, 0, 1, 0}}},
		{"metadata that the client may have", CacheMetadata, [][]byte{{1}, definition, end, end}, [][]byte{{1, 1}, definition, {0xfe, 0, 0, 1, 0}, {0xfe, 0, 0, 1, 0}}},
		{"extended metadata", ExtendedMetadata, [][]byte{{1}, definition, end, end}, [][]byte{{1}, extended, {0xfe, 0, 0, 1, 0}, {0xfe, 0, 0, 1, 0}}},
		{"no session state", Protocol41, [][]byte{ok}, [][]byte{append(OK(InTransaction), "done"...)}},
		{"session state", SessionTrack, [][]byte{ok}, [][]byte{append(append(OK(InTransaction), 4), "done"...)}},
		{"an error", SessionTrack | CacheMetadata, [][]byte{Error(1146, "42S02", "no", Protocol41)}, [][]byte{Error(1146, "42S02", "no", Protocol41)}},
	} {
		a := NewAnswer(Query, Protocol41)
		for i, p := range c.packets {
			a.Read(Packet{Head: p[:min(len(p), headSize)], First: len(p)})
			if got := Translate(bytes.Clone(p), a, c.to, transaction); !bytes.Equal(got, c.want[i]) {
				t.Errorf("%s: packet %d is %x, want %x", c.name, i, got, c.want[i])
			}
		}
	}
}

// TestValues splits rows into values, and refuses malformed ones.
func TestValues(t *testing.T) {
	row := append([]byte{0xfb, 2, 'a', 'b', 0, 0xfc, 0, 1}, make([]byte, 256)...)
	values, ok := Values(row, nil)
	if !ok || len(values) != 4 || values[0] != nil || string(values[1]) != "ab" || values[2] == nil || len(values[3]) != 256 {
		t.Errorf("%v, %v", values, ok)
	}
	for _, wrong := range [][]byte{{2, 'a'}, {0xfc, 1}, {0xff}} {
		if _, ok := Values(wrong, nil); ok {
			t.Errorf("%x is read", wrong)
		}
	}
}
