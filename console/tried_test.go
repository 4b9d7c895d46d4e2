package console

import (
	"net/url"
	"testing"
)

// The notes of a trial run have four digits of a figure, and its exponent where it is large or small.
func TestTriedReadsExponents(t *testing.T) {
	w := &work{fields: url.Values{"action": {"dry_run"}}, answer: &answer{
		Result: &table{Columns: []string{"groups"}, Rows: [][]cell{{{Value: "1"}}}},
		Notes:  &table{Columns: []string{"Message"}, Rows: [][]cell{{{Value: "guarantees: size 1.235e+04 (required 50); learned 5e-05, floor 0.012"}}}},
	}}
	words := newTried(w).Words
	if len(words) != 3 || words[1].Figure != "about 12,350" || words[2].Figure != "0.0\u00a0%" {
		t.Errorf("%v", words)
	}
}

// For several sensitive attributes a trial run reports the most successful attacker, and the smallest group.
func TestTriedTellsOfTheWorst(t *testing.T) {
	w := &work{fields: url.Values{"action": {"dry_run"}}, answer: &answer{
		Result: &table{Columns: []string{"groups"}, Rows: [][]cell{{{Value: "12"}}}},
		Notes: &table{Columns: []string{"Message"}, Rows: [][]cell{
			{{Value: "guarantees: size 50 (required 50); learned 0.013, floor 0.012"}}, {{Value: "learned 0.103; definetti 0.115; supervised 0.126"}}}},
	}}
	said := make(map[string]string)
	for _, f := range newTried(w).Words {
		said[f.Words] = f.Figure
	}
	for words, want := range map[string]string{
		"records at least are in every group": "50",
		"is what an attacker who learns from the release believes of a record's own value, on average": "12.6\u00a0%",
	} {
		if said[words] != want {
			t.Errorf("%s: %q, want %q of %q", words, said[words], want, said)
		}
	}
}
