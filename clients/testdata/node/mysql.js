// mysql, which writes parameters into the text.
'use strict';
const { PassThrough } = require('stream');
const util = require('util');
const mysql = require('mysql');
const { Types } = mysql;
const { account, CONDITIONS, ESTIMATE, EXACT, HIV, REFUSED, THINGS, cell, columns, figures, line } = require('./lines.js');

async function main() {
  const c = mysql.createConnection({ ...account, supportBigNumbers: true, dateStrings: true, charset: 'utf8mb4' });
  const query = util.promisify(c.query).bind(c);
  columns('values', await query(THINGS));
  for (const [name, condition, argument] of CONDITIONS) {
    const value = typeof argument === 'bigint' ? mysql.raw(String(argument)) : argument;
    line(`prepared ${name}`, ...(await query(`SELECT id FROM things WHERE ${condition} ORDER BY id`, [value])).map((row) => row.id));
  }
  line('prepared estimate', cell((await query(HIV, [60, 'HIV']))[0].estimated, true));
  const names = { TINY: 'tinyint', SHORT: 'smallint', LONG: 'int', LONGLONG: 'bigint', NEWDECIMAL: 'decimal', VAR_STRING: 'varchar' };
  for (const [name, statement] of [['things', THINGS], ['estimate', ESTIMATE], ['exact', EXACT]]) {
    const fields = await new Promise((resolve, reject) => c.query(statement, (e, _, f) => (e ? reject(e) : resolve(f))));
    line(`types ${name}`, ...fields.map((f) => names[Types[f.type]] ?? Types[f.type].toLowerCase()));
  }
  figures(await query(ESTIMATE), await query(EXACT));
  await query(ESTIMATE);
  for (const w of await query('SHOW WARNINGS')) line('warnings', w.Level.toLowerCase(), w.Code);

  await query('START TRANSACTION');
  await query("INSERT INTO changes VALUES (1, 'undone')");
  await util.promisify(c.rollback).call(c);
  line('changes rolled back', (await query('SELECT COUNT(*) AS n FROM changes'))[0].n);
  await util.promisify(c.beginTransaction).call(c);
  await query('INSERT INTO changes VALUES ?', [[[1, 'one'], [2, 'two'], [3, null]]]);
  await util.promisify(c.commit).call(c);
  line('changes committed', (await query('SELECT COUNT(*) AS n FROM changes'))[0].n);
  line('changes affected', (await query("UPDATE changes SET text = 'both' WHERE id < 3")).affectedRows);
  await util.promisify(c.beginTransaction).call(c);
  line('changes last id', (await query("INSERT INTO things (name) VALUES ('fifth')")).insertId);
  await util.promisify(c.rollback).call(c);
  for (const [name, statement] of REFUSED) {
    try {
      await query(statement);
      line(`error ${name}`, 'none');
    } catch (e) {
      line(`error ${name}`, e.errno);
      line(`state ${name}`, e.sqlState);
    }
  }
  line('called', ...Object.values((await query('CALL cheaper(?)', [12]))[0]));
  let rows = 0, total = 0, length = 0;
  for await (const row of c.query('SELECT n, text FROM many ORDER BY n').stream().pipe(new PassThrough({ objectMode: true }))) {
    rows++;
    total += row.n;
    length += row.text.length;
  }
  line('large', rows, total, length);
  c.end();
}

main().catch((e) => { console.error(e); process.exit(1); });
