package bucketization

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// MaxRows keeps positions, counts and pairs of codes below 32 bits.
const MaxRows = 1 << 30

// CheckInput refuses what no method of the family can handle: several sensitive attributes, an
// empty or immense table, no source of randomness. Errors are DataErrors.
func CheckInput(method string, in *anonymize.Input) error {
	reason := ""
	switch {
	case len(in.Sensitive) == 0:
		reason = "no sensitive attribute is given: say sa=column. Without one mondrian, fulldomain, oka and ika publish quasi-identifiers of which k records look alike"
	case len(in.Sensitive) != 1:
		reason = fmt.Sprintf("%s protects one sensitive attribute, %d are given", method, len(in.Sensitive))
	case in.Rows == 0:
		reason = "the table is empty"
	case in.Rows > MaxRows:
		reason = fmt.Sprintf("the table has %d records, %s takes up to %d", in.Rows, method, MaxRows)
	case in.Random == nil:
		reason = "no source of randomness is given"
	default:
		return nil
	}
	return &anonymize.DataError{Reason: reason}
}

// CheckVariety refuses a table whose records all have one sensitive value. The error is a *anonymize.NoGroupsError.
func (b *Buckets) CheckVariety() error {
	value, H := b.MostFrequent()
	if int(H) < b.Rows() {
		return nil
	}
	return &anonymize.NoGroupsError{Err: &anonymize.DataError{Reason: fmt.Sprintf(
		"%s is all %d records: there is nothing that groups could hide", b.Describe(value), H)}}
}

// CheckShare is the exact condition for a bound on the share of a sensitive value in every
// group (beta). Shares in a union of groups are means of those in the groups, so some release
// meets the bound if and only if the whole table, as one group, does. The error is a
// *anonymize.InfeasibleError that names the offending value.
func (b *Buckets) CheckShare(parameter string, bound anonymize.Ratio) error {
	value, H := b.MostFrequent()
	if bound.Admits(int(H), b.Rows()) {
		return nil
	}
	return &anonymize.InfeasibleError{Parameter: parameter, Given: bound,
		Smallest: anonymize.NewRatio(uint64(H), uint64(b.Rows())),
		Obstacle: fmt.Sprintf("%s is %d of %d records", b.Describe(value), H, b.Rows())}
}

// CheckDiversity is the exact condition for l-diversity (no value above
// floor(m/l) of a group of m records): H l <= n, by the same argument. The error
// is a *anonymize.InfeasibleError with the largest feasible l.
func (b *Buckets) CheckDiversity(l int) error {
	value, H := b.MostFrequent()
	if int(H)*l <= b.Rows() {
		return nil
	}
	return &anonymize.InfeasibleError{Parameter: "l", Given: anonymize.NewRatio(uint64(l), 1),
		Largest:  anonymize.NewRatio(uint64(b.Rows()/int(H)), 1),
		Obstacle: fmt.Sprintf("%s is %d of %d records", b.Describe(value), H, b.Rows())}
}

// CheckSeveral is CheckInput for methods that take several sensitive attributes.
func CheckSeveral(method string, in *anonymize.Input) error {
	if len(in.Sensitive) < 2 {
		return CheckInput(method, in)
	}
	one := *in
	one.Sensitive = in.Sensitive[:1]
	return CheckInput(method, &one)
}

// Promises returns the promise of l-diversity.
func Promises(l int) []anonymize.Promise {
	return []anonymize.Promise{{Guarantee: "l", Bound: anonymize.NewRatio(uint64(l), 1)}}
}
