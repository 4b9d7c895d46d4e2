// mysql2: query writes parameters into the text, execute prepares on the server.
'use strict';
const mysql = require('mysql2/promise');
const { Types } = require('mysql2');
const { account, CONDITIONS, ESTIMATE, EXACT, HIV, REFUSED, THINGS, cell, columns, figures, line } = require('./lines.js');

const options = { ...account, supportBigNumbers: true, bigNumberStrings: false, dateStrings: true, charset: 'utf8mb4' };

async function main() {
  const c = await mysql.createConnection(options);
  columns('values', (await c.query(THINGS))[0]);
  columns('binary', (await c.execute(THINGS))[0]);
  for (const [name, condition, argument] of CONDITIONS) {
    const value = typeof argument === 'bigint' ? String(argument) : argument;
    const [rows] = await c.execute(`SELECT id FROM things WHERE ${condition} ORDER BY id`, [value]);
    line(`prepared ${name}`, ...rows.map((row) => row.id));
  }
  line('prepared estimate', cell((await c.execute(HIV, [60, 'HIV']))[0][0].estimated, true));
  const names = { TINY: 'tinyint', SHORT: 'smallint', LONG: 'int', LONGLONG: 'bigint', NEWDECIMAL: 'decimal', VAR_STRING: 'varchar' };
  for (const [name, query] of [['things', THINGS], ['estimate', ESTIMATE], ['exact', EXACT]]) {
    const [, fields] = await c.query(query);
    line(`types ${name}`, ...fields.map((f) => names[Types[f.columnType]] ?? Types[f.columnType].toLowerCase()));
  }
  figures((await c.query(ESTIMATE))[0], (await c.query(EXACT))[0]);
  await c.query(ESTIMATE);
  for (const w of (await c.query('SHOW WARNINGS'))[0]) line('warnings', w.Level.toLowerCase(), w.Code);

  await c.beginTransaction();
  await c.query("INSERT INTO changes VALUES (1, 'undone')");
  await c.rollback();
  line('changes rolled back', (await c.query('SELECT COUNT(*) AS n FROM changes'))[0][0].n);
  await c.beginTransaction();
  await c.query('INSERT INTO changes VALUES ?', [[[1, 'one'], [2, 'two'], [3, null]]]);
  await c.commit();
  line('changes committed', (await c.query('SELECT COUNT(*) AS n FROM changes'))[0][0].n);
  line('changes affected', (await c.query("UPDATE changes SET text = 'both' WHERE id < 3"))[0].affectedRows);
  await c.beginTransaction();
  line('changes last id', (await c.query("INSERT INTO things (name) VALUES ('fifth')"))[0].insertId);
  await c.rollback();

  for (const [name, statement] of REFUSED) {
    try {
      await c.query(statement);
      line(`error ${name}`, 'none');
    } catch (e) {
      line(`error ${name}`, e.errno);
      line(`state ${name}`, e.sqlState);
    }
  }
  line('called', ...Object.values((await c.query('CALL cheaper(?)', [12]))[0][0]));
  let rows = 0, total = 0, length = 0;
  for await (const row of c.connection.query('SELECT n, text FROM many ORDER BY n').stream()) {
    rows++;
    total += row.n;
    length += row.text.length;
  }
  line('large', rows, total, length);
  await c.end();
}

main().catch((e) => { console.error(e); process.exit(1); });
