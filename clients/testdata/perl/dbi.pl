# DBI; the argument is the driver, MariaDB or mysql.
use strict;
use warnings;
use utf8;
use DBI;
use DBI qw(:sql_types);

binmode STDOUT, ':utf8';
my $driver = shift;
my @columns = qw(id small big huge price exact ratio flag day moment fine name note bytes);
my $things = 'SELECT ' . join(', ', @columns) . ' FROM things ORDER BY id';
my $estimate = "SELECT disease, COUNT(*) AS n, AVG(age) AS mean, ANON_INTERVAL_LOW(COUNT(*)) AS low, ANON_INTERVAL_HIGH(COUNT(*)) AS high
FROM published.people WHERE age >= 60 AND disease IN ('Asthma', 'Cancer', 'HIV') GROUP BY disease ORDER BY disease";
my $exact = 'SELECT sex, COUNT(*) AS n, SUM(age) AS years FROM published.people GROUP BY sex ORDER BY sex';

sub line { my ($key, @values) = @_; print "$key: ", join(' | ', map { defined $_ ? $_ : 'NULL' } @values), "\n" }

sub decimals { map { defined $_ ? sprintf('%.4f', $_) : undef } @_ }

sub columns {
    my ($section, $rows) = @_;
    for my $i (0 .. $#columns) {
        my @values = map { $_->[$i] } @$rows;
        @values = decimals(@values) if $columns[$i] eq 'ratio';
        @values = map { defined $_ ? "X'" . uc(unpack('H*', $_)) . "'" : undef } @values if $columns[$i] eq 'bytes';
        @values = map { defined $_ ? s/\.?0+$//r : undef } @values if $columns[$i] eq 'fine';
        line("$section $columns[$i]", @values);
    }
}

my %utf8 = $driver eq 'mysql' ? (mysql_enable_utf8mb4 => 1) : ();
my $prefix = $driver eq 'mysql' ? 'mysql' : 'mariadb';
my $db = DBI->connect("DBI:$driver:database=$ENV{CLIENT_DATABASE};host=$ENV{CLIENT_HOST};port=$ENV{CLIENT_PORT}", $ENV{CLIENT_USER}, $ENV{CLIENT_PASSWORD},
    { RaiseError => 1, PrintError => 0, %utf8 });
# With mariadb_use_result DBD::MariaDB 1.22 reads no row, of a MariaDB either.
my %streamed = $driver eq 'mysql' ? (mysql_use_result => 1) : ();

columns('values', $db->selectall_arrayref($things));
$db->{"${prefix}_server_prepare"} = 1;
columns('binary', $db->selectall_arrayref($things));
for my $p (['decimal', 'price > ?', '12.49'], ['text', 'name = ?', 'Zoë 東京 😀'], ['quoted', 'note = ?', q{it's "quoted" \\ and 100%}], ['bytes', 'bytes = ?', "\x00\xff'\"\\\n"],
    ['day', 'day = ?', '2024-02-29'], ['moment', 'moment < ?', '1970-01-01 00:00:00'], ['double', 'ratio = ?', 0.1], ['big', 'big = ?', '9223372036854775807'], ['null', 'day <=> ?', undef]) {
    my $s = $db->prepare("SELECT id FROM things WHERE $p->[1] ORDER BY id");
    $s->bind_param(1, $p->[2], $p->[0] eq 'bytes' ? SQL_BLOB : $p->[0] eq 'double' ? SQL_DOUBLE : SQL_VARCHAR);
    $s->execute;
    line("prepared $p->[0]", map { $_->[0] } @{ $s->fetchall_arrayref });
}
line('prepared estimate', decimals($db->selectrow_array('SELECT COUNT(*) FROM published.people WHERE age >= ? AND disease = ?', undef, 60, 'HIV')));
$db->{"${prefix}_server_prepare"} = 0;
my %names = (char => 'varchar', integer => 'int', text => 'blob');
for my $asked (['things', $things], ['estimate', $estimate], ['exact', $exact]) {
    my $s = $db->prepare($asked->[1]);
    $s->execute;
    line("types $asked->[0]", map { $names{$_} // $_ } @{ $s->{"${prefix}_type_name"} });
    $s->finish;
}
line("estimate $_->[0]", decimals(@$_[1 .. 4])) for @{ $db->selectall_arrayref($estimate) };
line("exact $_->[0]", @$_[1 .. 2]) for @{ $db->selectall_arrayref($exact) };
$db->selectall_arrayref($estimate);
line('warnings', lc $_->[0], $_->[1]) for @{ $db->selectall_arrayref('SHOW WARNINGS') };

$db->begin_work;
$db->do("INSERT INTO changes VALUES (1, 'undone')");
$db->rollback;
line('changes rolled back', $db->selectrow_array('SELECT COUNT(*) FROM changes'));
$db->begin_work;
$db->do('INSERT INTO changes VALUES (?, ?)', undef, @$_) for [1, 'one'], [2, 'two'], [3, undef];
$db->commit;
line('changes committed', $db->selectrow_array('SELECT COUNT(*) FROM changes'));
line('changes affected', $db->do("UPDATE changes SET text = 'both' WHERE id < 3"));
$db->begin_work;
$db->do("INSERT INTO things (name) VALUES ('fifth')");
line('changes last id', $db->last_insert_id(undef, undef, 'things', 'id'));
$db->rollback;

for my $r (['table', 'SELECT * FROM nowhere'], ['syntax', 'SELEC 1'], ['duplicate', "INSERT INTO things (id, name) VALUES (1, 'again')"],
    ['raw', 'SELECT COUNT(*) FROM census.people'], ['estimate', 'SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()']) {
    if (eval { my $s = $db->prepare($r->[1]); $s->execute; $s->fetchall_arrayref; 1 }) { line("error $r->[0]", 'none'); next }
    line("error $r->[0]", $db->err);
    line("state $r->[0]", $db->state);
}

my %tables = map { $_->[2] => lc $_->[3] } @{ $db->table_info(undef, undef, '%', 'TABLE,VIEW')->fetchall_arrayref };
line("table $_", $tables{$_}) for sort keys %tables;
for my $asked ([$ENV{CLIENT_DATABASE}, 'things'], ['published', 'people']) {
    for my $c (@{ $db->column_info(undef, $asked->[0], $asked->[1], '%')->fetchall_arrayref({}) }) {
        my $kind = lc $c->{TYPE_NAME};
        $kind .= "($c->{COLUMN_SIZE},$c->{DECIMAL_DIGITS})" if $kind eq 'decimal';
        $kind .= "($c->{COLUMN_SIZE})" if $kind eq 'varchar';
        line("column $asked->[1].$c->{COLUMN_NAME}", $kind, $c->{NULLABLE} ? 'null' : 'not null');
    }
}
line("key $_", $db->primary_key(undef, $ENV{CLIENT_DATABASE}, $_)) for 'parts', 'things';
my %indexes;
for my $s (@{ $db->statistics_info(undef, $ENV{CLIENT_DATABASE}, 'things', 0, 1)->fetchall_arrayref({}) }) {
    my $of = \$indexes{ $s->{INDEX_NAME} };
    $$of = defined $$of ? "$$of, $s->{COLUMN_NAME}" : ($s->{NON_UNIQUE} ? '' : 'unique ') . $s->{COLUMN_NAME};
}
line("index $_", $indexes{$_}) for sort keys %indexes;
my $called = $db->prepare('CALL cheaper(12)');
$called->execute;
line('called', @{ $called->fetchrow_arrayref });
$called->finish;

my ($rows, $total, $length) = (0, 0, 0);
my $many = $db->prepare('SELECT n, text FROM many ORDER BY n', \%streamed);
$many->execute;
while (my ($n, $text) = $many->fetchrow_array) { $rows++; $total += $n; $length += length $text }
line('large', $rows, $total, $length);
