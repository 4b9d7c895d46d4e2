package main

import "testing"

func TestBytesFlag(t *testing.T) {
	for text, want := range map[string]int64{"500000000": 500_000_000, "512MiB": 512 << 20, "4GiB": 4 << 30, "1.5GB": 1_500_000_000, "0": 0} {
		var b bytesFlag
		if err := b.Set(text); err != nil || int64(b) != want {
			t.Errorf("%s is %d, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "-1", "4 elephants", "GiB", "NaN", "1e300", "9223372036854775808"} {
		if err := new(bytesFlag).Set(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
