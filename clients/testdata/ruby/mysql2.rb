# The gem mysql2.
require 'bigdecimal'
require 'date'
require 'mysql2'

COLUMNS = %w[id small big huge price exact ratio flag day moment fine name note bytes]
THINGS = "SELECT #{COLUMNS.join(', ')} FROM things ORDER BY id"
ESTIMATE = "SELECT disease, COUNT(*) AS n, AVG(age) AS mean, ANON_INTERVAL_LOW(COUNT(*)) AS low, ANON_INTERVAL_HIGH(COUNT(*)) AS high
FROM published.people WHERE age >= 60 AND disease IN ('Asthma', 'Cancer', 'HIV') GROUP BY disease ORDER BY disease"
EXACT = 'SELECT sex, COUNT(*) AS n, SUM(age) AS years FROM published.people GROUP BY sex ORDER BY sex'

def cell(value, column = nil)
  case value
  when nil then 'NULL'
  when true then '1'
  when false then '0'
  when Float then format('%.4f', value)
  when BigDecimal then value.to_s('F').sub(/\.(\d*)\z/) { ".#{$1.ljust(column == 'exact' ? 10 : 2, '0')}" }
  when Time, DateTime then value.strftime('%F %T.%6N').sub(/\.?0+\z/, '')
  when String then column == 'bytes' ? "X'#{value.unpack1('H*').upcase}'" : value
  else value.to_s
  end
end

def line(key, *values)
  puts "#{key}: #{values.map { |v| v.is_a?(String) ? v : cell(v) }.join(' | ')}"
end

def columns(section, rows)
  COLUMNS.each { |name| line("#{section} #{name}", *rows.map { |row| cell(row[name], name) }) }
end

def connection
  Mysql2::Client.new(host: ENV['CLIENT_HOST'], port: ENV['CLIENT_PORT'].to_i, username: ENV['CLIENT_USER'], password: ENV['CLIENT_PASSWORD'],
                     database: ENV['CLIENT_DATABASE'], encoding: 'utf8mb4', database_timezone: :utc, application_timezone: :utc)
end

$stdout.set_encoding('UTF-8')
db = connection
columns('values', db.query(THINGS).to_a)
columns('binary', db.prepare(THINGS).execute.to_a)
[['decimal', 'price > ?', BigDecimal('12.49')], ['text', 'name = ?', 'Zoë 東京 😀'], ['quoted', 'note = ?', %q(it's "quoted" \\ and 100%)],
 ['bytes', 'bytes = ?', "\x00\xFF'\"\\\n".b], ['day', 'day = ?', Date.new(2024, 2, 29)], ['moment', 'moment < ?', Time.utc(1970)], ['double', 'ratio = ?', 0.1],
 ['big', 'big = ?', 9223372036854775807], ['null', 'day <=> ?', nil]].each do |name, condition, argument|
  line("prepared #{name}", *db.prepare("SELECT id FROM things WHERE #{condition} ORDER BY id").execute(argument).map { |row| row['id'] })
end
line('prepared estimate', db.prepare('SELECT COUNT(*) AS n FROM published.people WHERE age >= ? AND disease = ?').execute(60, 'HIV').first['n'])
db.query(ESTIMATE).each { |row| line("estimate #{row['disease']}", *row.values.drop(1)) }
db.query(EXACT).each { |row| line("exact #{row['sex']}", row['n'], row['years'].to_i) }
db.query(ESTIMATE)
db.query('SHOW WARNINGS').each { |w| line('warnings', w['Level'].downcase, w['Code']) }

db.query('START TRANSACTION')
db.query("INSERT INTO changes VALUES (1, 'undone')")
db.query('ROLLBACK')
line('changes rolled back', db.query('SELECT COUNT(*) AS n FROM changes').first['n'])
db.query('START TRANSACTION')
insert = db.prepare('INSERT INTO changes VALUES (?, ?)')
[[1, 'one'], [2, 'two'], [3, nil]].each { |row| insert.execute(*row) }
db.query('COMMIT')
line('changes committed', db.query('SELECT COUNT(*) AS n FROM changes').first['n'])
db.query("UPDATE changes SET text = 'both' WHERE id < 3")
line('changes affected', db.affected_rows)
db.query('START TRANSACTION')
db.query("INSERT INTO things (name) VALUES ('fifth')")
line('changes last id', db.last_id)
db.query('ROLLBACK')
[['table', 'SELECT * FROM nowhere'], ['syntax', 'SELEC 1'], ['duplicate', "INSERT INTO things (id, name) VALUES (1, 'again')"],
 ['raw', 'SELECT COUNT(*) FROM census.people'], ['estimate', 'SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()']].each do |name, statement|
  db.query(statement)
  line("error #{name}", 'none')
rescue Mysql2::Error => e
  line("error #{name}", e.errno)
  line("state #{name}", e.sql_state)
end
called = connection.query('CALL cheaper(12)').first
line('called', *called.values)
rows = total = length = 0
# A connection of its own: the garbage collector closes prepared statements, also while rows are read.
connection.query('SELECT n, text FROM many ORDER BY n', stream: true, cache_rows: false).each do |row|
  rows += 1
  total += row['n']
  length += row['text'].length
end
line('large', rows, total, length)
