package scalar

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/server/answers/coercion"
	"github.com/anonsql/anonsql/tree"
)

// random is RAND(seed) with MySQL's numbers. A constant seed starts one sequence per statement, and each row gets the next
// number. Another seed starts a new sequence for each row. RAND() is the engine's.
type random struct {
	tree.Unary
	sequence *sequence // nil if the seed is not constant
}

var (
	_ sql.FunctionExpression         = (*random)(nil)
	_ sql.CollationCoercible         = (*random)(nil)
	_ sql.NonDeterministicExpression = (*random)(nil)
)

func makeRandom(arguments ...sql.Expression) (sql.Expression, error) {
	switch {
	case len(arguments) > 1:
		return nil, sql.ErrInvalidArgumentNumber.New("RAND", "0 or 1", len(arguments))
	case len(arguments) == 0:
		return function.NewRand()
	case tree.OneValue(arguments[0]):
		return &random{tree.Unary{Child: arguments[0]}, &sequence{}}, nil
	}
	return &random{tree.Unary{Child: arguments[0]}, nil}, nil
}

func (r *random) FunctionName() string { return "rand" }

func (r *random) Description() string { return "MySQL's function of that name" }

func (r *random) String() string { return "rand(" + r.Child.String() + ")" }

func (r *random) Type() sql.Type { return types.Float64 }

func (r *random) IsNullable() bool { return false }

// IsNonDeterministic implements sql.NonDeterministicExpression.
func (r *random) IsNonDeterministic() bool { return r.sequence != nil }

func (r *random) CollationCoercibility(*sql.Context) (sql.CollationID, byte) {
	return sql.Collation_binary, 5
}

func (r *random) WithChildren(children ...sql.Expression) (sql.Expression, error) {
	return tree.WithChildren(r, children)
}

func (r *random) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	begin := func() (seed int64, err error) {
		v, err := r.Child.Eval(ctx, row)
		if v == nil || err != nil {
			return 0, err
		}
		return coercion.NearestBigint(ctx, v, r.Child.Type())
	}
	if r.sequence == nil {
		return (&sequence{}).next(begin)
	}
	return r.sequence.next(begin)
}

// A sequence is MySQL's generator of random numbers (my_rnd).
type sequence struct {
	sync.Mutex
	begun         bool
	first, second uint64
}

// largestRandom is MySQL's modulus and divisor of random numbers.
const largestRandom = 0x3FFFFFFF

func (s *sequence) next(begin func() (seed int64, err error)) (any, error) {
	s.Lock()
	defer s.Unlock()
	if !s.begun {
		seed, err := begin()
		if err != nil {
			return nil, err
		}
		s.begun = true
		s.first = uint64(uint32(seed)*0x10001+55555555) % largestRandom
		s.second = uint64(uint32(seed)*0x10000001) % largestRandom
	}
	s.first = (s.first*3 + s.second) % largestRandom
	s.second = (s.first + s.second + 33) % largestRandom
	return float64(s.first) / largestRandom, nil
}
