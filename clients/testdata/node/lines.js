// What every client in JavaScript prints: lines of one form.
'use strict';

const account = {
  host: process.env.CLIENT_HOST, port: Number(process.env.CLIENT_PORT), user: process.env.CLIENT_USER,
  password: process.env.CLIENT_PASSWORD, database: process.env.CLIENT_DATABASE,
};

const COLUMNS = ['id', 'small', 'big', 'huge', 'price', 'exact', 'ratio', 'flag', 'day', 'moment', 'fine', 'name', 'note', 'bytes'];
const DOUBLES = new Set(['ratio', 'mean', 'low', 'high', 'estimated']);
const THINGS = `SELECT ${COLUMNS.join(', ')} FROM things ORDER BY id`;
const ESTIMATE = `SELECT disease, COUNT(*) AS estimated, AVG(age) AS mean, ANON_INTERVAL_LOW(COUNT(*)) AS low, ANON_INTERVAL_HIGH(COUNT(*)) AS high
FROM published.people WHERE age >= 60 AND disease IN ('Asthma', 'Cancer', 'HIV') GROUP BY disease ORDER BY disease`;
const EXACT = 'SELECT sex, COUNT(*) AS n, SUM(age) AS years FROM published.people GROUP BY sex ORDER BY sex';
const HIV = 'SELECT COUNT(*) AS estimated FROM published.people WHERE age >= ? AND disease = ?';
const REFUSED = [
  ['table', 'SELECT * FROM nowhere'], ['syntax', 'SELEC 1'], ['duplicate', "INSERT INTO things (id, name) VALUES (1, 'again')"],
  ['raw', 'SELECT COUNT(*) FROM census.people'], ['estimate', 'SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()'],
];
const CONDITIONS = [
  ['decimal', 'price > ?', '12.49'], ['text', 'name = ?', 'Zoë 東京 😀'], ['quoted', 'note = ?', 'it\'s "quoted" \\ and 100%'],
  ['bytes', 'bytes = ?', Buffer.from([0, 255, 39, 34, 92, 10])], ['day', 'day = ?', '2024-02-29'], ['moment', 'moment < ?', '1970-01-01 00:00:00'],
  ['double', 'ratio = ?', 0.1], ['big', 'big = ?', 9223372036854775807n], ['null', 'day <=> ?', null],
];

// cell is one value as text. JavaScript has one kind of number: who has asked for a double says so.
function cell(value, double) {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'number' && double) return value.toFixed(4);
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (Buffer.isBuffer(value)) return `X'${value.toString('hex').toUpperCase()}'`;
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+$/.test(value)) return value.replace(/\.?0+$/, '');
  return String(value);
}

function line(key, ...values) {
  process.stdout.write(`${key}: ${values.map((v) => cell(v)).join(' | ')}\n`);
}

// columns prints rows, which are objects, a line a column.
function columns(section, rows) {
  for (const name of COLUMNS) line(`${section} ${name}`, ...rows.map((row) => cell(row[name], DOUBLES.has(name))));
}

function figures(estimated, exact) {
  for (const row of estimated) line(`estimate ${row.disease}`, ...['estimated', 'mean', 'low', 'high'].map((name) => cell(row[name], true)));
  for (const row of exact) line(`exact ${row.sex}`, row.n, row.years);
}

module.exports = { account, CONDITIONS, COLUMNS, ESTIMATE, EXACT, HIV, REFUSED, THINGS, cell, columns, figures, line };
