package figures

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// A sum of numbers with two places has the right last digit, whatever the order and however many there are, and tells what has canceled.
func TestSumsKeepTheirLastDigits(t *testing.T) {
	random := rand.New(rand.NewPCG(61, 62))
	f, want := &Running{}, new(big.Int)
	for range 400_000 {
		cents, weight := random.Int64N(2_000_000_000), random.Int64N(4)
		f.addNumber(float64(weight), float64(cents)/100)
		want.Add(want, big.NewInt(weight*cents))
	}
	if got := int64(math.Round(f.Sum * 100)); got != want.Int64() || f.canceled(question.Sum) != 0 {
		t.Errorf("the sum is %d, want %s; %v have canceled", got, want, f.canceled(question.Sum))
	}
	naive, f := 0.0, &Running{Records: 2}
	for _, x := range []float64{1e17, 1, -1e17, 3} {
		f.addNumber(1, x)
		naive += x
	}
	if f.Sum != 4 || naive == 4 || f.canceled(question.Sum) < 2e17 || f.canceled(question.Average) < 1e17 {
		t.Errorf("the sum is %v, of one word %v, canceled %v", f.Sum, naive, f.canceled(question.Sum))
	}
	if f.addNumber(2, math.MaxFloat64); !math.IsInf(f.Sum, 1) {
		t.Errorf("more than there is is %v", f.Sum)
	}
}

// What has canceled of N records is thinned as their sum is.
func TestThinnedSumsHaveThinnedParts(t *testing.T) {
	f := &Running{Records: 4, Sum: 2, absolute: 8}
	Thinning{records: 4, forged: 2}.Figure(f)
	if f.Sum != 1 || f.canceled(question.Sum) != 4 || f.canceled(question.Average) != 2 {
		t.Errorf("the sum is %v, canceled are %v and %v of the mean", f.Sum, f.canceled(question.Sum), f.canceled(question.Average))
	}
}
