package regularexpression

import (
	"context"
	"strings"
	"testing"
)

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile("^(Prof|Exec).*[[:alpha:]]$", Flags{IgnoreCase: true}); err != nil {
			b.Fatal(err)
		}
	}
}

// A value of a column, and a long text.
func BenchmarkLike(b *testing.B) {
	for name, text := range map[string]string{"value": "Exec-managerial", "megabyte": strings.Repeat("Exec-managerial ", 1<<16)} {
		for _, pattern := range []string{"^(Prof|Exec).*l$", "7.*1$", "[mn]a[^x]*q"} {
			b.Run(name+"/"+pattern, func(b *testing.B) {
				p, err := Compile(pattern, Flags{})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if _, err := p.Like(context.Background(), text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
