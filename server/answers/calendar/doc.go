// Package calendar has those of MySQL's date and time functions that the engine lacks
// or computes wrongly. They replace the engine's.
//
// Their values and types are MySQL 8's, with as many decimals of a second. A day has 24
// hours of UTC; only FROM_UNIXTIME, UNIX_TIMESTAMP and CONVERT_TZ know time zones. An
// invalid date is NULL with a warning.
//
// # Where things are
//
//	functions  the list of functions
//	dates      YEAR, MONTH, LAST_DAY and the like; EXTRACT
//	weeks      WEEK, YEARWEEK, WEEKOFYEAR
//	months     TIMESTAMPDIFF, PERIOD_ADD, PERIOD_DIFF, TO_DAYS, FROM_DAYS
//	intervals  DATE_ADD and its kind; intervals of several units
//	clock      functions of times of a day
//	parsing    STR_TO_DATE
//	formats    DATE_FORMAT, TIME_FORMAT, FROM_UNIXTIME, UNIX_TIMESTAMP, CONVERT_TZ
package calendar
