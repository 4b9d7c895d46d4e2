package imputation

import (
	"fmt"
	"maps"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/asn"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// The methods, by their labels. Their cells are points. Groups are random, or consist of alike records.
const (
	anatomyArm   = "Anatomy"
	anatomyAlike = "Anatomy, alike"
	slppaArm     = "SLPPA, 3 tables"
	slppaAlike   = "SLPPA, 3 tables, alike"
	asnArm       = "ASN"
)

// An arm is a method that bounds the share of a value in a group by 1/l.
type arm struct {
	label     string
	method    anonymize.Method
	bound     string // the parameter: l, or beta, which is 1/l
	arguments anonymize.Arguments
}

func arms() []arm {
	return []arm{
		{anatomyArm, anatomy.Method(), "l", nil},
		{anatomyAlike, anatomy.Method(), "l", anonymize.Arguments{"homogeneous": "true"}},
		{slppaArm, slppa.Method(), "beta", anonymize.Arguments{"tables": "3"}},
		{slppaAlike, slppa.Method(), "beta", anonymize.Arguments{"tables": "3", "homogeneous": "true"}},
		{asnArm, asn.Method(), "beta", nil},
	}
}

// labels of all arms, in order.
func labels() (list []string) {
	for _, a := range arms() {
		list = append(list, a.label)
	}
	return list
}

// argumentsFor returns the arm's arguments for l.
func (a arm) argumentsFor(l int) anonymize.Arguments {
	all := anonymize.Arguments{a.bound: fmt.Sprint(l)}
	if a.bound == "beta" {
		all[a.bound] = fmt.Sprintf("1/%d", l)
	}
	maps.Copy(all, a.arguments)
	return all
}

// Questions are the questions of one kind: about some random quasi-identifiers, and the sensitive attribute.
type questions struct {
	label, title string
	low, high    int
	selectivity  float64 // of ranges; 0 asks for a record's values
}

// selectivity of ranges is the one in Xiao and Tao's experiments.
const selectivity = 0.05

func kinds() []questions {
	return []questions{
		{"1 to 3", "a record's values of 1 to 3 quasi-identifiers", 1, 3, 0},
		{"1 to 3, ranges", "ranges of 1 to 3 quasi-identifiers", 1, 3, selectivity},
		{"4 to 6", "a record's values of 4 to 6 quasi-identifiers", 4, 6, 0},
		{"4 to 6, ranges", "ranges of 4 to 6 quasi-identifiers", 4, 6, selectivity},
		{"7 to 9", "a record's values of 7 to 9 quasi-identifiers", 7, 9, 0},
	}
}
