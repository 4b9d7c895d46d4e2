# Statements in the shapes that tools write for MySQL, over a table visits: paragraphs, each behind the tool's name. The
# grains of time and the nesting are theirs; every question is about quasi-identifiers, so that a release answers exactly.

superset: a line chart by second, minute, hour
SELECT DATE_ADD(DATE(created), INTERVAL (HOUR(created)*60*60 + MINUTE(created)*60 + SECOND(created)) SECOND) AS __timestamp, COUNT(*) AS count FROM visits WHERE created < STR_TO_DATE('2024-01-20', '%Y-%m-%d') GROUP BY DATE_ADD(DATE(created), INTERVAL (HOUR(created)*60*60 + MINUTE(created)*60 + SECOND(created)) SECOND) ORDER BY count DESC, __timestamp LIMIT 10000

superset: by hour
SELECT DATE_ADD(DATE(created), INTERVAL HOUR(created) HOUR) AS __timestamp, SUM(amount) AS `SUM(amount)` FROM visits WHERE created >= STR_TO_DATE('2024-03-01 00:00:00', '%Y-%m-%d %H:%i:%s') AND created < STR_TO_DATE('2024-03-15 00:00:00', '%Y-%m-%d %H:%i:%s') GROUP BY DATE_ADD(DATE(created), INTERVAL HOUR(created) HOUR) ORDER BY __timestamp LIMIT 10000

superset: by day
SELECT DATE(created) AS __timestamp, AVG(amount) AS `AVG(amount)` FROM visits WHERE created < '2024-02-10' GROUP BY DATE(created) ORDER BY __timestamp LIMIT 10000

superset: by week
SELECT DATE(DATE_SUB(created, INTERVAL DAYOFWEEK(created) - 1 DAY)) AS __timestamp, COUNT(*) AS count FROM visits GROUP BY DATE(DATE_SUB(created, INTERVAL DAYOFWEEK(created) - 1 DAY)) ORDER BY __timestamp LIMIT 10000

superset: by week that begins on Monday
SELECT DATE(DATE_SUB(created, INTERVAL DAYOFWEEK(DATE_SUB(created, INTERVAL 1 DAY)) - 1 DAY)) AS __timestamp, COUNT(*) AS count FROM visits GROUP BY DATE(DATE_SUB(created, INTERVAL DAYOFWEEK(DATE_SUB(created, INTERVAL 1 DAY)) - 1 DAY)) ORDER BY __timestamp

superset: by month, a line a city
SELECT DATE(DATE_SUB(created, INTERVAL DAYOFMONTH(created) - 1 DAY)) AS __timestamp, city AS city, SUM(party) AS `SUM(party)` FROM visits JOIN (SELECT city AS city__, COUNT(*) AS mme_inner__ FROM visits GROUP BY city ORDER BY mme_inner__ DESC, city__ LIMIT 3) AS anon_1 ON city = city__ GROUP BY DATE(DATE_SUB(created, INTERVAL DAYOFMONTH(created) - 1 DAY)), city ORDER BY __timestamp, city

superset: by quarter
SELECT MAKEDATE(YEAR(created), 1) + INTERVAL QUARTER(created) QUARTER - INTERVAL 1 QUARTER AS __timestamp, COUNT(*) AS count FROM visits GROUP BY MAKEDATE(YEAR(created), 1) + INTERVAL QUARTER(created) QUARTER - INTERVAL 1 QUARTER ORDER BY __timestamp

superset: by year
SELECT DATE(DATE_SUB(created, INTERVAL DAYOFYEAR(created) - 1 DAY)) AS __timestamp, MAX(amount) AS `MAX(amount)` FROM visits GROUP BY DATE(DATE_SUB(created, INTERVAL DAYOFYEAR(created) - 1 DAY)) ORDER BY __timestamp

superset: a table of all metrics
SELECT city AS city, COUNT(*) AS count, COUNT(DISTINCT party) AS `COUNT_DISTINCT(party)`, MIN(amount) AS `MIN(amount)`, MAX(created) AS `MAX(created)`, SUM(amount)/COUNT(*) AS ratio FROM visits GROUP BY city ORDER BY count DESC, city LIMIT 1000

superset: a big number, a filter of values, a filter of a metric
SELECT COUNT(*) AS count FROM visits WHERE city IN ('Arden', 'Brill') AND ((amount > 10) AND (party <= 5)) ORDER BY count DESC LIMIT 50000

superset: HAVING of a metric
SELECT city AS city, SUM(amount) AS `SUM(amount)` FROM visits GROUP BY city HAVING ((SUM(amount) > 100)) ORDER BY `SUM(amount)` DESC LIMIT 100

superset: a virtual data set
SELECT c AS c, SUM(n) AS `SUM(n)` FROM (SELECT city AS c, party, COUNT(*) AS n FROM visits GROUP BY city, party) AS virtual_table GROUP BY c ORDER BY `SUM(n)` DESC, c LIMIT 100

superset: values of a filter
SELECT DISTINCT city AS city FROM visits ORDER BY city LIMIT 1000

superset: range of a column
SELECT MIN(amount) AS min, MAX(amount) AS max FROM visits LIMIT 1

superset: a pivot
SELECT city AS city, YEAR(created) AS y, COUNT(*) AS count, SUM(CASE WHEN party > 3 THEN 1 ELSE 0 END) AS large FROM visits GROUP BY city, YEAR(created) ORDER BY count DESC, city, y LIMIT 50000

metabase: by minute
SELECT STR_TO_DATE(DATE_FORMAT(`visits`.`created`, '%Y-%m-%d %H:%i'), '%Y-%m-%d %H:%i') AS `created`, COUNT(*) AS `count` FROM `visits` WHERE `visits`.`party` = 3 GROUP BY STR_TO_DATE(DATE_FORMAT(`visits`.`created`, '%Y-%m-%d %H:%i'), '%Y-%m-%d %H:%i') ORDER BY STR_TO_DATE(DATE_FORMAT(`visits`.`created`, '%Y-%m-%d %H:%i'), '%Y-%m-%d %H:%i') ASC

metabase: by hour of the day
SELECT HOUR(`visits`.`created`) AS `created`, COUNT(*) AS `count` FROM `visits` GROUP BY HOUR(`visits`.`created`) ORDER BY HOUR(`visits`.`created`) ASC

metabase: by week
SELECT STR_TO_DATE(CONCAT(YEARWEEK(`visits`.`created`), ' Sunday'), '%X%V %W') AS `created`, COUNT(*) AS `count` FROM `visits` GROUP BY STR_TO_DATE(CONCAT(YEARWEEK(`visits`.`created`), ' Sunday'), '%X%V %W') ORDER BY STR_TO_DATE(CONCAT(YEARWEEK(`visits`.`created`), ' Sunday'), '%X%V %W') ASC

metabase: by month
SELECT STR_TO_DATE(CONCAT(DATE_FORMAT(`visits`.`created`, '%Y-%m'), '-01'), '%Y-%m-%d') AS `created`, SUM(`visits`.`amount`) AS `sum` FROM `visits` GROUP BY STR_TO_DATE(CONCAT(DATE_FORMAT(`visits`.`created`, '%Y-%m'), '-01'), '%Y-%m-%d') ORDER BY STR_TO_DATE(CONCAT(DATE_FORMAT(`visits`.`created`, '%Y-%m'), '-01'), '%Y-%m-%d') ASC

metabase: by quarter
SELECT STR_TO_DATE(CONCAT(YEAR(`visits`.`created`), '-', ((QUARTER(`visits`.`created`) * 3) - 2), '-01'), '%Y-%m-%d') AS `created`, AVG(`visits`.`amount`) AS `avg` FROM `visits` GROUP BY STR_TO_DATE(CONCAT(YEAR(`visits`.`created`), '-', ((QUARTER(`visits`.`created`) * 3) - 2), '-01'), '%Y-%m-%d') ORDER BY `created` ASC

metabase: by year
SELECT MAKEDATE(YEAR(`visits`.`created`), 1) AS `created`, COUNT(DISTINCT `visits`.`city`) AS `count` FROM `visits` GROUP BY MAKEDATE(YEAR(`visits`.`created`), 1) ORDER BY MAKEDATE(YEAR(`visits`.`created`), 1) ASC

metabase: bins of numbers
SELECT FLOOR((`visits`.`amount` / 25.0)) * 25.0 AS `amount`, COUNT(*) AS `count` FROM `visits` GROUP BY FLOOR((`visits`.`amount` / 25.0)) * 25.0 ORDER BY FLOOR((`visits`.`amount` / 25.0)) * 25.0 ASC

metabase: a filter of dates and of text
SELECT COUNT(*) AS `count` FROM `visits` WHERE (`visits`.`created` >= '2024-02-01 00:00:00' AND `visits`.`created` < '2024-06-01 00:00:00' AND (LOWER(`visits`.`city`) LIKE '%r%') AND (`visits`.`city` <> 'Brill' OR `visits`.`city` IS NULL))

metabase: a share of a condition, standard deviation
SELECT `visits`.`city` AS `city`, SUM(CASE WHEN `visits`.`party` > 3 THEN 1 ELSE 0.0 END) / COUNT(*) AS `share`, STDDEV_POP(`visits`.`amount`) AS `stddev` FROM `visits` GROUP BY `visits`.`city` ORDER BY `visits`.`city` ASC

metabase: a question over a question
SELECT `source`.`city` AS `city`, AVG(`source`.`count`) AS `avg` FROM (SELECT `visits`.`city` AS `city`, `visits`.`party` AS `party`, COUNT(*) AS `count` FROM `visits` GROUP BY `visits`.`city`, `visits`.`party` ORDER BY `visits`.`city` ASC, `visits`.`party` ASC) AS `source` GROUP BY `source`.`city` ORDER BY `source`.`city` ASC

metabase: the zone of time
SELECT TIME_FORMAT(TIMEDIFF(CAST('2024-01-01 10:00:00' AS DATETIME), CONVERT_TZ(CAST('2024-01-01 10:00:00' AS DATETIME), '+00:00', '+00:00')), '%H:%i') AS `offset`

grafana: groups of an hour within a range
SELECT UNIX_TIMESTAMP(created) DIV 3600 * 3600 AS "time", COUNT(*) AS visits FROM visits WHERE created BETWEEN FROM_UNIXTIME(1704067200) AND FROM_UNIXTIME(1706745600) GROUP BY 1 ORDER BY 1

grafana: groups of a day, a line a city
SELECT UNIX_TIMESTAMP(created) DIV 86400 * 86400 AS "time", city AS metric, AVG(amount) AS value FROM visits WHERE created BETWEEN FROM_UNIXTIME(1704067200) AND FROM_UNIXTIME(1709251200) GROUP BY 1, 2 ORDER BY 1, 2

grafana: epochs
SELECT UNIX_TIMESTAMP(created) AS time_sec, SUM(party) AS n FROM visits WHERE UNIX_TIMESTAMP(created) >= 1704067200 AND UNIX_TIMESTAMP(created) <= 1705000000 GROUP BY time_sec ORDER BY time_sec

grafana: values of a variable
SELECT DISTINCT city AS __text, city AS __value FROM visits WHERE city LIKE '%' ORDER BY city

tableau: a bar chart, a filter of years
SELECT `visits`.`city` AS `city`, SUM(`visits`.`amount`) AS `sum_amount_ok`, COUNT(1) AS `cnt` FROM `visits` WHERE (YEAR(`visits`.`created`) = 2024) GROUP BY 1

tableau: months truncated by ADDDATE
SELECT ADDDATE( CONCAT( DATE_FORMAT( `visits`.`created`, '%Y-%m-01 ' ), '00:00:00' ), INTERVAL 0 SECOND ) AS `tmn_created_ok`, SUM(1) AS `sum_records` FROM `visits` GROUP BY 1

tableau: a connection is tried
SELECT 1 AS `COL` FROM `visits` HAVING COUNT(1) > 0

power bi: rows folded to groups
select `_`.`city` as `city`, sum(`_`.`amount`) as `total` from (select `city`, `amount` from `visits`) as `_` group by `_`.`city` order by `total` desc, `city` limit 4096

power bi: the count of a table
select count(*) as `c1` from (select `city`, `party` from `visits` where `party` >= 2) `basetable0`

cube: measures by a granularity
SELECT `visits`.city `visits__city`, CAST(DATE_FORMAT(CONVERT_TZ(`visits`.created, @@session.time_zone, '+00:00'), '%Y-%m-01T00:00:00.000') AS DATETIME) `visits__created_month`, count(*) `visits__count`, sum(`visits`.amount) `visits__amount` FROM visits AS `visits` WHERE (`visits`.created >= TIMESTAMP(CONVERT_TZ(CAST('2024-02-01 00:00:00' AS DATETIME), '+00:00', @@session.time_zone)) AND `visits`.created <= TIMESTAMP(CONVERT_TZ(CAST('2024-12-31 23:59:59' AS DATETIME), '+00:00', @@session.time_zone))) GROUP BY 1, 2 ORDER BY 2 ASC, 1 LIMIT 10000

dbt: a test of uniqueness over a model
select count(*) as failures, count(*) != 0 as should_warn from (select city as unique_field, count(*) as n_records from visits where city is not null group by city having count(*) > 1000) dbt_internal_test

dbt: a test of accepted values
select count(*) as failures from (with all_values as (select city as value_field, count(*) as n_records from visits group by city) select * from all_values where value_field not in ('Arden', 'Brill', 'Corve')) dbt_internal_test

superset 6.1: a month under the column's own name, a line a city
SELECT   DATE(DATE_SUB(created, INTERVAL (DAYOFMONTH(created) - 1) DAY)) AS created,   city AS city,   COUNT(*) AS count,   SUM(amount) AS `SUM(amount)` FROM visits WHERE   created >= STR_TO_DATE('2024-02-01 00:00:00.000000', '%Y-%m-%d %T.%f')   AND created < STR_TO_DATE('2025-02-01 00:00:00.000000', '%Y-%m-%d %T.%f') GROUP BY   DATE(DATE_SUB(created, INTERVAL (DAYOFMONTH(created) - 1) DAY)),   city ORDER BY   count DESC LIMIT 10000

superset 6.1: bars of bins, the largest series
SELECT   FLOOR(amount / 10) * 10 AS bin,   city AS city,   COUNT(*) AS count FROM visits INNER JOIN (   SELECT     city AS city__,     COUNT(*) AS mme_inner__   FROM visits   GROUP BY     city   ORDER BY     COUNT(*) DESC   LIMIT 3 ) AS series_limit   ON city = city__ GROUP BY   FLOOR(amount / 10) * 10,   city ORDER BY   count DESC LIMIT 1000

superset 6.1: how many rows a table has
SELECT   COUNT(*) AS rowcount FROM (   SELECT     city AS city,     COUNT(*) AS count   FROM visits   GROUP BY     city   ORDER BY     count DESC   LIMIT 1000 ) AS rowcount_qry

superset 6.1: a table of mixed figures, filters of text and of truth, a page
SELECT   city AS city,   AVG(amount) AS `AVG(amount)`,   COUNT(*) AS count,   MIN(party) AS `MIN(party)`,   MAX(created) AS `MAX(created)`,   COUNT(DISTINCT party) AS `COUNT_DISTINCT(party)` FROM visits WHERE   city LIKE '%r%'   AND NOT amount IS NULL   AND party IS TRUE GROUP BY   city HAVING   (     COUNT(*) > 3   ) ORDER BY   city ASC LIMIT 0, 3
