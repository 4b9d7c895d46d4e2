package experiments

import (
	"testing"

	"github.com/anonsql/anonsql/experiments/peers"
)

// Every method has its scores: shares where they are, and a penalty for suppressed records
// that is no less than without.
func TestPeers(t *testing.T) {
	figures := quickly(t, peers.Experiment())
	for _, name := range []string{"peers-errors", "peers-penalties", "peers-discernibility"} {
		f := figures[name]
		if f == nil || len(f.Categories) != 5 || len(f.Series) != 2 {
			t.Fatalf("%s: %+v", name, f)
		}
		for x, method := range f.Categories {
			first, second := f.Series[0].Points[x].Y, f.Series[1].Points[x].Y
			switch {
			case name == "peers-discernibility" && (first < 1000 || second < first):
				t.Errorf("%s: C_DM %v and %v", method, first, second)
			case name == "peers-penalties" && (first <= 0 || first >= 1 || second <= 0 || second > first):
				t.Errorf("%s: NCP %v, LM %v", method, first, second)
			case name == "peers-errors" && (first <= 0 || second <= 0):
				t.Errorf("%s: errors %v and %v", method, first, second)
			}
		}
	}
}

func TestPeersRefuses(t *testing.T) {
	refuses(t, peers.Experiment(), "experiment peers needs a column age: the table has none")
}
