// MariaDB's own client: query writes parameters into the text, execute prepares on the server.
'use strict';
const mariadb = require('mariadb');
const { account, CONDITIONS, ESTIMATE, EXACT, HIV, REFUSED, THINGS, cell, columns, figures, line } = require('./lines.js');

async function main() {
  const c = await mariadb.createConnection({ ...account, dateStrings: true, checkDuplicate: false, allowPublicKeyRetrieval: true });
  columns('values', await c.query(THINGS));
  columns('binary', await c.execute(THINGS));
  for (const [name, condition, argument] of CONDITIONS) {
    const rows = await c.execute(`SELECT id FROM things WHERE ${condition} ORDER BY id`, [argument]);
    line(`prepared ${name}`, ...rows.map((row) => row.id));
  }
  line('prepared estimate', cell((await c.execute(HIV, [60, 'HIV']))[0].estimated, true));
  const names = { TINY: 'tinyint', SHORT: 'smallint', BIGINT: 'bigint', NEWDECIMAL: 'decimal', DECIMAL: 'decimal', VAR_STRING: 'varchar' };
  for (const [name, statement] of [['things', THINGS], ['estimate', ESTIMATE], ['exact', EXACT]]) {
    line(`types ${name}`, ...(await c.query(statement)).meta.map((f) => names[f.type] ?? f.type.toLowerCase()));
  }
  figures(await c.query(ESTIMATE), await c.query(EXACT));
  await c.query(ESTIMATE);
  for (const w of await c.query('SHOW WARNINGS')) line('warnings', w.Level.toLowerCase(), w.Code);

  await c.beginTransaction();
  await c.query("INSERT INTO changes VALUES (1, 'undone')");
  await c.rollback();
  line('changes rolled back', (await c.query('SELECT COUNT(*) AS n FROM changes'))[0].n);
  await c.beginTransaction();
  await c.batch('INSERT INTO changes VALUES (?, ?)', [[1, 'one'], [2, 'two'], [3, null]]);
  await c.commit();
  line('changes committed', (await c.query('SELECT COUNT(*) AS n FROM changes'))[0].n);
  line('changes affected', (await c.query("UPDATE changes SET text = 'both' WHERE id < 3")).affectedRows);
  await c.beginTransaction();
  line('changes last id', (await c.query("INSERT INTO things (name) VALUES ('fifth')")).insertId);
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
  line('called', ...Object.values((await c.query('CALL cheaper(?)', [12]))[0]));
  let rows = 0, total = 0, length = 0;
  for await (const row of c.queryStream('SELECT n, text FROM many ORDER BY n')) {
    rows++;
    total += row.n;
    length += row.text.length;
  }
  line('large', rows, total, length);
  await c.end();
}

main().catch((e) => { console.error(e); process.exit(1); });
