package documents

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql/expression/function/json"
	"github.com/shopspring/decimal"
)

// rank returns the precedence of a value's type.
func rank(v any) int {
	switch v.(type) {
	case nil:
		return 0
	case string:
		return 2
	case map[string]any:
		return 3
	case []any:
		return 4
	case bool:
		return 5
	}
	return 1 // numbers
}

// order compares two values by MySQL's "Comparison and Ordering of JSON Values". It compares numbers exactly.
func order(a, b any) int {
	if first := cmp.Compare(rank(a), rank(b)); first != 0 {
		return first
	}
	switch a := a.(type) {
	case nil:
		return 0
	case string:
		return strings.Compare(a, b.(string))
	case bool:
		return truth(a) - truth(b.(bool))
	case []any:
		return slices.CompareFunc(a, b.([]any), order)
	case map[string]any:
		return orderOfObjects(a, b.(map[string]any))
	}
	return orderOfNumbers(a, b)
}

func truth(v bool) int {
	if v {
		return 1
	}
	return 0
}

// orderOfObjects compares objects. MySQL's manual defines only their equality.
func orderOfObjects(a, b map[string]any) int {
	if sizes := cmp.Compare(len(a), len(b)); sizes != 0 {
		return sizes
	}
	own, others := names(a), names(b)
	for i, name := range own {
		if first := cmp.Compare(name, others[i]); first != 0 {
			return first
		}
		if first := order(a[name], b[name]); first != 0 {
			return first
		}
	}
	return 0
}

func orderOfNumbers(a, b any) int {
	x, isFloat := a.(float64)
	y, areFloats := b.(float64)
	if isFloat && areFloats {
		return cmp.Compare(x, y)
	}
	n, isInt := a.(int64)
	m, areInts := b.(int64)
	if isInt && areInts {
		return cmp.Compare(n, m)
	}
	return exact(a).Cmp(exact(b))
}

// exact converts a number of any type that documents have.
func exact(v any) decimal.Decimal {
	switch v := v.(type) {
	case int64:
		return decimal.NewFromInt(v)
	case uint64:
		return decimal.NewFromBigInt(new(big.Int).SetUint64(v), 0)
	case float64:
		if !math.IsInf(v, 0) && !math.IsNaN(v) {
			return decimal.NewFromFloat(v)
		}
	case decimal.Decimal:
		return v
	}
	return decimal.Decimal{}
}

// contains is JSON_CONTAINS.
func contains(a, b any) bool {
	switch own := a.(type) {
	case []any:
		list, ok := b.([]any)
		if !ok {
			list = []any{b}
		}
		for _, wanted := range list {
			if !slices.ContainsFunc(own, func(v any) bool { return containsElement(v, wanted) }) {
				return false
			}
		}
		return true
	case map[string]any:
		wanted, ok := b.(map[string]any)
		for name, v := range wanted {
			has, known := own[name]
			ok = ok && known && contains(has, v)
		}
		return ok
	}
	return order(a, b) == 0
}

// containsElement reports whether an element v of an array contains wanted. Only an array contains values of another type.
func containsElement(v, wanted any) bool {
	if _, isList := v.([]any); isList || rank(v) == rank(wanted) {
		return contains(v, wanted)
	}
	return false
}

// overlap is JSON_OVERLAPS.
func overlap(a, b any) bool {
	list, isList := a.([]any)
	if other, ok := b.([]any); ok && !isList {
		a, b, list, isList = b, a, other, true
	}
	if isList {
		others, ok := b.([]any)
		if !ok {
			others = []any{b}
		}
		return slices.ContainsFunc(list, func(v any) bool {
			return slices.ContainsFunc(others, func(w any) bool { return order(v, w) == 0 })
		})
	}
	own, ok := a.(map[string]any)
	if others, both := b.(map[string]any); ok && both {
		for name, v := range own {
			if w, has := others[name]; has && order(v, w) == 0 {
				return true
			}
		}
		return false
	}
	return order(a, b) == 0
}

// typeName is JSON_TYPE.
func typeName(v any) any { return json.TypeOfJsonValue(v) }
