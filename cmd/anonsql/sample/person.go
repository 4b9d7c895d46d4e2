package sample

import "strconv"

// A Person is one row.
type Person struct {
	ID            int // from 1
	Name          string
	Age           int // years, 18 to 94
	Sex           string
	Education     string
	MaritalStatus string
	Workclass     string
	Occupation    string
	Region        string
	Zip           string // five digits, text
	HoursPerWeek  int    // 0 without work
	Income        int    // per year, in whole hundreds
	Disease       string
}

// A Column is a column of the sample in SQL. No column has NULL.
type Column struct {
	Name string
	Type string
	Role string // for anonymization: "ei", "unit", "qi", "sa" or "other"
}

// Columns returns the columns, in the order of Fields.
func Columns() []Column {
	return []Column{
		{"person_id", "INT", "ei"},
		{"name", "VARCHAR(64)", "ei"},
		{"age", "INT", "qi"},
		{"sex", "VARCHAR(8)", "qi"},
		{"education", "VARCHAR(24)", "qi"},
		{"marital_status", "VARCHAR(16)", "qi"},
		{"workclass", "VARCHAR(24)", "qi"},
		{"occupation", "VARCHAR(24)", "qi"},
		{"region", "VARCHAR(24)", "qi"},
		{"zip", "VARCHAR(5)", "qi"},
		{"hours_per_week", "INT", "qi"},
		{"income", "INT", "qi"},
		{"disease", "VARCHAR(24)", "sa"},
	}
}

// Fields returns the person as text, in the order of Columns.
func (p Person) Fields() []string {
	return []string{
		strconv.Itoa(p.ID), p.Name, strconv.Itoa(p.Age), p.Sex, p.Education, p.MaritalStatus,
		p.Workclass, p.Occupation, p.Region, p.Zip, strconv.Itoa(p.HoursPerWeek), strconv.Itoa(p.Income), p.Disease,
	}
}
