// Package calendar has MySQL's functions of dates and times that the engine lacks, or
// answers wrongly, and that take the place of its own.
//
// It promises MySQL 8's values and types, with as many decimals of a second as MySQL
// gives. A day has 24 hours of UTC; only FROM_UNIXTIME, UNIX_TIMESTAMP and CONVERT_TZ know
// zones. What is no date is NULL with a warning.
//
// # Where things are
//
//	functions  all there are
//	dates      YEAR, MONTH, LAST_DAY and the like; EXTRACT
//	weeks      WEEK, YEARWEEK, WEEKOFYEAR
//	months     TIMESTAMPDIFF, PERIOD_ADD, PERIOD_DIFF, TO_DAYS, FROM_DAYS
//	intervals  DATE_ADD and its kind; intervals of several units
//	clock      functions of times of a day
//	parsing    STR_TO_DATE
//	formats    DATE_FORMAT, TIME_FORMAT, FROM_UNIXTIME, UNIX_TIMESTAMP, CONVERT_TZ
package calendar
