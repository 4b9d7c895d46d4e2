package planes

import (
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/testsize"
)

// Programs find exactly the codes of every class.
func TestProgramsFindTheirClasses(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 18))
	for trial := range testsize.Levels(14, 34, 400) {
		classOf := make([]uint32, 1+random.IntN(300))
		classes := 1 + random.IntN(4)
		keep := randomCodes(random, len(classOf))
		for code := range classOf {
			if classOf[code] = question.Dead; keep(code) {
				classOf[code] = uint32(random.IntN(classes))
			}
		}
		if trial%4 == 0 { // a class per code
			for code := range classOf {
				classOf[code] = uint32(code)
			}
			classes = len(classOf)
		}
		bits := planeBits(&anonymize.FragmentColumn{Dictionary: make([]anonymize.Value, len(classOf))})
		p := compile(classOf, classes, bits)
		if p == nil {
			t.Fatalf("trial %d: no program for %d codes in %d classes", trial, len(classOf), classes)
		}
		for code, class := range classOf {
			for c, found := range findOne(p, code) {
				if found != (uint32(c) == class) {
					t.Fatalf("trial %d: code %d of class %d: in class %d %v", trial, code, class, c, found)
				}
			}
		}
	}
}

// findOne runs p on one word, all of whose records have the code.
func findOne(p *program, code int) (found []bool) {
	var vectors [][]uint64
	for v := range p.vectors {
		word := uint64(0)
		if v < p.planes && code>>v&1 == 1 {
			word = ^word
		}
		vectors = append(vectors, []uint64{word})
	}
	p.run(vectors)
	for _, result := range p.results {
		found = append(found, result == allCodes || result >= 0 && vectors[result][0] == ^uint64(0))
	}
	return found
}

// randomCodes are one code, all others, every second or so, or a range.
func randomCodes(random *rand.Rand, codes int) func(code int) bool {
	low := random.IntN(codes)
	high, mask := low+random.IntN(codes), random.Uint64()
	return [](func(code int) bool){
		func(code int) bool { return code == low },
		func(code int) bool { return code != low },
		func(code int) bool { return mask>>(code%64)&1 == 1 },
		func(code int) bool { return code <= high },
		func(code int) bool { return low <= code && code <= high },
	}[random.IntN(5)]
}
