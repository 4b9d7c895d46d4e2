package estimate

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
	"github.com/anonsql/anonsql/anonymize/estimate/units"
)

// Questions and answers: package question.
type (
	Question   = question.Question
	Leaf       = question.Leaf
	Expression = question.Expression
	Aggregate  = question.Aggregate
	Kind       = question.Kind
	Quotient   = question.Quotient
	Answer     = question.Answer
	AnswerRow  = question.AnswerRow
	Bound      = question.Bound
	Scatter    = question.Scatter

	TooManyCombinationsError = question.TooManyCombinationsError
	UnansweredError          = question.UnansweredError
)

// The kinds of aggregates.
const (
	Count               = question.Count
	Sum                 = question.Sum
	Average             = question.Average
	VariancePopulation  = question.VariancePopulation
	VarianceSample      = question.VarianceSample
	DeviationPopulation = question.DeviationPopulation
	DeviationSample     = question.DeviationSample
	Least               = question.Least
	Greatest            = question.Greatest
	Distinct            = question.Distinct
)

var (
	// ErrTooManyKeys reports a question with more keys than it allows, ErrNotAConjunction a COUNT(DISTINCT) across fragments.
	ErrTooManyKeys     = question.ErrTooManyKeys
	ErrNotAConjunction = question.ErrNotAConjunction
	// True and False are the outcomes of conditions.
	True, False = question.True, question.False
)

// ValueLeaf returns a leaf that is true if keep accepts the value of one attribute.
func ValueLeaf(fragment, column int, keep func(anonymize.Value) bool) Leaf {
	return question.ValueLeaf(fragment, column, keep)
}

// ValueOf returns a leaf that is the value of one attribute.
func ValueOf(fragment, column int) Leaf { return question.ValueOf(fragment, column) }

// What another engine is asked to count: package figures.
type (
	Elsewhere   = figures.Elsewhere
	Classes     = figures.Classes
	ClassUnit   = figures.ClassUnit
	Weight      = figures.Weight
	Profile     = figures.Profile
	Worth       = figures.Worth
	Take        = figures.Take
	GroupSize   = figures.GroupSize
	GroupCount  = figures.GroupCount
	TableCount  = figures.TableCount
	UnitFigures = units.UnitFigures
)

// NoClass marks tuples without a class; they are not counted.
const NoClass = question.NoClass
