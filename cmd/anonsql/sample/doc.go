// Package sample generates people who do not exist, for demonstrations and
// tests: 13 columns of the kind that privacy laws are about.
//
//  1. A seed determines a data set: the same people in the same order, and fewer rows
//     are a prefix of more.
//  2. Nobody is real. Names, regions and postcodes are invented or combined at
//     random; no row was taken from a person.
//  3. Columns depend on each other as in life, so that a broken association shows: see
//     the table.
//  4. The sensitive attribute, disease, has 14 values and none of them more
//     than 18 percent of 50,000 rows, so that a bound of 0.2 on a value's
//     frequency can be met.
//
// Every attribute is drawn given those before it:
//
//	column          type          drawn from
//	person_id       INT           1, 2, 3, ...; an explicit identifier
//	name            VARCHAR(64)   sex; an explicit identifier
//	age             INT           a population of adults, 18 to 94
//	sex             VARCHAR(8)    age: women live longer
//	education       VARCHAR(24)   age: the young study longer, if old enough
//	marital_status  VARCHAR(16)   age and sex
//	workclass       VARCHAR(24)   age, sex and education
//	occupation      VARCHAR(24)   education, sex and workclass
//	region          VARCHAR(24)   skewed: the largest has 22 percent
//	zip             VARCHAR(5)    region; within it Zipf with exponent 0.8
//	hours_per_week  INT           workclass and sex; a spike at 40
//	income          INT           education, age, hours and sex; log-normal
//	disease         VARCHAR(24)   age and sex
//
// [GenerateVisits] makes a table of another shape, with several rows a person: 1 to 10 visits of a patient, whose birth year, sex and region stay,
// while ward and day change. A chronic disease is the diagnosis of all visits of its patient, likelier and with more visits of the old; acute ones
// change. There are 44 diagnoses, frequent and rare, by age and sex.
//
// The proportions are plausible, not measured: do not draw conclusions about a real
// population.
package sample
