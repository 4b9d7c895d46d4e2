-- Shapes of statements, one a line, on which the engine has panicked, and what is beside them. acceptance/panics_test.go asks each.
drop table if exists pt, pt2, pj
create table pt (pk int primary key, b int, s varchar(20), d date, t time, j json, e enum('a','b'), bi bit(8), f float)
insert into pt values (1,10,'x','2024-01-05','10:00:00','{"a":1}','a',1,1.5),(2,20,'y',null,null,null,null,null,null),(3,30,null,'2024-02-05','11:00:00','[1,2]','b',2,2.5)
with recursive q (a) as (select 1 union all select a + 1, 2 from q where a < 3) select * from q
with recursive q as (select 1 a, 2 b union all select a + 1 from q where a < 3) select * from q
create view pv as with recursive q (a) as (select 1 union all select a + 1 from q where a < 3) select * from q
select * from pv
drop view pv
create view pv as with recursive q (a, b) as (select 1 union all select a + 1 from q where a < 3) select * from q
select * from pv
drop view pv
create table pt2 as select max(pk) + 1 from pt
select * from pt2
drop table pt2
create table pt2 as select max(pk) + 1 as x, count(*), sum(b)/2 from pt group by s
select * from pt2
drop table pt2
select lag(pk, 1) over () from pt
select lead(pk, 1) over () from pt
select lag(pk) over (), lead(pk, 2, 0) over () from pt
select count(*) over (w2 rows unbounded preceding) from pt window w1 as (order by pk), w2 as (w1)
select count(*) over (w2 rows between 1 preceding and current row) from pt window w2 as (order by pk)
select sum(b) over w, rank() over w from pt window w as (partition by s order by pk)
select count(*) over w3 from pt window w1 as (w2), w2 as (w1), w3 as ()
select min(b) over (order by pk rows between 3 preceding and 3 preceding) from pt
select min(b) over (order by pk rows between 3 preceding and 2 preceding), max(b) over (order by pk rows between 2 following and 3 following), sum(b) over (order by pk rows between 5 following and 9 following), first_value(b) over (order by pk rows between 3 preceding and 2 preceding), last_value(b) over (order by pk rows between 3 preceding and 2 preceding) from pt
select min(b) over (order by pk rows between 1 following and 1 preceding) from pt
select group_concat(b) over (order by pk) from pt
select 1 like cast(1 as char(10))
select cast(1 as char(10)) like 1
select 1 like 1
select null like null
select s like null, s like s escape '' from pt
select 1 not like cast(null as char)
select json_unquote('"\\u4f"')
select json_unquote('"\\u"')
select json_unquote('"\\')
select json_unquote('"\\ud800"')
select json_unquote('"a')
select json_unquote('"')
select json_unquote('"\\x"')
select json_contains('{"a":1}', '1', null)
select json_contains(null, '1', '$.a'), json_contains('{"a":1}', null, '$'), json_extract(null, '$'), json_extract('{}', null), json_set('{"a":1}', null, 1), json_set(null, '$.a', 1), json_remove('{}', null), json_length('{}', null), json_search('{}', null, 'a'), json_search('{}', 'one', null), json_keys('{}', null), json_value('{}', null), json_overlaps(null, '1'), json_merge_patch(null, '1'), json_array_append('[]', null, 1), json_contains_path('{}', 'one', null), json_contains_path('{}', null, '$')
select json_length(json_extract('{"a":1}','$.b','$.c'))
select json_extract('{"a":[1]}','$**.a')
select json_contains(json_array(1,2,3), '[1,2]')
select _latin2'abc'
select _koi8r'abc', _cp850'x'
select convert('abc' using latin2)
select convert(s using koi8r) from pt
set names latin2
set names cp850
create table pc (s varchar(5) character set latin2)
create table pc (s varchar(5)) default charset koi8r
select 'a' collate latin2_general_ci
alter table pt convert to character set cp850
set character set koi8r
set character_set_results = latin2
select cast('a' as char character set cp850)
set names utf8mb4
explain extended select * from pt where pk in (select b from pt where b in (select pk from pt))
explain select * from pt where pk in (select b from pt where b in (select pk from pt))
explain format=json select * from pt where pk in (select b from pt p where p.b in (select pk from pt r where r.b = p.b))
explain analyze select 1
explain update pt set b = 1 where pk = 1
explain delete from pt where pk = 9
explain insert into pt (pk) values (9)
describe select 1
select * from pt where pk in (select b from pt where b in (select pk from pt where s in (select s from pt)))
select weekday(0), dayofmonth(0)
select sum(sum(b)) over (order by pk rows unbounded preceding) from pt group by pk
select cume_dist() over (order by pk), nth_value(b, 2) over (order by pk), ntile(0) over () from pt
select ntile(null) over () from pt
select nth_value(b, 0) over () from pt
select percent_rank() over () from pt
select lag(b, -1) over (order by pk) from pt
select lag(b, null) over (order by pk) from pt
select round(d) , round(t), truncate(d, 1) from pt
select format(d, 2), format(null, 1), format('x', 2), format(1, null) from pt
select ntile(2) over (order by pk) from pt
(select 1 union select 2) union all (select 3) order by 1
select pk from pt union select s from pt order by s
select (select pk from pt where pk = 1 union select 2 limit 1)
select * from (select 1 a union select 'x') q join pt on q.a = pt.s
select s like '%\\' from pt
select s regexp '(' from pt
select regexp_replace(s, '', 'x') from pt
select trim(null from s), trim(both '' from s) from pt
select (1,2) < (pk, 12345678989) from pt
select row(1,2) = row(1)
select (1,2) in ((1,2,3))
select pk from pt where (pk, b) in (select pk from pt)
select aes_encrypt('a','b'), encode('a','b')
select benchmark(1, 1)
select sleep(null)
select get_lock('a', 0), release_lock('a')
select name_const('a', 1)
select values(b) from pt
select default(b) from pt
select match(s) against ('x') from pt
select inet_ntoa(null), inet_aton('x'), inet6_ntoa('x'), uuid_to_bin('x'), bin_to_uuid('x'), is_uuid(null)
select from_base64('###'), unhex('g'), compress(null), uncompress('x'), random_bytes(0)
select st_geomfromtext('POINT(1 1)'), st_astext(null), st_x('a')
select st_geomfromtext('x')
select point(1,null)
select extractvalue('<a>', '/a'), updatexml('<a/>', '/a', null)
select char(null), ord(''), ascii(null), elt(0, 'a'), field(null, 1), make_set(null), insert('a', null, 1, 'b'), lpad('a', -1, 'b'), repeat('a', null), substring_index('a', null, 1), conv('z', 37, 10), conv(null, 1, 1)
select date_add(null, interval 1 day), date_add('x', interval 1 year_month), d + interval null day, timestampadd(day, null, d), period_add(null, 1), makedate(null, 1), maketime(1, null, 1), sec_to_time(1e30), from_days(-1), str_to_date(null, '%Y'), date_format(d, null), get_format(date, 'USA'), convert_tz(d, null, 'x') from pt
select * from pt order by (select 1 union select 2)
select * from pt limit 0
select count(*) from pt having 1 = 0
select distinct pk from pt order by b
select pk from pt group by pk having max(pk) over () > 1
select * from pt where max(pk) > 1
select max(max(pk)) from pt
select * from pt group by 1
select * from pt group by 99
select * from pt order by 99
prepare p from 'select ? + ?'
set @a = 1
execute p using @a
execute p using @a, @a
execute nothing
deallocate prepare p
prepare p from ''
prepare p from 'select 1; select 2'
prepare p from null
prepare p from 'create procedure x() select 1'
execute p
drop procedure if exists x
prepare p from 'explain select 1'
execute p
prepare p from 'use d'
execute p
prepare p from 'begin'
execute p
insert into pt (pk) values (1) on duplicate key update b = (select max(b) from pt)
insert into pt select * from pt on duplicate key update b = values(b) + 1
replace into pt (pk, s) select pk, s from pt
update pt set b = (select count(*) from pt)
delete from pt where pk = (select max(pk) from pt)
update pt p join pt q on p.pk = q.pk set p.b = q.b
insert into pt set pk = default
insert into pt values ()
load data infile 'x' into table pt
update pt set pk = pk + 1 order by pk desc limit 1
create table pt3 (a int, b int generated always as (a + 1), check (a > 0))
insert into pt3 (a) values (-1)
insert into pt3 (a, b) values (1, 2)
drop table pt3
create table pt3 (a int, a int)
create table pt3 ()
create table pt3 like nothing
create index i on pt (nothing)
alter table pt add column pk int
alter table pt drop column nothing
alter table pt rename column b to pk
alter table pt modify nothing int
create trigger tr before insert on pt for each row set new.nothing = 1
create event e on schedule every 1 day do select 1
drop event if exists e
show create table nothing
show index from nothing
show columns from nothing
show create view pt
show create procedure nothing
show triggers from nothing
show table status from nothing
show variables where value regexp '('
show processlist
show grants for nobody
show engine innodb status
show profiles
show binary logs
show slave status
show replica status
show function code x
select * from information_schema.column_statistics
select * from information_schema.nothing
select * from information_schema.files
select count(*) from information_schema.columns
select * from information_schema.key_column_usage limit 1
select * from performance_schema.nothing
select * from information_schema.innodb_trx
set persist max_connections = 5
set global nothing = 1
set @@session.sql_mode = 'x'
set sql_mode = null
set names null
set autocommit = 7
set transaction isolation level read committed
set time_zone = 'x'
set @x = (select pk, b from pt)
set @x = (select pk from pt)
select @x := 1, @x
select @@nothing
select @@global.nothing
select json_table('[1]', '$[*]' columns (x int path '$'))
select * from json_table('[1', '$[*]' columns (x int path '$')) q
select * from json_table(null, '$[*]' columns (x int path '$')) q
select * from json_table('[1]', null columns (x int path '$')) q
select * from json_table('[1]', '$[*]' columns (x int path '$', nested path '$' columns (y int path '$'))) q
select json_objectagg(s, null), json_objectagg(null, 1) from pt
select json_arrayagg(j) over () from pt
select j->'$.a', j->>'$' from pt
select j->'x' from pt
select json_pretty(j), json_quote(null), json_type('x'), json_valid(null), json_depth('x') from pt
select cast('x' as json)
select cast(null as json), json_schema_valid('{}', '{}')
select member of ('[1]')
select 1 member of ('[1]'), json_storage_size('{}')
call nothing()
call nothing
create procedure pp() begin declare x int; select nothing into x from pt; end
call pp()
drop procedure pp
create procedure pp(out x int) set x = 1
call pp(1)
call pp(@q)
drop procedure pp
create procedure pp() begin declare continue handler for sqlexception select 1; select * from nothing; end
call pp()
drop procedure pp
create procedure pp() begin declare c cursor for select pk from pt; fetch c into @x; open c; open c; close c; end
call pp()
drop procedure pp
resignal
get diagnostics condition 1 @x = message_text
start transaction
savepoint a
rollback to b
release savepoint b
rollback
lock tables pt read
unlock tables
flush tables
do 1
checksum table pt
check table pt
repair table pt
analyze table pt
optimize table pt
use nothing
truncate nothing
truncate table pt
drop table pt, nothing
drop view nothing
drop database nothing
create table if not exists pt (pk int primary key, b int default 5)
prepare q from 'select 1'
prepare p from 'execute q'
execute p
prepare p from 'prepare q from "select 2"'
execute p
prepare p from 'deallocate prepare q'
execute p
set @x = 'create procedure xx() select 1'
prepare p from @x
execute p
drop procedure if exists xx
prepare p from 'create trigger tr before insert on pt for each row set new.b = 1'
execute p
drop trigger if exists tr
prepare p from 'create event e on schedule every 1 day do select 1'
execute p
drop event if exists e
prepare p from 'create view pv as select ? as a'
set @a = 1
execute p using @a
drop view if exists pv
prepare p from 'create view pv as select 1 as a'
execute p
select * from pv
drop view pv
prepare p from 'create table pz (a int)'
execute p
drop table pz
prepare p from 'call nothing()'
execute p
prepare p from 'set @y = ?'
execute p using @a
prepare p from 'show tables'
execute p
prepare p from 'explain select * from pt where pk = ?'
execute p using @a
prepare p from 'kill ?'
execute p using @a
prepare p from 'lock tables pt read'
execute p
unlock tables
prepare p from 'drop procedure nothing'
execute p
prepare p from 'load data infile "x" into table pt'
execute p
prepare p from 'alter table pt add column zz int'
execute p
prepare p from 'commit'
execute p
prepare p from 'signal sqlstate "45000"'
execute p
prepare p from 'declare x int'
prepare p from 'begin select 1; end'
execute p
prepare p from 'insert into pt (pk) values (default(pk))'
execute p
prepare p from 'create user ux identified by "y"'
execute p
drop user if exists ux
prepare p from 'grant select on *.* to ux'
execute p
prepare p from 'with q as (select ? a) select * from q'
execute p using @a
prepare p from 'select 1 limit ?'
execute p using @a
insert into pt (pk, b) values (7, default(b))
update pt set b = default(b)
update pt set b = default
update pt set b = default(b) + 1
select b + default(b) from pt
select count(*) from pt where b = default(b)
delete from pt where b = default(b)
