-- Computed texts are grouped, sorted and looked up by their collation.
create table nm(name varchar(20) collate utf8mb4_general_ci, b varchar(20) collate utf8mb4_bin);
insert into nm values ('a','a'),('B','B'),('A','A'),('b','b');
select concat(name,'') x, count(*) from nm group by x;
select count(*) from (select distinct concat(name,'') x from nm) q;
select count(distinct concat(name,'')), count(distinct cast(name as char)), count(distinct cast(b as char)), count(distinct concat(b,'x')) from nm;
select count(*) from (select concat(name,'') x from nm union select 'a') q;
select concat(name,'') = 'A', cast(b as char) = 'A', concat(b,'') = 'A', 'a' in (concat(name,'')), concat(name,'') in ('A','x') from nm;
select name, rank() over (order by concat(name,'')) r, count(*) over (partition by concat(name,'')) c from nm order by 2;
select cast(b as char) x, count(*) from nm group by x;
select max(concat(name,'')) from nm group by concat('x',name);
select greatest(concat(name,''),'C') from nm limit 1;
select case when concat(name,'') < 'B' then 1 else 0 end from nm;
select count(*) from nm n join nm m on concat(n.name,'') = concat(m.name,'');
select count(*) from nm n join nm m on concat(n.b,'') = concat(m.b,'');
select min(cast(name as char)), max(cast(name as char)), min(cast(b as char)), max(concat(b)), min(concat(name,'')) from nm;
select min(x), count(distinct x) from (select cast(name as char) x from nm) q;
select count(*) from (select cast(b as char) x from nm union select 'c') q;
select concat(name,'') in (select 'A'), concat(b,'') in (select concat(b,'') from nm where b = 'a') from nm order by b;
